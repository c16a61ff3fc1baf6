"""The texts of a tree, each with what the models say of it: one walk, which index, colors and hovers read."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, Tag

from suitecase.schema.key_roles import KeyRole, ReadAs, Role, Under, is_filled
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole

Path = tuple[str | int, ...]


class KeyText(NamedTuple):
    """A text of a tree: a value, an item of a list, or a key that has a role.

    Attributes:
        shape: what it is.
        node: the text.
        holder: the mapping around it; None where there is none.
        entry: the entry of that mapping that it is, or is in.
        keys: what the keys of the mapping around it are.
    """

    shape: KeyShape
    node: Scalar
    holder: Mapping | None
    entry: Entry | None
    keys: _Branch | None

    @property
    def roles(self) -> tuple[Role, ...]:
        """What it is; nothing where the models say nothing."""
        return self.shape.roles

    @property
    def is_filled(self) -> bool:
        """Whether variables are filled into it."""
        return self.shape.is_filled

    @property
    def is_merged(self) -> bool:
        """Whether it is a key that comes from a merge key, and stands elsewhere."""
        return self.entry is not None and self.entry.merged

    def has_beside(self, key: str) -> bool:
        """Whether the mapping around it has a key."""
        return self.holder is not None and key in self.holder

    def beside(self, role: Role) -> Node | None:
        """Return the value with a role in the mapping around it."""
        if self.holder is None or self.keys is None:
            return None
        key = self.keys.key_with(role)
        return self.holder.get(key) if key is not None else None


def key_texts(annotation: Any, node: Node) -> list[KeyText]:
    """Return the texts of a value, in their order, without those of merge keys.

    Args:
        annotation: the type of the value, such as a model.
        node: the value.
    """
    found: list[KeyText] = []
    _collect(_shape_of(annotation), node, None, None, None, found)
    return found


@cache
def type_of_items(annotation: Any) -> Any:
    """Return the type of the items of a list, of a type that may be one."""
    pending = [annotation]
    while pending:
        part = pending.pop()
        if get_origin(part) is list:
            return get_args(part)[0]
        pending += [inner for inner in get_args(part) if get_origin(inner) is not None]
    return Any


def roles_at(annotation: Any, root: Node, path: Path, *, of_key: bool = False) -> tuple[Role, ...]:
    """Return the roles of the text at a path, whether or not there is one yet.

    Args:
        annotation: the type of the root.
        root: the tree.
        path: the keys and indices that lead to the text.
        of_key: whether the last key is meant, not its value.
    """
    shape, branch = _at(annotation, root, path)
    if not of_key:
        return shape.roles
    return branch.of_keys.roles if branch is not None and branch.of_keys is not None else ()


def key_beside(annotation: Any, root: Node, path: Path, role: Role) -> str | None:
    """Return the key with a role in the mapping that the last key of a path is in; None if it has none."""
    branch = _at(annotation, root, path)[1]
    return branch.key_with(role) if branch is not None else None


def is_named_key(annotation: Any, root: Node, path: Path) -> bool:
    """Whether the models name the last key of a path, and do not take it as one of any name."""
    branch = _at(annotation, root, path)[1]
    return branch is not None and path[-1] in branch.keys


def _at(annotation: Any, root: Node, path: Path) -> tuple[KeyShape, _Branch | None]:
    """Return what stands at a path, and what the keys of the mapping around it are."""
    shape, branch = _shape_of(annotation), None
    node: Node | None = root
    for step in path:
        if isinstance(step, int):
            shape, branch = shape.items or _NOTHING, None
            items = node.items if isinstance(node, Sequence) else []
            node = items[step] if step < len(items) else None
        else:
            branch = shape.branch(node)
            shape = branch.keys.get(step, branch.others)
            node = node.get(step) if isinstance(node, Mapping) else None
    return shape, branch


@cache
def roles_within(annotation: Any) -> frozenset[Role]:
    """Return all roles that the texts of a value may have.

    Args:
        annotation: the type of the value.
    """
    found: set[Role] = set()
    pending, seen = [_shape_of(annotation)], set[KeyShape]()
    while pending:
        shape = pending.pop()
        if shape in seen:
            continue
        seen.add(shape)
        found.update(shape.roles)
        branches = [make() for _, make in shape.mappings]
        pending += (inner for branch in branches for inner in branch.keys.values())
        pending += (branch.others for branch in branches)
        pending += (branch.of_keys for branch in branches if branch.of_keys is not None)
        pending += [shape.items] if shape.items is not None else []
    return frozenset(found)


@dataclass(slots=True, eq=False)
class _Branch:
    """What the keys and the values of a mapping are."""

    keys: dict[str, KeyShape]
    others: KeyShape
    of_keys: KeyShape | None = None
    _by_role: dict[Role, str | None] = field(default_factory=dict)

    def key_with(self, role: Role) -> str | None:
        """Return the key whose value has a role; None if none has."""
        if role not in self._by_role:
            found = (name for name, shape in self.keys.items() if role in shape.roles)
            self._by_role[role] = next(found, None)
        return self._by_role[role]


@dataclass(slots=True, eq=False)
class KeyShape:
    """What a text is at a place, and what is in a list or a mapping there."""

    roles: tuple[Role, ...] = ()
    items: KeyShape | None = None
    #: What a mapping may be, each with its tag where the annotation chooses by tags.
    mappings: list[tuple[str | None, Callable[[], _Branch]]] = field(default_factory=list)
    choose: Callable[[Any], Any] | None = None
    is_filled: bool = True

    def branch(self, node: Node | None) -> _Branch:
        """Return what a mapping here is; of several forms the one that the annotation chooses."""
        if not self.mappings:
            return _ANY_KEYS
        if len(self.mappings) > 1 and self.choose is not None and isinstance(node, Mapping):
            tag = self.choose(_forms(node))
            for own, make in self.mappings:
                if own == tag:
                    return make()
        return self.mappings[0][1]()


def _forms(node: Mapping) -> dict[str, Any]:
    """Return a mapping with the forms of its values, by which an annotation chooses."""
    return {name: _form(entry.value) for name, entry in node.entries.items()}


def _form(node: Node) -> Any:
    if isinstance(node, Scalar):
        is_null = not node.style and node.text in ("", "~", "null")
        return None if is_null else node.text
    return [] if isinstance(node, Sequence) else {}


#: Roles that all texts in a value have.
_DEEP = frozenset({FieldRole.AS_WRITTEN, FieldRole.PROMPT})
_NOTHING = KeyShape()
_ANY_KEYS = _Branch({}, _NOTHING)


def _collect(
    shape: KeyShape,
    node: Node,
    holder: Mapping | None,
    around: Entry | None,
    beside: _Branch | None,
    found: list[KeyText],
) -> None:
    if isinstance(node, Scalar):
        found.append(KeyText(shape, node, holder, around, beside))
    elif isinstance(node, Sequence):
        items = shape.items or _NOTHING
        for item in node.items:
            _collect(items, item, holder, around, beside, found)
    else:
        branch = shape.branch(node)
        keys, others, of_keys = branch.keys, branch.others, branch.of_keys
        for name, entry in node.entries.items():
            if of_keys is not None:
                found.append(KeyText(of_keys, entry.key, node, entry, branch))
            if not entry.merged:
                _collect(keys.get(name, others), entry.value, node, entry, branch, found)


@cache
def _shape_of(annotation: Any) -> KeyShape:
    return _shape(annotation, ())


def _shape(annotation: Any, around: tuple[Role, ...], under: Under | None = None) -> KeyShape:
    """Return what stands at a place of a type.

    Args:
        annotation: the type.
        around: the roles that what is around it gives it.
        under: what keys of any name are, if what is around it says that.
    """
    shape = KeyShape()
    _add(shape, annotation, around, under, None)
    shape.is_filled = is_filled(shape.roles)
    return shape


def _add(
    shape: KeyShape, annotation: Any, roles: tuple[Role, ...], under: Under | None, tag: str | None
) -> None:
    marks: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        marks = tuple(inner)
    roles = (*roles, *_roles_in(marks))
    for mark in marks:
        if isinstance(mark, Under):
            under = mark
        elif isinstance(mark, ReadAs):
            annotation = mark.type
        elif isinstance(mark, Tag):
            tag = mark.tag
        elif isinstance(mark, Discriminator) and callable(mark.discriminator):
            shape.choose = mark.discriminator
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        for part in get_args(annotation):
            if part is not type(None):
                _add(shape, part, roles, under, tag)
    elif origin is Annotated:
        _add(shape, annotation, roles, under, tag)
    elif origin is list:
        shape.items = _shape(get_args(annotation)[0], roles)
    elif origin is dict or annotation is Any:
        if annotation is Any:
            shape.roles = _joined(shape.roles, roles)
            shape.items = shape.items or _within(roles)
        of_key, of_value = get_args(annotation) or (str, Any)
        branch = _Branch(
            {name: _shape(Any, own) for name, own in under.keys.items()} if under else {},
            _NOTHING if under else _within(roles) if of_value is Any else _shape(of_value, roles),
            of_keys if (of_keys := _shape(of_key, ())).roles else None,
        )
        shape.mappings.append((tag, lambda: branch))
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        shape.mappings.append((tag, lambda: _of_model(annotation)))
    else:
        shape.roles = _joined(shape.roles, roles)


def _within(roles: tuple[Role, ...]) -> KeyShape:
    """Return what stands at a place of any type, of which only its roles are known."""
    deep = tuple(
        role
        for role in roles
        if (role in _DEEP if isinstance(role, FieldRole) else role.at_any_depth)
    )
    if deep == roles:
        shape = KeyShape(roles, is_filled=is_filled(roles))
        shape.items = shape
        branch = _Branch({}, shape)
    else:
        inner = _within(deep)
        shape, branch = KeyShape(roles, inner, is_filled=is_filled(roles)), _Branch({}, inner)
    shape.mappings.append((None, lambda: branch))
    return shape


@cache
def _of_model(model: type[BaseModel]) -> _Branch:
    keys: dict[str, KeyShape] = {}
    for name, info in model.model_fields.items():
        under = next((mark for mark in info.metadata if isinstance(mark, Under)), None)
        shape = _shape(info.annotation, tuple(_roles_in(info.metadata)), under)
        # Pydantic keeps what chooses apart from the type.
        choose = getattr(info.discriminator, "discriminator", None)
        if callable(choose):
            shape.choose = choose
        keys[info.alias or name] = shape
    return _Branch(keys, _NOTHING)


def _roles_in(marks: Iterable[Any]) -> tuple[Role, ...]:
    return tuple(mark for mark in marks if isinstance(mark, KeyRole | FieldRole))


def _joined(some: tuple[Role, ...], others: tuple[Role, ...]) -> tuple[Role, ...]:
    return tuple(dict.fromkeys((*some, *others)))
