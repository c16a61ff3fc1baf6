"""Rules on the texts and labels of prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from suitecase.format.rule import External, Finding, Related, Severity, rule
from suitecase.format.workspace import Unreadable
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.paths import is_path
from suitecase.formats.promptfoo.suite.prompts.prompts import PromptEntry, PromptSource
from suitecase.formats.promptfoo.suite.references.in_entries import (
    NamesOfPrompts,
    are_prompts_known,
    texts_of,
)
from suitecase.text.compose import compose
from suitecase.text.composed import Problem
from suitecase.text.embedded import embedded
from suitecase.text.jsonl import parse_json_text
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase.text.recent import recent
from suitecase_evaluators.system.path_kinds import is_file

_FILE_NAME = re.compile(r"[\w.-]+")
_ROLE = re.compile(r"""["']role["']\s*:""")
_PRINTED = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@rule("PF310", Severity.WARNING)
def prompt_names_a_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The text of a prompt is the name of a file.

    promptfoo takes a text for a path if it has a slash or an ending that it knows. The name of any
    other file is sent to the model as the prompt.

    ```yaml bad
    prompts:
      - prompt.jinja2  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```text bad file=prompt.jinja2
    Answer politely: {{question}}
    ```

    ```yaml good
    prompts:
      - file://prompt.txt
    providers: [openai:gpt-4.1]
    ```

    ```text good file=prompt.txt
    Answer politely: {{question}}
    ```
    """
    for entry in configuration.prompt_entries:
        raw = entry.raw
        if raw is None or is_path(raw.text) or not entry.prompts:
            continue
        name = raw.text.strip()
        if _FILE_NAME.fullmatch(name) and "." in name and is_file(configuration.folder.path / name):
            yield Finding(
                raw.span,
                f"promptfoo sends `{name}` as the prompt, and not the text of the file of this name; "
                "prompts are read from files such as `.txt` and `.j2`",
            ).moved(configuration.head_span)


@rule("PF311", Severity.WARNING)
def invalid_chat_prompt(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt in JSON or YAML does not parse.

    promptfoo sends its text as it is, and providers of chat models refuse it, or take it for one
    message.

    ```yaml bad
    prompts:
      - file://chat.json
    providers: [openai:gpt-4.1]
    ```

    ```json bad file=chat.json
    [
      {"role": "system", "content": "Answer politely."},
      {"role": "user", "content": "{{question}}"},  # <- finding
    ]
    ```

    ```yaml good
    prompts:
      - file://chat.json
    providers: [openai:gpt-4.1]
    ```

    ```json good file=chat.json
    [
      {"role": "system", "content": "Answer politely."},
      {"role": "user", "content": "{{question}}"}
    ]
    ```
    """
    checked: set[Path] = set()
    yield from _invalid_texts(configuration)
    for entry in configuration.prompt_entries:
        files = entry.target.files if entry.target is not None else ()
        for file in files:
            if file.path in checked or file.path.suffix not in (".json", ".yaml", ".yml"):
                continue
            checked.add(file.path)
            text = configuration.folder.read(file.path)
            if isinstance(text, Unreadable):
                continue
            found = _problem(text, is_json=file.path.suffix == ".json")
            if found is not None and entry.raw is not None:
                kind = "JSON" if file.path.suffix == ".json" else "YAML"
                yield Finding(
                    found.span,
                    f"this prompt does not parse as {kind}, so promptfoo sends its text as it is, not "
                    f"as a chat: {found.message}",
                    external=External(file.path, entry.raw.span),
                ).moved(configuration.head_span)


def _invalid_texts(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Yield the findings in chats that stand in the configuration."""
    source = configuration.head.source
    for entry in configuration.prompt_entries:
        raw = entry.raw
        if raw is None or not raw.text.lstrip().startswith(("[", "{")) or is_path(raw.text):
            continue
        if not _ROLE.search(raw.text):
            continue
        found = _problem(raw.text, is_json=True)
        if found is not None:
            message = found.message.partition(": ")[2] or found.message
            yield Finding(
                embedded(raw, source).span(found.span.start, found.span.end),
                "this prompt does not parse as JSON, so promptfoo sends its text as it is, not as a "
                f"chat: {message}",
            ).moved(configuration.head_span)


@recent(most=128)
def _problem(text: str, *, is_json: bool) -> Problem | None:
    """Return why a text does not parse; None if it does, or if templates decide."""
    if "{%" in text:
        return None
    if not is_json:
        composed = compose(text)
        return composed.problems[0] if composed.broken and composed.problems else None
    if not text.strip("\ufeff \t\r\n"):
        return None
    # Behind the last end, each beginning would be searched for one.
    closed, end, rest = text.rpartition("}}")
    plain = _PRINTED.sub(lambda found: "0".ljust(len(found.group())), closed + end) + rest
    problems = parse_json_text(plain).problems
    return problems[0] if parse_json_text(plain).node is None and problems else None


@rule("PF312", Severity.WARNING)
def duplicate_prompt_label(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Two prompts have one label.

    Results and filters name prompts by their labels, so that these two cannot be told apart.

    ```yaml bad
    prompts:
      - raw: "Translate {{text}}"
        label: short
      - raw: "Translate this for a child: {{text}}"
        label: short  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```yaml good
    prompts:
      - raw: "Translate {{text}}"
        label: short
      - raw: "Translate this for a child: {{text}}"
        label: for children
    providers: [openai:gpt-4.1]
    ```
    """
    first: dict[str, PromptEntry] = {}
    for entry in configuration.prompt_entries:
        if entry.label is None or not isinstance(entry.label.value, str) or not entry.prompts:
            continue
        earlier = first.setdefault(entry.label.text, entry)
        if earlier is not entry and earlier.label is not None and _labels_meet(entry, earlier):
            yield Finding(
                entry.label.span,
                f"another prompt has the label `{entry.label.text}`, so that results cannot tell them "
                "apart",
                related=(Related("the other prompt", earlier.label.span),),
            ).moved(configuration.head_span)


def _labels_meet(entry: PromptEntry, other: PromptEntry) -> bool:
    labels = {prompt.label for prompt in other.prompts}
    return any(prompt.label in labels for prompt in entry.prompts)


@rule("PF313", Severity.WARNING)
def repeated_prompt(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt is listed twice.

    promptfoo takes the same text or path only once where the configuration is named on the command
    line, and asks twice where it finds the configuration itself.

    ```yaml bad
    prompts:
      - "Translate {{text}}"
      - "Translate {{text}}"  # <- finding
    providers: [openai:gpt-4.1]
    ```

    ```yaml good
    prompts:
      - "Translate {{text}}"
    providers: [openai:gpt-4.1]
    ```
    """
    for entry in configuration.prompt_entries:
        if entry.same_as is not None and entry.raw is not None:
            yield Finding(
                entry.raw.span,
                "this prompt is listed twice",
                related=(Related("the first one", entry.same_as.span),),
            ).moved(configuration.head_span)


@rule("PF314", Severity.WARNING)
def unused_prompt(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """No provider is sent a prompt.

    Each provider has a list `prompts`, and the prompt is in none of them.

    ```yaml bad
    prompts:
      - raw: "Translate {{text}}"
        label: short
      - raw: "Translate this for a child: {{text}}"  # <- finding
        label: for children
    providers:
      - id: openai:gpt-4.1
        prompts: [short]
    ```

    ```yaml good
    prompts:
      - raw: "Translate {{text}}"
        label: short
      - raw: "Translate this for a child: {{text}}"
        label: for children
    providers:
      - id: openai:gpt-4.1
        prompts: [short]
      - id: openai:gpt-4.1-mini
        prompts: [for children]
    ```
    """
    providers = configuration.providers
    filters = [
        provider.options.get("prompts") if provider.options is not None else None
        for provider in providers
    ]
    if not filters or not all(isinstance(it, Sequence) for it in filters):
        return
    if not are_prompts_known(configuration):
        return
    names = NamesOfPrompts(configuration.prompts)
    asked: set[int] = set()
    for reference in {text.text for node in filters for text in texts_of(node)}:
        meant = [prompt.number for prompt in names.meant_by(reference)]
        if not meant:
            return
        asked.update(meant)
    for entry in configuration.prompt_entries:
        if any(prompt.source is PromptSource.CODE for prompt in entry.prompts) or entry.raw is None:
            continue
        if entry.prompts and all(prompt.number not in asked for prompt in entry.prompts):
            yield Finding(
                entry.raw.span,
                "no provider is sent this prompt: each has a list `prompts` without it",
            ).moved(configuration.head_span)


@rule("PF315", Severity.WARNING)
def list_of_prompts_in_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A prompt file in YAML or JSON lists several prompts.

    promptfoo takes such a file for one prompt, a chat. It sends the whole list as one text. Prompts
    in one file are separated by lines of `---` in a `.txt` file, or stand in the rows of a CSV or in
    the lines of a `.jsonl` file.

    ```yaml bad
    prompts: file://prompts.yaml
    providers: [openai:gpt-4.1]
    ```

    ```yaml bad file=prompts.yaml
    - "Translate {{text}}"  # <- finding
    - "Translate this for a child: {{text}}"
    ```

    ```yaml good
    prompts:
      - "Translate {{text}}"
      - "Translate this for a child: {{text}}"
    providers: [openai:gpt-4.1]
    ```
    """
    for entry in configuration.prompt_entries:
        for file in entry.target.files if entry.target is not None else ():
            text = configuration.folder.read(file.path)
            if file.path.suffix not in (".json", ".yaml", ".yml") or isinstance(text, Unreadable):
                continue
            found = _listed(text, is_json=file.path.suffix == ".json")
            if found is not None and entry.raw is not None:
                first, number = found
                yield Finding(
                    first,
                    f"promptfoo takes this file for one prompt, and sends all {number} as one text",
                    external=External(file.path, entry.raw.span),
                ).moved(configuration.head_span)


@recent(most=128)
def _listed(text: str, *, is_json: bool) -> tuple[Span, int] | None:
    """Return the first prompt of a text that lists several, and how many there are."""
    root = parse_json_text(text).node if is_json else compose(text).root
    if not isinstance(root, Sequence) or len(root.items) < 2:
        return None
    return (root.items[0].span, len(root.items)) if all(map(_is_prompt, root.items)) else None


def _is_prompt(node: Node) -> bool:
    """Whether an item of a list is a prompt of its own, and not a message of a chat."""
    if isinstance(node, Mapping):
        return "role" not in node and ("raw" in node or "id" in node)
    return isinstance(node, Scalar) and isinstance(node.value, str)
