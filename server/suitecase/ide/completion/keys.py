"""The keys that may be written at a cursor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from suitecase.ide.completion.context import Context
from suitecase.ide.completion.item import Item, ItemKind
from suitecase.ide.completion.score_ranges import next_range
from suitecase.ide.completion.skeletons import common_fields, value, written_first
from suitecase.ide.completion.template import Template
from suitecase.ide.hover.keys import meaning_of
from suitecase.suite.fields import Field
from suitecase.suite.model import Case
from suitecase.syntax.node import Span
from suitecase_evaluators.rubric import ScoreRange

#: Where one of these is written the others say nothing or collide with it.
_EITHER: Mapping[type[BaseModel], tuple[tuple[str, ...], ...]] = {
    Case: (("input", "input_messages"), ("expected_output", "expected_messages")),
}


def keys(context: Context) -> Iterator[Item]:
    """Yield the keys that are not there yet, those that have to be there first."""
    models = context.models
    siblings = context.parent if context.shape == "key" else None
    present = context.present if context.shape == "key" else frozenset()
    offered = [
        it
        for it in common_fields(models).values()
        if it.name not in present and _fits(it, present, siblings)
    ]
    first = {name for model in models for name in written_first(model)}
    first -= {name for it in _settled(models, present) for name in it}
    needed = [it for it in offered if it.info.is_required() or it.name in first]
    for field in (*needed, *(it for it in offered if it not in needed)):
        facts = ["required"] if field.info.is_required() else []
        if field.info.annotation is not Any:
            facts.append(field.expected)
        yield Item(
            label=field.name,
            kind=ItemKind.KEY,
            template=_entry(field, context),
            detail=" · ".join(facts),
            documentation=meaning_of(field),
            typed=_typed(field.name, context),
            span=_span(context),
        )


def _settled(
    models: Collection[type[BaseModel]], present: Collection[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the groups of keys of which one is there."""
    for model in models:
        for group in _EITHER.get(model, ()):
            if not set(group).isdisjoint(present):
                yield group


def _fits(field: Field, present: Collection[str], siblings: object) -> bool:
    """Whether a key says something beside those that are there."""
    return not any(field.name in group for group in _settled([field.model], present))


def _entry(field: Field, context: Context) -> Template:
    """Return a key with what is written behind it at first."""
    quote = _quote(context)
    name = f"{quote}{field.name}{quote}"
    if context.has_colon:
        return (name,)
    if context.followed:
        return (name, ":")
    if field.model is ScoreRange and field.name == "score_range" and not context.flow:
        return (name, *next_range(context))
    return (name, *value(field, context.column, context.layout, flow=context.flow))


def _quote(context: Context) -> str:
    if context.layout.quotes_keys:
        return '"'
    return context.style if context.shape == "key" and context.style in "'\"" else ""


def _typed(name: str, context: Context) -> str:
    return f"{context.style}{name}" if context.style else ""


def _span(context: Context) -> Span | None:
    """Return the key with its quotes, which are written anew."""
    if not context.style:
        return None
    closed = context.text.startswith(context.style, context.span.end)
    return Span(context.span.start - 1, context.span.end + closed)
