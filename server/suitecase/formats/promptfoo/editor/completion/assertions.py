"""Completion of assertions: their types, with the keys that each of them needs."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Break, Stop, Template, joined
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.editor.hover.assertions import type_text
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType


def types(cursor: Cursor) -> Iterator[Item]:
    """Yield the types, at the value of `type`; each with the keys that it needs and that are missing."""
    context = cursor.context
    path = context.path
    if context.shape == "key" or path[-1:] != ("type",) or cursor.assertion is None:
        return
    for kind, negated in _all(cursor):
        quote = '"' if context.layout.quotes_keys and not context.style else ""
        name = _name(kind, negated)
        rest = _rest(kind, context, context.present)
        template: Template = (f"{quote}{name}{quote}",)
        if not context.style and not context.followed:
            template = joined(template, rest)
        yield _item(kind, negated, template)


def whole_assertions(cursor: Cursor) -> Iterator[Item]:
    """Yield an assertion of each type, where an item of `assert` begins."""
    context = cursor.context
    path = context.path
    is_item = len(path) > 1 and isinstance(path[-1], int) and path[-2] == "assert"
    if not is_item or cursor.in_test is None or context.layout.quotes_keys:
        return
    for kind, negated in _all(cursor):
        inner = joined(f"type: {_name(kind, negated)}", _rest(kind, context, frozenset()))
        template = joined("{", inner, "}") if context.flow else inner
        yield _item(kind, negated, template)


def _all(cursor: Cursor) -> Iterator[tuple[AssertionType, bool]]:
    """Yield the types, the frequent ones first, with the negated ones behind."""
    in_set = cursor.context.path.count("assert") > 1
    offered = [
        kind
        for kind in cursor.whole.file.reading.types.values()
        if not (in_set and kind.graded_by == "set")
    ]
    yield from ((kind, False) for kind in offered)
    yield from ((kind, True) for kind in offered if kind.negatable)


def _name(kind: AssertionType, negated: bool) -> str:
    return f"{NEGATION}{kind.name}" if negated else kind.name


def _rest(kind: AssertionType, context: Context, present: frozenset[str]) -> Template:
    """Return the keys that a type needs besides itself."""
    separator = ", " if context.flow else Break(context.column)
    entries: list[Template] = []
    if kind.graded_by == "set" and not context.flow and "assert" not in present:
        dash = Break(context.column + context.layout.dash_step)
        entries.append(("assert:", dash, "- type: ", Stop()))
    elif kind.value_required and "value" not in present:
        entries.append(_value(kind))
    if kind.threshold is not None and kind.threshold.required and "threshold" not in present:
        entries.append(("threshold: ", Stop()))
    if context.layout.quotes_keys:
        return ()
    return joined(*(part for entry in entries for part in (separator, entry)))


def _value(kind: AssertionType) -> Template:
    if kind.finds is not None:
        return ("value: [", Stop(), "]")
    return ("value: ", Stop())


def _item(kind: AssertionType, negated: bool, template: Template) -> Item:
    return Item(
        label=_name(kind, negated),
        kind=ItemKind.EVALUATOR,
        template=template,
        detail="assertion",
        documentation=type_text(kind, negated=negated),
    )
