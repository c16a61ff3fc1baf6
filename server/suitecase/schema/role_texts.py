"""Texts that have a role as items of a list or as values under free keys, such as gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from suitecase.schema.fields import alternatives, role_of, selected
from suitecase.schema.roles import Path
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole


class RoleText(NamedTuple):
    """A text that has a role.

    Attributes:
        role: what it stands for.
        node: the text.
        path: the keys and indices that lead to it.
    """

    role: FieldRole
    node: Scalar
    path: Path


def role_texts(
    model: type[BaseModel], node: Mapping, *roles: FieldRole, path: Path = ()
) -> Iterator[RoleText]:
    """Yield the texts in a mapping that have one of some roles, at any depth of lists and mappings.

    Args:
        model: the model of the mapping.
        node: the mapping.
        *roles: the roles.
        path: the path of the mapping.
    """
    for own, info in model.model_fields.items():
        name = info.alias or own
        entry = node.entries.get(name)
        if entry is None or entry.merged:
            continue
        if isinstance(entry.value, Scalar):
            role = _role_in(info.annotation, role_of(info))
            if role in roles and role is not None:
                yield RoleText(role, entry.value, (*path, name))
        else:
            yield from _within(info.annotation, entry.value, roles, (*path, name))


def role_at(model: type[BaseModel], root: Node, path: Path) -> FieldRole | None:
    """Return the role of a text at a path of keys and indices; None for one without a role."""
    here: list[tuple[Any, FieldRole | None]] = [(model, None)]
    node: Node | None = root
    for step in path:
        found: list[tuple[Any, FieldRole | None]] = []
        for annotation, _ in here:
            found += _steps(annotation, node, step)
        here = found
        node = _child(node, step)
    return next((role for it, own in here if (role := _role_in(it, own)) is not None), None)


def _steps(
    annotation: Any, node: Node | None, step: str | int
) -> Iterator[tuple[Any, FieldRole | None]]:
    """Yield the annotations of a key or an item of a value, with their roles."""
    for alternative in alternatives(annotation):
        if isinstance(step, int):
            if get_origin(alternative) is list:
                yield get_args(alternative)[0], None
        elif get_origin(alternative) is dict:
            yield get_args(alternative)[1], None
        elif isinstance(alternative, type) and issubclass(alternative, BaseModel):
            for model in selected([alternative], node):
                for own, info in model.model_fields.items():
                    if (info.alias or own) == step:
                        yield info.annotation, role_of(info)


def _within(
    annotation: Any, node: Node, roles: tuple[FieldRole, ...], path: Path
) -> Iterator[RoleText]:
    steps: Iterator[tuple[str | int, Node]]
    if isinstance(node, Sequence):
        steps = iter(enumerate(node.items))
        inner = [
            get_args(alternative)[0]
            for alternative in alternatives(annotation)
            if get_origin(alternative) is list
        ]
    elif isinstance(node, Mapping):
        models = [
            alternative
            for alternative in alternatives(annotation)
            if isinstance(alternative, type) and issubclass(alternative, BaseModel)
        ]
        if len(models) == 1:
            yield from role_texts(models[0], node, *roles, path=path)
            return
        steps = ((name, it.value) for name, it in _own(node))
        inner = [
            get_args(alternative)[1]
            for alternative in alternatives(annotation)
            if get_origin(alternative) is dict
        ]
    else:
        return
    for step, value in steps if inner else ():
        for it in inner:
            if isinstance(value, Scalar):
                role = _role_in(it)
                if role in roles and role is not None:
                    yield RoleText(role, value, (*path, step))
            else:
                yield from _within(it, value, roles, (*path, step))


def _own(node: Mapping) -> Iterator[tuple[str, Entry]]:
    return ((name, entry) for name, entry in node if not entry.merged)


def _role_in(annotation: Any, own: FieldRole | None = None) -> FieldRole | None:
    """Return the role of a text of a type, which may be one of several types."""
    if own is not None:
        return own
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        found = next((it for it in metadata if isinstance(it, FieldRole)), None)
        return _role_in(inner, found)
    if get_origin(annotation) is Union or type(annotation).__name__ == "UnionType":
        return next(
            (role for argument in get_args(annotation) if (role := _role_in(argument)) is not None),
            None,
        )
    return None


def _child(node: Node | None, step: str | int) -> Node | None:
    if isinstance(step, int):
        return node.items[step] if isinstance(node, Sequence) and step < len(node.items) else None
    return node.get(step) if isinstance(node, Mapping) else None
