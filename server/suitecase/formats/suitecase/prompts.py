"""The prompt of a judge: inline or in a file, and the place of its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suitecase.format.workspace import Folder, Found, NotFound, Unreadable
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedJudge
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.embedded import embedded
from suitecase.text.node import Entry, Mapping, Scalar, Sequence, Span
from suitecase_evaluators.grade.judge.template import (
    COMPARISON_VARIABLES,
    looks_like_path,
    names_in,
)
from suitecase_evaluators.schema.field_role import FieldRole

#: The roles of prompts.
PROMPTS = (FieldRole.PROMPT, FieldRole.AGGREGATION_PROMPT, FieldRole.COMPARISON_PROMPT)


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt with its text, or why there is none.

    `entry` is its key and value, and `holder` the mapping that these are part of; `reference` is
    what the suite says; `path` the file it stands in, None where the prompt stands in the suite;
    `role` says what goes into it: a composite's results, two answers, or else one.
    """

    entry: Entry
    holder: Mapping
    node: Scalar
    reference: str
    text: str | NotFound | Unreadable
    path: Path | None
    role: FieldRole

    @property
    def aggregates(self) -> bool:
        """Whether a composite's results go into it."""
        return self.role is FieldRole.AGGREGATION_PROMPT

    def span(self, start: int, end: int, folder: Folder) -> Span:
        """Return where a stretch of the prompt stands: in its file, if it is in one."""
        if self.path is not None:
            return Span(start, end)
        return embedded(self.node, folder.source).span(start, end)


#: The prompts of the evaluator that was asked for last: many rules ask, one after the other.
_LAST: Cache[tuple[ParsedEvaluator, tuple[PromptText, ...]]] = Cache()


def prompts_of(evaluator: ParsedEvaluator, folder: Folder) -> tuple[PromptText, ...]:
    """Return the prompts of an evaluator's judges, but for those that a program writes."""
    last = _LAST.get(folder)
    if last is None or last[0] is not evaluator:
        last = evaluator, tuple(_prompts_of(evaluator, folder))
        _LAST.set(folder, last)
    return last[1]


def _prompts_of(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[PromptText]:
    for value in evaluator.values(*PROMPTS):
        node = value.node
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
            text, path = prompt_text(node.text, folder)
            role = value.role
            if isinstance(evaluator, ParsedJudge) and isinstance(text, str) and _compares(text):
                role = FieldRole.COMPARISON_PROMPT
            yield PromptText(value.entry, value.holder, node, node.text.strip(), text, path, role)


def _compares(text: str) -> bool:
    """Whether a prompt is that of a judge that compares two answers."""
    return not COMPARISON_VARIABLES.keys().isdisjoint(names_in(text))


def references_of(evaluator: ParsedEvaluator) -> Iterator[Scalar]:
    """Yield the nodes that name files whose texts an evaluator's judge is shown."""
    for value in evaluator.values(FieldRole.REFERENCES):
        for node in value.node.items if isinstance(value.node, Sequence) else ():
            if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
                yield node


def prompt_files(suite: ParsedSuite, folder: Folder) -> frozenset[Path]:
    """Return the files that the judges of a suite have their prompts in."""
    parts: tuple[ParsedHead | ParsedCase, ...] = (suite.head, *suite.cases)
    elements = (element for part in parts if not part.content.broken for element in part.elements())
    evaluators = (element for element in elements if isinstance(element, ParsedEvaluator))
    prompts = (prompt for evaluator in evaluators for prompt in prompts_of(evaluator, folder))
    return frozenset(prompt.path for prompt in prompts if prompt.path is not None)


def prompt_text(prompt: str, folder: Folder) -> tuple[str | NotFound | Unreadable, Path | None]:
    """Return the text a prompt stands for, and the file it is in.

    A prompt that names a file that is there is that file's text; one that looks like a path and
    leads nowhere is missing; anything else is the text itself.
    """
    one_word = "\n" not in prompt.strip() and len(prompt) < 1024
    found = folder.find(prompt.strip()) if one_word else None
    if isinstance(found, Found):
        return folder.read(found.path), found.path
    if found is not None and looks_like_path(prompt):
        return found, None
    return prompt, None
