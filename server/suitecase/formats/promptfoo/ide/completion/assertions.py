"""Completion of assertions: their types, with the keys that each of them needs."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.ide.completion.context import Cursor
from suitecase.formats.promptfoo.ide.hover.assertions import type_text
from suitecase.formats.promptfoo.suite.assertions.assertion_type import AssertionType
from suitecase.formats.promptfoo.suite.assertions.assertion_types import NEGATION
from suitecase.ide.completion.context import Context
from suitecase.ide.completion.item import Item, ItemKind
from suitecase.ide.completion.template import Break, Stop, Template, joined

#: The types that most assertions have.
_FIRST = (
    "contains",
    "icontains",
    "llm-rubric",
    "javascript",
    "equals",
    "is-json",
    "regex",
    "python",
    "contains-any",
    "contains-all",
    "similar",
    "latency",
    "cost",
)
#: Initial values where none is obvious.
_VALUES = {"contains-any": "[", "contains-all": "[", "icontains-any": "[", "icontains-all": "["}


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
    kinds = cursor.whole.file.reading.types
    first = [kinds[it] for it in _FIRST if it in kinds]
    ordered = [*first, *(it for it in kinds.values() if it not in first)]
    in_set = cursor.context.path.count("assert") > 1
    ordered = [it for it in ordered if not (in_set and it.graded_by == "set")]
    yield from ((it, False) for it in ordered)
    yield from ((it, True) for it in ordered if it.negatable)


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
    return joined(*(part for it in entries for part in (separator, it)))


def _value(kind: AssertionType) -> Template:
    if _VALUES.get(kind.name):
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
