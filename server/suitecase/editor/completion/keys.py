"""Completion of keys, and whether a key is useful beside the existing ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.score_ranges import next_range
from suitecase.editor.completion.skeletons import common_fields, value, written_first
from suitecase.editor.completion.template import Template
from suitecase.editor.hover.keys import meaning_of
from suitecase.formats.suitecase.model import Case, Execution, SuiteHead
from suitecase.schema.fields import Field
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.rubric import Rubric, ScoreRange
from suitecase_evaluators.grade.field_accuracy import ONLY_FOR, FieldCheck
from suitecase_evaluators.grade.tool_trajectory import ToolTrajectoryConfig


def keys(context: Context, head: Tree | None) -> Iterator[Item]:
    """Yield the keys that are missing, required ones first.

    Args:
        context: the cursor.
        head: the suite's settings for all its cases.
    """
    models = context.models
    present = context.present if context.shape == "key" else frozenset()
    offered = [
        common_field
        for common_field in common_fields(models).values()
        if common_field.name not in present and fits(common_field, context, head)
    ]
    first = {name for model in models for name in written_first(model)}
    first -= {name for model in models for name in alternatives_of(model, present)}
    needed = [it for it in offered if it.info.is_required() or it.name in first]
    for field in (*needed, *(it for it in offered if it not in needed)):
        if field.model is ScoreRange and field.name == "score_range" and not context.flow:
            yield key_item(field, context, next_range(context))
        else:
            yield key_item(field, context)


def key_item(field: Field, context: Context, start: Template | None = None) -> Item:
    """Return an item that inserts a key.

    Args:
        field: the field of the key.
        context: the cursor.
        start: the colon and the initial text of the value, if that is not what its type begins with.
    """
    facts = ["required"] if field.info.is_required() else []
    if field.info.annotation is not Any:
        facts.append(field.expected)
    if start is None:
        start = value(field, context.column, context.layout, flow=context.flow)
    return Item(
        label=field.name,
        kind=ItemKind.KEY,
        template=entry(field.name, context, start),
        detail=" · ".join(facts),
        documentation=meaning_of(field),
        typed=typed_key(field.name, context),
        span=span_of_key(context),
    )


def entry(name: str, context: Context, start: Template) -> Template:
    """Return a key with the initial text of its value, as far as that is not there yet."""
    quote = _quote(context)
    quoted = f"{quote}{name}{quote}"
    if context.has_colon:
        return (quoted,)
    if context.followed:
        return (quoted, ":")
    return (quoted, *start)


def _quote(context: Context) -> str:
    if context.layout.quotes_keys:
        return '"'
    return context.style if context.shape == "key" and context.style in "'\"" else ""


def typed_key(name: str, context: Context) -> str:
    """Return the text that a key is filtered by: with the quote before it; empty if it has none."""
    return f"{context.style}{name}" if context.style else ""


def span_of_key(context: Context) -> Span | None:
    """Return the span of the key with its quotes, which are inserted again."""
    if not context.style:
        return None
    closed = context.text.startswith(context.style, context.span.end)
    return Span(context.span.start - 1, context.span.end + closed)


#: Keys of which one is enough, and a second conflicts.
_EITHER: Mapping[type[BaseModel], tuple[frozenset[str], ...]] = {
    Case: (
        frozenset({"input", "input_messages"}),
        frozenset({"expected_output", "expected_messages"}),
    ),
}
#: Keys that are used only if another key has a certain value.
_ONLY_WHERE: Mapping[tuple[type[BaseModel], str], tuple[str, tuple[str, ...]]] = {
    (ToolTrajectoryConfig, "minimums"): ("mode", ("any_order",)),
    (ToolTrajectoryConfig, "expected"): ("mode", ("in_order", "exact")),
    (Message, "tool_calls"): ("role", ("assistant",)),
    (SuiteHead, "evaluation_criteria"): ("evaluation_mode", ("llm",)),
    **{(FieldCheck, name): ("match", (match,)) for name, match in ONLY_FOR.items()},
}


def alternatives_of(model: type[BaseModel], present: frozenset[str]) -> Iterator[str]:
    """Yield the keys of a model that conflict with an existing one."""
    for group in _EITHER.get(model, ()):
        if not group.isdisjoint(present):
            yield from group


def fits(field: Field, context: Context, head: Tree | None) -> bool:
    """Whether a key is used beside the existing ones, and conflicts with none.

    Args:
        field: the field of the key.
        context: the cursor.
        head: the suite's settings for all its cases.
    """
    siblings = context.parent if context.shape == "key" else None
    present = context.present if context.shape == "key" else frozenset()
    if field.name in alternatives_of(field.model, present):
        return False
    if field.name == "evaluators" and issubclass(field.model, (Case, Execution)):
        return not _has_evaluators(context, "execution" if field.model is Case else "")
    if field.model is Case and field.name == "evaluation_schema":
        return _text(head, "evaluation_mode") in (None, "schema")
    if field.model is Rubric:
        ranges = "score_ranges" in present
        gate = {"required": not ranges, "required_min_score": ranges}
        return gate.get(field.name, True)
    owner = SuiteHead if issubclass(field.model, SuiteHead) else field.model
    other, words = _ONLY_WHERE.get((owner, field.name), ("", ()))
    if not other:
        return True
    current = _text(siblings, other)
    if current is None and other not in present:
        default = field.model.model_fields[other].default
        current = default if isinstance(default, str) else None
    return current is None or current in words


def _has_evaluators(context: Context, beside: str) -> bool:
    """Whether a case lists its evaluators in the other of the two places for them."""
    if not isinstance(context.root, Tree) or context.model is not Case:
        return False
    other = context.root.get(beside) if beside else context.root
    return isinstance(other, Tree) and "evaluators" in other


def _text(node: object, key: str) -> str | None:
    value = node.get(key) if isinstance(node, Tree) else None
    return value.text if isinstance(value, Scalar) and isinstance(value.value, str) else None
