"""Completion of whole items: a test, a provider with settings, a prompt with a label, a first configuration."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.layout import Layout
from suitecase.editor.completion.template import Break, Part, Stop, Template
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.editor.completion.names import used_in_prompts
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES

_SCHEMA = "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json"
#: The types that a new assertion most likely has, of those with a value.
_FREQUENT = tuple(kind.name for kind in ASSERTION_TYPES.values() if kind.value_required)[:5]
_MOST_VARIABLES = 6


def scaffolds(cursor: Cursor) -> Iterator[Item]:
    """Yield whole items, where an item of a list begins."""
    context = cursor.context
    if context.flow or context.layout.quotes_keys:
        return
    column, layout = context.column, context.layout
    path = context.path
    if cursor.is_test:
        names = variables_of_test(cursor)
        yield _scaffold("test", test_of(names, column, layout), "variables and an assertion")
        named: Template = ("description: ", Stop(), Break(column), *test_of(names, column, layout))
        yield _scaffold("test with a description", named, "description, variables, an assertion")
    elif cursor.in_test is not None:
        return
    elif len(path) == 2 and path[0] in ("providers", "targets"):
        template: Template = (
            *("id: ", Stop("openai:gpt-4.1"), Break(column), "label: ", Stop("gpt"), Break(column)),
            *("config:", Break(column + layout.step), "temperature: ", Stop("0")),
        )
        yield _scaffold("provider with settings", template, "id, label and config")
    elif len(path) == 2 and path[0] == "prompts":
        labeled: Template = ("label: ", Stop("short"), Break(column), "raw: ", Stop())
        yield _scaffold("prompt with a label", labeled, "label and text")


def first_configuration(cursor: Cursor) -> Iterator[Item]:
    """Yield a whole configuration, in a file that has nothing yet."""
    text = cursor.context.text
    is_promptfoo = cursor.whole.file.dialect.name == "promptfoo"
    if text.strip("\ufeff \t\r\n") not in ("", cursor.context.word.strip()) or not is_promptfoo:
        return
    layout = cursor.context.layout
    dash = layout.dash_step
    template: Template = (
        *(_SCHEMA, Break(0), "description: ", Stop("What the suite is about"), Break(0)),
        *("prompts:", Break(dash), '- "', Stop("Answer in one sentence: {{question}}"), '"'),
        *(Break(0), "providers:", Break(dash), "- ", Stop("openai:gpt-4.1-mini")),
        *(Break(0), "tests:", Break(dash), "- "),
        *test_of(["question"], dash + 2, layout),
    )
    yield _scaffold("configuration", template, "prompts, providers and a test")


def test_of(names: list[str], column: int, layout: Layout) -> Template:
    """Return a test with variables and an assertion."""
    inner = column + layout.step
    parts: list[Part] = ["vars:"]
    for name in names:
        parts += [Break(inner), f"{name}: ", Stop()]
    dash = column + layout.dash_step
    parts += [Break(column), "assert:", Break(dash), "- type: "]
    parts += [Stop(choices=_FREQUENT)]
    parts += [Break(dash + 2), "value: ", Stop()]
    return tuple(parts)


def variables_of_test(cursor: Cursor) -> list[str]:
    """Return the variables that a new test sets: those of prompts that have no default."""
    whole = cursor.whole
    body = whole.default_test
    common = body.variables.entries if body is not None and body.variables is not None else {}
    names = [it for it in used_in_prompts(whole) if it not in common]
    if not names:
        names = [name for test in whole.tests[:1] for name in test.values]
    return names[:_MOST_VARIABLES] or ["name"]


def _scaffold(label: str, template: Template, detail: str) -> Item:
    return Item(label=label, kind=ItemKind.SCAFFOLD, template=template, detail=detail)
