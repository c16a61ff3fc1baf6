"""The keys that may be written at a cursor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.ide.completion.context import Context
from suitecase.ide.completion.fitting import alternatives_of, fits
from suitecase.ide.completion.item import Item, ItemKind
from suitecase.ide.completion.score_ranges import next_range
from suitecase.ide.completion.skeletons import common_fields, value, written_first
from suitecase.ide.completion.template import Template
from suitecase.ide.hover.keys import meaning_of
from suitecase.suite.fields import Field
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Span
from suitecase_evaluators.rubric import ScoreRange


def keys(context: Context, head: Tree | None) -> Iterator[Item]:
    """Yield the keys that are not there yet, those that have to be there first.

    Args:
        context: the cursor.
        head: what the suite says of all its cases.
    """
    models = context.models
    present = context.present if context.shape == "key" else frozenset()
    offered = [
        it
        for it in common_fields(models).values()
        if it.name not in present and fits(it, context, head)
    ]
    first = {name for model in models for name in written_first(model)}
    first -= {name for model in models for name in alternatives_of(model, present)}
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
