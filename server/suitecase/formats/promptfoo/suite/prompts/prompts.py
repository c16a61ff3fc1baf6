"""The prompts of a configuration, as promptfoo makes them of `prompts`.

Nothing is run and nothing is fetched: the text of a prompt that a program makes, or that a service
keeps, is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Names
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.prompts.parts import PromptPart, scalar_parts
from suitecase.formats.promptfoo.suite.prompts.paths import (
    COMMAND_SCHEME,
    REMOTE_SCHEMES,
    PromptPath,
    is_meant_as_path,
    is_path,
    prompt_path,
)
from suitecase.formats.promptfoo.suite.prompts.targets import PromptProblem, Target, target_of
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: The prompt of a configuration without `prompts`.
DEFAULT_TEXT = "{{prompt}}"


#: Keys that people give the path of a prompt, which promptfoo does not read.
PATH_KEYS = ("file", "path", "filename", "file_path", "filePath", "prompt_file", "promptFile")


class PromptSource(StrEnum):
    """Where the text of a prompt comes from."""

    TEXT = "text"
    FILE = "file"
    #: A function or a program makes it.
    CODE = "code"
    #: A service keeps it.
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that promptfoo fills for each test.

    `text` is None where it is not known. `parts` are the texts in it that are filled, with their
    places. `path` is the file that the text or the code is in. `span` is where the configuration
    names the prompt.
    """

    text: str | None
    label: str
    id: str | None
    number: int
    span: Span
    source: PromptSource
    path: Path | None = None
    parts: tuple[PromptPart, ...] = ()
    #: False for the prompt of a configuration without `prompts`.
    written: bool = True
    #: The name of the function that creates the prompt, and the `config` that it receives.
    function: str | None = None
    config: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """What one entry of `prompts` comes to.

    `raw` is the text or path that counts, and `raw_key` the key that it stands under in an object.
    """

    node: Node
    raw: Scalar | None
    raw_key: str | None
    label: Scalar | None
    id: Scalar | None
    prompts: tuple[Prompt, ...]
    problem: PromptProblem | None
    path: PromptPath | None = None
    target: Target | None = None
    #: The entry before it with the same text: promptfoo takes it only once.
    same_as: Scalar | None = None


def prompt_entries(node: Node | None, folder: Folder, source: str) -> tuple[PromptEntry, ...]:
    """Return the entries of `prompts`.

    Args:
        node: the value of the key; None if it is absent or has no value.
        folder: the folder of the configuration.
        source: the text that the places in the tree are relative to.
    """
    entries: list[PromptEntry] = []
    seen: dict[str, Scalar] = {}
    number = 1
    for written in _written(node):
        entry = _entry(written, folder, source, number, seen)
        number += len(entry.prompts)
        entries.append(entry)
    return tuple(entries)


def prompts_of(entries: tuple[PromptEntry, ...], *, is_written: bool = True) -> tuple[Prompt, ...]:
    """Return the prompts of all entries, or the one that promptfoo assumes where none is written."""
    if not is_written:
        nowhere = PromptPart(DEFAULT_TEXT, None, lambda *_: Span(0, 0))
        return (
            Prompt(
                *(DEFAULT_TEXT, DEFAULT_TEXT, None, 1, Span(0, 0), PromptSource.TEXT),
                parts=(nowhere,),
                written=False,
            ),
        )
    return tuple(prompt for entry in entries for prompt in entry.prompts)


@dataclass(frozen=True, slots=True)
class _Written:
    """An entry as it is written: of a list, of a mapping of texts to labels, or the only one."""

    node: Node
    raw: Scalar | None
    raw_key: str | None
    fields: Names[str, Node]
    is_object: bool = False


def _written(node: Node | None) -> Iterator[_Written]:
    if isinstance(node, Mapping):
        for _, (key, value, _) in node:
            yield _Written(key, key, None, {"label": value})
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping):
                fields = {name: value for name, (_, value, _) in item}
                raw_key = next(
                    (name for name in ("raw", "id") if has_value(fields.get(name))), None
                )
                raw = fields.get(raw_key) if raw_key else None
                yield _Written(
                    item, raw if isinstance(raw, Scalar) else None, raw_key, fields, is_object=True
                )
            else:
                yield _Written(item, item if isinstance(item, Scalar) else None, None, {})
    elif isinstance(node, Scalar) and has_value(node):
        yield _Written(node, node, None, {})


def sends_its_id(node: Mapping) -> bool:
    """Whether promptfoo sends the `id` of an object in `prompts`: there is no `raw`, and it is not a path."""
    name = node.get("id")
    if (
        not isinstance(name, Scalar)
        or not isinstance(name.value, str)
        or has_value(node.get("raw"))
    ):
        return False
    return bool(name.text) and not is_path(name.text)


def has_value(node: Node | None) -> bool:
    """Whether a key is there and has a value."""
    return node is not None and not (isinstance(node, Scalar) and not node.value)


def _entry(
    written: _Written, folder: Folder, source: str, number: int, seen: dict[str, Scalar]
) -> PromptEntry:
    raw, fields = written.raw, written.fields
    label, name = (
        it if isinstance(it, Scalar) else None for it in map(fields.get, ("label", "id"))
    )

    def result(
        problem: PromptProblem | None = None,
        prompts: tuple[Prompt, ...] = (),
        path: PromptPath | None = None,
        target: Target | None = None,
        same_as: Scalar | None = None,
    ) -> PromptEntry:
        return PromptEntry(
            *(written.node, raw, written.raw_key, label, name, prompts, problem),
            *(path, target, same_as),
        )

    if raw is None or not isinstance(raw.value, str):
        if written.is_object and written.raw_key is None:
            return result(PromptProblem.NO_TEXT)
        return result(PromptProblem.NOT_TEXT)
    text = raw.text
    if not written.is_object:
        if text in seen:
            return result(same_as=seen[text])
        seen[text] = raw
    own_label = label.text if label is not None and label.value is not None else None
    own_id = name.text if name is not None else None
    config = plain(fields["config"]) if "config" in fields else None
    make = _Maker(raw.span, own_label, own_id, number, config if isinstance(config, dict) else {})
    if "function" in fields:
        return result(None, make.code(text, None))
    if any(scheme in text for scheme in REMOTE_SCHEMES) and not is_path(text):
        return result(None, make.remote(text))
    if text.startswith(COMMAND_SCHEME):
        path = prompt_path(text.removeprefix(COMMAND_SCHEME))
        return result(None, make.code(path.path, None), path)
    if not is_path(text):
        problem = None
        if text.startswith(FILE_SCHEME):
            problem = PromptProblem.LINE_BREAK
        elif not text.strip():
            problem = PromptProblem.EMPTY
        return result(problem, make.text(text, scalar_parts(raw, source, None)))
    path = prompt_path(text)
    if "{{" in path.path and "env" in path.path and text.startswith(FILE_SCHEME):
        return result(None, make.code(text, None), path)  # The environment decides.
    target = target_of(path, folder)
    if target.problem is PromptProblem.TOO_MUCH and not is_meant_as_path(text):
        target = Target(PromptProblem.NO_MATCH, is_glob=True, is_text=True)
    if target.is_text:
        return result(
            target.problem, make.text(text, scalar_parts(raw, source, None)), path, target
        )
    return result(target.problem, make.files(target, path), path, target)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the prompts of one entry."""

    span: Span
    label: str | None
    id: str | None
    number: int
    config: dict[str, Any]

    def text(self, text: str, parts: tuple[PromptPart, ...]) -> tuple[Prompt, ...]:
        label = text if self.label is None else self.label
        return (
            Prompt(text, label, self.id, self.number, self.span, PromptSource.TEXT, None, parts),
        )

    def remote(self, text: str) -> tuple[Prompt, ...]:
        label = text if self.label is None else self.label
        return (Prompt(None, label, self.id, self.number, self.span, PromptSource.REMOTE),)

    def code(self, label: str, path: Path | None) -> tuple[Prompt, ...]:
        label = label if self.label is None else self.label
        return (Prompt(None, label, self.id, self.number, self.span, PromptSource.CODE, path),)

    def files(self, target: Target, path: PromptPath) -> tuple[Prompt, ...]:
        """Make those of the files; a label that is written counts for a single path only."""
        made: list[Prompt] = []
        label = None if target.is_glob else self.label
        for file in target.files:
            shown = file.shown
            if file.is_code:
                name = f"{shown}:{path.function}" if path.function else shown
                number = self.number + len(made)
                made.append(
                    Prompt(
                        *(None, label or name, None, number, self.span),
                        *(PromptSource.CODE, file.path),
                        function=path.function,
                        config=self.config,
                    )
                )
            for place, prompt in enumerate(file.prompts, 1):
                made_up = f"{shown}: {prompt.suffix}" if prompt.suffix is not None else shown
                if file.path.suffix == ".csv":
                    made_up = f"Prompt {place} - {prompt.text}"
                if label and prompt.labels_follow:
                    made_up = f"{label}: {made_up}"
                elif label:
                    made_up = label
                made.append(
                    Prompt(
                        *(prompt.text, prompt.own_label or made_up, None),
                        *(self.number + len(made), self.span, PromptSource.FILE),
                        *(file.path, prompt.parts),
                    )
                )
        return tuple(made)
