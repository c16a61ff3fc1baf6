"""What the values of an entry stand for, as its model describes it: prompts, commands, targets.

Rules and editors ask here instead of knowing the keys of types, so that an evaluator of a package
is treated as one that is built in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from suitecase.schema.fields import members_of, role_of, selected
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.field_role import FieldRole

Path = tuple[str | int, ...]


class RoleValue(NamedTuple):
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


class Holder(NamedTuple):
    """A mapping in an entry, whose model has keys with roles, and the path that leads to it."""

    node: Mapping
    model: type[BaseModel]
    path: Path

    def values(self, *roles: FieldRole) -> Iterator[RoleValue]:
        """Yield the values of the mapping that have one of some roles."""
        for key in _keys(self.model):
            entry = self.node.entries.get(key.name) if key.role in roles else None
            if key.role is not None and entry is not None:
                yield RoleValue(key.role, entry, self.node, self.model, (*self.path, key.name))


def values_in(model: type[BaseModel], node: Mapping, *roles: FieldRole) -> Iterator[RoleValue]:
    """Yield the values that have one of some roles, but for those of members."""
    for holder in holders_in(model, node, *roles):
        yield from holder.values(*roles)


def all_values(model: type[BaseModel], node: Mapping, path: Path = ()) -> list[RoleValue]:
    """Return the values that have a role, but for those of members."""
    found: list[RoleValue] = []
    for name, role, types, under in _keys(model):
        entry = node.entries.get(name)
        if entry is None:
            continue
        if role is not None:
            found.append(RoleValue(role, entry, node, model, (*path, name)))
        if under and not isinstance(entry.value, Scalar):
            for holder in _within(types, entry.value, tuple(under), (*path, name)):
                found += holder.values(*under)
    return found


def holders_in(
    model: type[BaseModel], node: Mapping, *roles: FieldRole, path: Path = ()
) -> Iterator[Holder]:
    """Yield the mappings that may have values of some roles, but for members and theirs.

    Parts of which it is unknown which model they have are left out.
    """
    keys = _keys(model)
    if any(it.role in roles for it in keys):
        yield Holder(node, model, path)
    for key in keys:
        if not key.under.isdisjoint(roles):
            entry = node.entries.get(key.name)
            if entry is not None:
                yield from _within(key.types, entry.value, roles, (*path, key.name))


def _within(
    types: tuple[Any, ...], node: Node, roles: tuple[FieldRole, ...], path: Path
) -> Iterator[Holder]:
    if isinstance(node, Mapping):
        models = selected(list(types), node)
        if len(models) > 1:  # with a `type` that may be left out, the keys tell which it is
            models = [model for model in models if _may_be_untyped(model) and _has_all(model, node)]
        if len(models) == 1 and not issubclass(models[0], EvaluatorConfig):
            yield from holders_in(models[0], node, *roles, path=path)
    elif isinstance(node, Sequence):
        items = tuple(part for kind in types for part in _items(kind))
        for number, item in enumerate(node.items) if items else ():
            yield from _within(items, item, roles, (*path, number))


def _may_be_untyped(model: type[BaseModel]) -> bool:
    field = model.model_fields.get("type")
    return field is not None and not field.is_required()


def _has_all(model: type[BaseModel], node: Mapping) -> bool:
    keys = {info.alias or name for name, info in model.model_fields.items()}
    return all(name in keys for name in node.entries)


@cache
def roles_in(model: type[BaseModel]) -> frozenset[FieldRole]:
    """Return every role that a value of a model may have, at any depth."""
    return _roles((model,), set())


def roles_under(model: type[BaseModel], name: str) -> frozenset[FieldRole]:
    """Return the roles of what stands under a key of a model, the key's own among them."""
    return _roles_by_key(model).get(name, frozenset())


@cache
def _roles_by_key(model: type[BaseModel]) -> dict[str, frozenset[FieldRole]]:
    return {
        key.name: key.under if key.role is None else key.under | {key.role} for key in _keys(model)
    }


@cache
def key_with(model: type[BaseModel], role: FieldRole) -> str | None:
    """Return the key of a model whose value has a role; None where it has none."""
    return next((key.name for key in _keys(model) if key.role is role), None)


class _Key(NamedTuple):
    """A key of a model that has a role, or under which values may have some: `under`."""

    name: str
    role: FieldRole | None
    types: tuple[Any, ...]
    under: frozenset[FieldRole]


@cache
def _keys(model: type[BaseModel]) -> tuple[_Key, ...]:
    found = []
    for own, info in model.model_fields.items():
        role, types = role_of(info), tuple(members_of(info.annotation))
        under = _roles(types, {model})
        if role is not None or under:
            found.append(_Key(info.alias or own, role, types, under))
    return tuple(found)


def _roles(types: tuple[Any, ...], seen: set[type[BaseModel]]) -> frozenset[FieldRole]:
    """Return every role that values of some types may have, but for those of members.

    Args:
        seen: the models that were looked at: one may be part of itself.
    """
    found: set[FieldRole] = set()
    for kind in types:
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            found |= _roles(tuple(_items(kind)), seen) if get_origin(kind) is list else set()
            continue
        if kind in seen or (seen and issubclass(kind, EvaluatorConfig)):
            continue
        seen.add(kind)
        for info in kind.model_fields.values():
            role = role_of(info)
            found |= {role} if role is not None else set()
            found |= _roles(tuple(members_of(info.annotation)), seen)
    return frozenset(found)


def _items(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is list:
        yield from members_of(get_args(annotation)[0])
