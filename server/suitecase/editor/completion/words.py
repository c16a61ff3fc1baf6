"""Completion of words, including those that select the type of their mapping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

from pydantic import BaseModel

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.scaffolds import evaluator_types, selected
from suitecase.editor.completion.skeletons import choices, discriminator
from suitecase.editor.hover.keys import meaning_of_evaluator
from suitecase.schema.fields import types_at
from suitecase_evaluators.grade.evaluator import EvaluatorConfig


def words(context: Context) -> Iterator[Item]:
    """Yield the words a value is chosen from."""
    field = context.field
    if field is None or context.shape == "key":
        return
    if isinstance(context.path[-1], int):
        kinds = (kind for kind in context.types if get_origin(kind) is Literal)
        yield from (_word(str(argument), context) for kind in kinds for argument in get_args(kind))
        return
    if field.name == "type" and issubclass(field.model, EvaluatorConfig):
        yield from _evaluator_types(context)
        return
    types = types_at(context.model, context.root, context.holder)
    models = [kind for kind in types if isinstance(kind, type) and issubclass(kind, BaseModel)]
    key, by_word = discriminator(models)
    if key == field.name:
        for word, model in by_word.items():
            yield Item(
                label=word,
                kind=ItemKind.WORD,
                template=selected(context, model, word),
                documentation=(model.__doc__ or "").strip(),
            )
        return
    for word in choices(field) or field.words:
        yield _word(word, context)


def _evaluator_types(context: Context) -> Iterator[Item]:
    for name, config in evaluator_types():
        yield Item(
            label=name,
            kind=ItemKind.EVALUATOR,
            template=selected(context, config, name),
            detail="evaluator",
            documentation=meaning_of_evaluator(name) or "",
        )


def _word(word: str, context: Context) -> Item:
    quoted = context.layout.quotes_keys and not context.style and word not in ("true", "false")
    return Item(label=word, kind=ItemKind.WORD, template=(f'"{word}"' if quoted else word,))
