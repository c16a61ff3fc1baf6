"""Names that a file has: the variables that prompts use and tests set, and labels for filters."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.item import Item, ItemKind
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.prompts.prompts import PromptSource
from suitecase.formats.promptfoo.suite.variables import BUILT_IN
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.schema.key_roles import Kind, RefersTo

#: Longer texts are no names.
_MOST = 60


def wanted_variables(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield the variables that a test may set: those of prompts, then those of other tests."""
    seen: set[str] = set()
    for name in used_in_prompts(whole):
        seen.add(name)
        yield name, "used in a prompt"
    for name in whole.variables:
        if name not in seen:
            yield name, "set by other tests"


def used_in_prompts(whole: Whole) -> list[str]:
    """Return the variables that prompts use, in their order."""
    names = (
        use.name
        for prompt in whole.prompts
        if prompt.written
        for part in prompt.parts
        for use in read_template(part.text).uses
    )
    return [name for name in dict.fromkeys(names) if name not in BUILT_IN]


def labels(cursor: Cursor) -> Iterator[Item]:
    """Yield the labels of prompts or providers, where a test or a provider chooses among them."""
    for role in cursor.roles:
        match role:
            case RefersTo(Kind.PROMPT_LABEL):
                yield from _named([*_names_of_prompts(cursor.whole)], "prompt")
            case RefersTo(Kind.PROVIDER):
                names = [known.name for known in cursor.whole.providers if known.name]
                yield from _named(names, "provider")


def _names_of_prompts(whole: Whole) -> Iterator[str]:
    """Yield what filters may call the prompts: their label, or the file that promptfoo names them by."""
    entries = whole.linked.prompt_entries if whole.linked is not None else ()
    for entry in entries:
        if entry.label is not None:
            yield entry.label.text
            continue
        for prompt in entry.prompts:
            if prompt.source is PromptSource.FILE:
                yield prompt.label.partition(": ")[0]
            elif len(prompt.label) <= _MOST:
                yield prompt.label


def _named(names: list[str], detail: str) -> Iterator[Item]:
    for name in dict.fromkeys(names):
        if "\n" not in name:
            yield Item(label=name, kind=ItemKind.NAME, template=(quoted(name),), detail=detail)


def quoted(text: str) -> str:
    """Return a text as it is written in YAML: in quotes where it needs them."""
    plain = text and text[0] not in "!&*-?|>@`%{[\"'#,:" and ": " not in text and " #" not in text
    if plain and not text.endswith(":") and text == text.strip() and not set(text) & set("{}[],"):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
