"""What the values of an entry stand for, as its model describes it: prompts, commands, targets.

Rules and editors ask here instead of knowing the keys of types, so that an evaluator of a package
is treated as one that is built in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from suitecase.suite.fields import alternatives, role_of, selected
from suitecase.syntax.node import Entry, Mapping, Node, Sequence
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.field_role import FieldRole

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RoleValue:
    """A value that has a role.

    Attributes:
        role: what it stands for.
        entry: the value with its key.
        holder: the mapping it is part of.
        model: the model of that mapping.
        path: the keys and indices that lead to it from the entry.
    """

    role: FieldRole
    entry: Entry
    holder: Mapping
    model: type[BaseModel]
    path: Path

    @property
    def node(self) -> Node:
        return self.entry.value

    def beside(self, role: FieldRole) -> Node | None:
        """Return the value of a role in the same mapping."""
        key = key_with(self.model, role)
        return self.holder.get(key) if key is not None else None


def values_in(
    model: type[BaseModel], node: Mapping, *roles: FieldRole, path: Path = ()
) -> Iterator[RoleValue]:
    """Yield the values that have one of some roles, but for those of members.

    Parts of which it is unknown which model they have are left out.
    """
    if roles_in(model).isdisjoint(roles):
        return
    for key, role, inner in _keys(model):
        entry = node.entries.get(key)
        if entry is None:
            continue
        if role in roles:
            yield RoleValue(role, entry, node, model, (*path, key))
        yield from _within(inner, entry.value, roles, (*path, key))


def _within(
    types: tuple[Any, ...], node: Node, roles: tuple[FieldRole, ...], path: Path
) -> Iterator[RoleValue]:
    if isinstance(node, Mapping):
        models = selected(list(types), node)
        if len(models) == 1 and not issubclass(models[0], EvaluatorConfig):
            yield from values_in(models[0], node, *roles, path=path)
    elif isinstance(node, Sequence):
        items = tuple(part for it in types for part in _items(it))
        for number, item in enumerate(node.items) if items else ():
            yield from _within(items, item, roles, (*path, number))


@cache
def roles_in(model: type[BaseModel]) -> frozenset[FieldRole]:
    """Return every role that a value of a model may have, at any depth."""
    return frozenset(_roles(model, set()))


@cache
def roles_under(model: type[BaseModel], key: str) -> frozenset[FieldRole]:
    """Return the roles of what stands under a key of a model, the key's own among them."""
    found: set[FieldRole] = set()
    for name, role, inner in _keys(model):
        if name == key:
            found |= {role} if role is not None else set()
            found |= {it for one in _models(inner) for it in roles_in(one)}
    return frozenset(found)


@cache
def key_with(model: type[BaseModel], role: FieldRole) -> str | None:
    """Return the key of a model whose value has a role; None where it has none."""
    return next((key for key, own, _ in _keys(model) if own is role), None)


@cache
def _keys(
    model: type[BaseModel],
) -> tuple[tuple[str, FieldRole | None, tuple[Any, ...]], ...]:
    """Return the keys of a model that matter here: each with its role, and what may stand under it."""
    found: list[tuple[str, FieldRole | None, tuple[Any, ...]]] = []
    for own, info in model.model_fields.items():
        role, inner = role_of(info), tuple(alternatives(info.annotation))
        if role is not None or any(_models(inner)):
            found.append((info.alias or own, role, inner))
    return tuple(found)


def _roles(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[FieldRole]:
    seen.add(model)
    for _, role, inner in _keys(model):
        if role is not None:
            yield role
        for config_model in _models(inner):
            if config_model not in seen:
                yield from _roles(config_model, seen)


def _models(types: tuple[Any, ...]) -> Iterator[type[BaseModel]]:
    """Yield the models among types and among the items of lists, but for those of evaluators."""
    for model in types:
        if isinstance(model, type) and issubclass(model, BaseModel):
            if not issubclass(model, EvaluatorConfig):
                yield model
        else:
            yield from _models(tuple(_items(model)))


def _items(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is list:
        yield from alternatives(get_args(annotation)[0])
