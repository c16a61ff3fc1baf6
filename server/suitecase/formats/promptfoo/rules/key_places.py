"""Where a key that is not read in one place is read: under another key of the same mapping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import alternatives
from suitecase.text.near_names import nearest


def place_below(models: list[type[BaseModel]], name: str) -> tuple[str, ...] | None:
    """Return the keys that lead from a mapping to the one that reads a key: the shortest way.

    Args:
        models: the models of the mapping.
        name: the key.
    """
    ways = sorted(_ways(models, 2), key=lambda it: len(it[0]))
    return next((way for way, model in ways if name in keys_of(model)), None)


def near_below(models: list[type[BaseModel]], name: str) -> tuple[tuple[str, ...], str] | None:
    """Return the way to a key below with a similar name, and that name."""
    for way, model in _ways(models, 1):
        near = nearest(name, keys_of(model)) if len(name) > 3 else None
        if near is not None:
            return way, near
    return None


def _ways(
    models: list[type[BaseModel]], depth: int
) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    """Yield the keys that lead to the models below some models, as mappings, not in lists."""
    for model in models:
        for own, info in model.model_fields.items():
            for below in alternatives(info.annotation):
                if _is_model(below):
                    way = (info.alias or own,)
                    yield way, below
                    if depth > 1:
                        yield from ((way + more, it) for more, it in _ways([below], depth - 1))


def item_keys(models: list[type[BaseModel]], name: str) -> str | None:
    """Return the list, of a mapping, whose items read a key."""
    for model in models:
        for own, info in model.model_fields.items():
            for listed in alternatives(info.annotation):
                if get_origin(listed) is list and any(
                    _is_model(it) and name in keys_of(it)
                    for it in alternatives(get_args(listed)[0])
                ):
                    return info.alias or own
    return None


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
