"""The field of the models that a key belongs to: its description, and the values it may have."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, Tag
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from suitecase.schema.key_roles import ReadAs, Usually
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.selected_model import SelectedModel


@dataclass(frozen=True, slots=True)
class Field:
    """A field with the name that is used for it, and its model."""

    name: str
    info: FieldInfo
    model: type[BaseModel]

    @property
    def meaning(self) -> str:
        return self.info.description or ""

    @property
    def role(self) -> FieldRole | None:
        """What a text under the key stands for, if its model defines that."""
        return role_of(self.info)

    @property
    def expected(self) -> str:
        """The values that the key may have, as text: `text or a list`."""
        usual = (mark.words for mark in self.info.metadata if isinstance(mark, Usually))
        return next(usual, None) or expected(self.info.annotation)

    @property
    def default(self) -> str | None:
        """The default as YAML; None if there is none, or if the description tells it."""
        value = self.info.default
        if value in (None, PydanticUndefined) or "default" in self.meaning.casefold():
            return None
        return str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def words(self) -> tuple[str, ...]:
        """The allowed words, if only some are allowed."""
        return _words_of(alternatives(self.info.annotation))

    @property
    def words_of_items(self) -> tuple[str, ...]:
        """The allowed words of the items of a list, if only some are allowed."""
        lists = (
            alternative
            for alternative in alternatives(self.info.annotation)
            if get_origin(alternative) is list
        )
        return _words_of(inner for it in lists for inner in alternatives(get_args(it)[0]))


def _words_of(types: Iterable[Any]) -> tuple[str, ...]:
    literals = (kind for kind in types if get_origin(kind) is Literal)
    return tuple(str(word) for literal in literals for word in get_args(literal))


def role_of(info: FieldInfo) -> FieldRole | None:
    """Return what the value of a field stands for, where its model says so."""
    return next((it for it in info.metadata if isinstance(it, FieldRole)), None)


def field_at(model: type[BaseModel], root: Node, path: tuple[str | int, ...]) -> Field | None:
    """Return the field at a path of keys and indexes; None if any key is allowed there."""
    return _at(model, root, path)[0]


def _at(
    model: type[BaseModel], root: Node, path: tuple[str | int, ...]
) -> tuple[Field | None, list[Any]]:
    """Return the field at a path, and the types that the value there may have."""
    here: list[Any] = [model]
    node: Node | None = root
    found: Field | None = None
    for step in path:
        if isinstance(step, int):
            node = (
                node.items[step] if isinstance(node, Sequence) and step < len(node.items) else None
            )
            here = [
                inner
                for model in here
                if get_origin(model) is list
                for inner in members_of(get_args(model)[0], node)
            ]
            continue
        found = next(_fields(here, node, step), None)
        node = node.get(step) if isinstance(node, Mapping) else None
        here = list(_members(found.info, node) if found else _under_free_keys(here))
        if not here:
            return None, []
    return found, here


def _members(info: FieldInfo, node: Node | None) -> Iterator[Any]:
    """Yield the types that a value of a field may have."""
    # Pydantic keeps the type apart from what else an annotation says.
    chosen = _chosen(info.annotation, [info.discriminator, *info.metadata], node)
    return members_of(info.annotation if chosen is None else chosen, node)


def _under_free_keys(here: list[Any]) -> Iterator[Any]:
    """Yield the types of the values of mappings in which any key is allowed."""
    for it in here:
        if get_origin(it) is dict:
            yield from (part for part in members_of(get_args(it)[1]) if part is not Any)


def models_at(
    model: type[BaseModel], root: Node, path: tuple[str | int, ...]
) -> list[type[BaseModel]]:
    """Return the models that the mapping at a path may have; only one if its `type` selects it."""
    node: Node | None = root
    for step in path:
        if isinstance(step, int):
            node = (
                node.items[step] if isinstance(node, Sequence) and step < len(node.items) else None
            )
        else:
            node = node.get(step) if isinstance(node, Mapping) else None
    return selected(_at(model, root, path)[1], node)


def types_at(model: type[BaseModel], root: Node, path: tuple[str | int, ...]) -> list[Any]:
    """Return the types that the value at a path may have, with unions split."""
    return [part for it in _at(model, root, path)[1] for part in alternatives(it)]


def alternatives(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union type, without None."""
    for member in members_of(annotation):
        union = _union_by_word(member)
        if union is None:
            yield member
        else:
            yield from union.models()


def members_of(annotation: Any, node: Node | None = None) -> Iterator[Any]:
    """Yield the members of a union type, without None and without importing models by their words.

    A union by a word, such as the entries of a list of evaluators, is one member; `selected` returns
    the model that the word selects.

    Args:
        annotation: the type.
        node: the value; of a union that chooses by the value, only the member that it chooses is yielded.
    """
    if _union_by_word(annotation) is not None:
        yield annotation
    elif get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        inner = next((mark.type for mark in metadata if isinstance(mark, ReadAs)), inner)
        chosen = _chosen(inner, metadata, node)
        yield from members_of(inner if chosen is None else chosen, node)
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from members_of(part, node)
    elif annotation is not None and annotation is not type(None):
        yield annotation


def _chosen(union: Any, metadata: list[Any], node: Node | None) -> Any:
    """Return the member of a union that a mapping or a list chooses; None if nothing chooses."""
    if not isinstance(node, Mapping | Sequence):
        return None
    choose = next(
        (mark.discriminator for mark in metadata if isinstance(mark, Discriminator)), None
    )
    if not callable(choose):
        return None
    chosen = Tag(str(choose(_outline(node))))
    return next((part for part in get_args(union) if chosen in get_args(part)[1:]), None)


def _outline(node: Node, depth: int = 3) -> Any:
    """Return a value without what lies deep in it, or far behind in a list: enough to tell its form."""
    if isinstance(node, Scalar):
        return plain(node)
    if isinstance(node, Sequence):
        return [_outline(item, depth - 1) for item in node.items[:depth]] if depth else []
    return {key: _outline(entry.value, depth - 1) for key, entry in node} if depth else {}


def _union_by_word(annotation: Any) -> SelectedModel | None:
    parts = get_args(annotation) if get_origin(annotation) is Annotated else ()
    return next((part for part in parts if isinstance(part, SelectedModel)), None)


def _hashable(annotation: Any) -> Any:
    return annotation if isinstance(annotation, type) else None


_KINDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "`true` or `false`",
    list: "a list",
    dict: "a mapping",
}


def expected(annotation: Any) -> str:
    """Return the values of a type as text: `text, a list or a mapping`."""
    names: list[str] = []
    options = list(alternatives(annotation))
    if {str, float, bool} <= set(map(_hashable, options)):
        # Text that is only shown: a number is taken for one, but nobody means to write a number.
        options = [option for option in options if option not in (float, bool)]
    for alternative in options:
        origin = get_origin(alternative) or alternative
        if origin is Literal:
            names += [f"`{word}`" for word in get_args(alternative)]
        elif isinstance(origin, type) and issubclass(origin, BaseModel):
            names.append("a mapping")
        elif isinstance(origin, type) and issubclass(origin, Enum):
            names += [f"`{word.value}`" for word in origin]
        else:
            names.append(_KINDS.get(origin, "any value"))
    names = list(dict.fromkeys(names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _fields(here: list[Any], node: Node | None, name: str) -> Iterator[Field]:
    for model in selected(here, node):
        for own, info in model.model_fields.items():
            if (info.alias or own) == name:
                yield Field(name, info, model)


def selected(here: list[Any], node: Node | None) -> list[type[BaseModel]]:
    """Return the models among types, only the one that a mapping's `type` names if it does."""
    models = [it for it in here if isinstance(it, type) and issubclass(it, BaseModel)]
    for union in filter(None, map(_union_by_word, here)):
        value = node.get(union.key) if isinstance(node, Mapping) else None
        model = union.model(value.text) if isinstance(value, Scalar) else None
        models += union.models() if model is None else [model]
    if len(models) < 2 or not isinstance(node, Mapping):
        return models
    for key in ("type", "provider"):
        value = node.get(key)
        if isinstance(value, Scalar):
            chosen = [
                model
                for model in models
                if key in model.model_fields
                and value.text in _words(model.model_fields[key].annotation)
            ]
            if chosen:
                return chosen
    return models


def _words(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()
