"""Completion inside of templates: variables after `{{`, filters after `|`, the environment after `env.`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.completion.cursor import in_comment, line_start
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.variables import in_prompt
from suitecase.format.workspace import Unreadable
from suitecase.formats.promptfoo.editor.completion.names import used_in_prompts
from suitecase.formats.promptfoo.editor.values import shown
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.templates.names import ENVIRONMENT, FILTERS
from suitecase.text.node import Mapping, Span

_OPEN = re.compile(r"\{[{%][^{}%]*\Z")
_FILTER = re.compile(r"\|[ \t]*(\w*)\Z")
_MEMBER = re.compile(r"\benv\.(\w*)\Z")
_NAME = re.compile(r"(?<![\w.\"'|])(\w*)\Z")
_REST = re.compile(r"\w*")
_OF_GRADERS = {
    "output": "The answer that is graded.",
    "rubric": "The `value` of the assertion: what the answer is graded by.",
}


def in_template(
    whole: Whole, text: str, offset: int, *, of_grader: bool, is_yaml: bool = True
) -> list[Item] | None:
    """Return what may stand at a cursor in a template; None outside of one.

    Args:
        whole: the suite whose variables there are.
        text: its text, or that of a file with a prompt.
        offset: the cursor.
        of_grader: whether the template is the prompt of a grader.
        is_yaml: whether the text may have comments.
    """
    line = text[line_start(text, offset) : offset]
    opened = _OPEN.search(line)
    if opened is None or (is_yaml and in_comment(text, offset)):
        return None
    rest = _REST.match(text, offset)
    end = rest.end() if rest else offset
    tag = opened[0][2:]
    found = _FILTER.search(tag)
    if found is not None:
        return list(_filters(whole, Span(offset - len(found[1]), end)))
    member = _MEMBER.search(tag)
    if member is not None:
        return list(_environment(whole, Span(offset - len(member[1]), end)))
    meanings = dict(_variables(whole))
    if of_grader:
        meanings = {**_OF_GRADERS, **meanings}
    items = in_prompt(text, offset, meanings)
    if items is not None:
        return items
    name = _NAME.search(tag)
    if name is None or not tag.strip():
        return []
    span = Span(offset - len(name[1]), end)
    return [_item(it, meaning, "variable", span) for it, meaning in meanings.items()]


def is_in_environment(text: str, offset: int) -> bool:
    """Whether a dot at the cursor stands behind `env` in a template."""
    line = text[line_start(text, offset) : offset]
    opened = _OPEN.search(line)
    return opened is not None and _MEMBER.search(opened[0]) is not None


def _variables(whole: Whole) -> Iterator[tuple[str, str]]:
    """Yield the variables with their first values."""
    for name in dict.fromkeys((*whole.variables, *used_in_prompts(whole))):
        values = whole.values(name)[:3]
        default = whole.default_value(name)
        texts = [shown(value) for value in (values or ([default] if default is not None else []))]
        yield name, "\n".join(f"- {text}" for text in dict.fromkeys(texts))
    yield ENVIRONMENT, "The environment: `env.NAME`."


def _filters(whole: Whole, span: Span) -> Iterator[Item]:
    own = whole.file.head.get("nunjucksFilters")
    if isinstance(own, Mapping):
        for name in own.entries:
            yield _item(name, "A filter of this configuration.", "filter", span)
    for name in sorted(FILTERS):
        yield _item(name, "", "filter", span)


def _environment(whole: Whole, span: Span) -> Iterator[Item]:
    own = whole.file.head.get("env")
    names = list(own.entries) if isinstance(own, Mapping) else []
    path = whole.folder.path / ".env"
    text = whole.folder.read(path) if whole.folder.workspace.holds(path) else ""
    if not isinstance(text, Unreadable):
        lines = (line.strip().removeprefix("export ").partition("=") for line in text.splitlines())
        names += [name.strip() for name, equals, _ in lines if equals and name[:1] != "#"]
    for name in dict.fromkeys(names):
        yield _item(name, "", "environment variable", span)


def _item(name: str, documentation: str, detail: str, span: Span) -> Item:
    return Item(
        label=name,
        kind=ItemKind.VARIABLE,
        template=(name,),
        detail=detail,
        documentation=documentation,
        span=span,
    )
