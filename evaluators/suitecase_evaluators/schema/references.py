"""The references of a schema: which lead nowhere, or back to themselves."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from suitecase_evaluators.schema.drafts import draft_of, local_registry
from suitecase_evaluators.schema.errors import SchemaProblem

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Specification

    from suitecase_evaluators.schema.keywords import Holds
    from suitecase_evaluators.schema.walk import Path


#: Keywords whose schemas are applied to the same value as the schema they stand in.
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
#: Keywords that name the schema they stand in, so that references can lead there.
_NAMING = ("$id", "id", "$anchor", "$dynamicAnchor")
#: A value that each kind of keyword may have, by what it holds.
_SAMPLES: Mapping[Holds, Any] = {
    "schema": {},
    "schemas": [{}],
    "schemas by name": {"": {}},
    "schema or schemas": {},
}


def unresolved(
    schema: Any, kind: type[Validator] | None, wrong: Collection[Path]
) -> Iterator[SchemaProblem]:
    """Yield the references that lead nowhere, and those that lead back without an end.

    Args:
        schema: the schema, in which other things may be wrong too. It is changed.
        kind: the validator of its draft. None for an unknown draft, of which only references such
            as `#/$defs/name` are judged: they mean the same in all.
        wrong: the paths to what else is wrong. A reference that ends at one of them is not found
            too: it may be right, once the other is.
    """
    places = _places(schema)
    specification = _lenient(kind)
    resolver = local_registry().resolver_with_root(specification.create_resource(schema))
    parts = list(_parts(schema, resolver, specification))
    endless = on_circles(parts, lambda it: id(it[0]), _applied_with)
    for part, at in parts:
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.get(keyword)
            if not isinstance(reference, str) or id(part) not in places:
                continue
            if kind is None and not reference.startswith("#/"):
                continue
            where = (*places[id(part)], keyword)
            if _resolved(reference, at) is None:
                start, path, left = _steps(reference, at)
                if not left or (*places.get(id(start), ()), *path) not in wrong:
                    yield SchemaProblem(not_fetched(reference), where)
            elif id(part) in endless:
                message = "refers to itself, so validation would never end"
                yield SchemaProblem(f"`{reference}` {message}", where)


def address_problem(address: str) -> str | None:
    """Return why a text is not an address that references could start from or lead to, or None."""
    try:
        urlsplit(address)
    except ValueError as error:
        return str(error)
    return None


def not_fetched(reference: str) -> str:
    """Say that a reference leads nowhere."""
    return (
        f"`{reference}` refers to nothing within the schema, and schemas are never fetched: copy "
        f"the target to `$defs`, and refer to that"
    )


def _places(schema: Any) -> dict[int, Path]:
    """Return the path to each mapping and list of a schema, by its identity.

    `$schema` is taken away on the way, since the library would look for another draft by it.
    """
    places: dict[int, Path] = {}
    waiting: list[tuple[Path, Any]] = [((), schema)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, dict):
            if not isinstance(part.get("$schema"), dict | list):
                part.pop("$schema", None)
            waiting += [((*path, key), it) for key, it in part.items()]
        elif isinstance(part, list):
            waiting += [((*path, index), it) for index, it in enumerate(part)]
        else:
            continue
        places[id(part)] = path
    return places


def _parts(
    schema: Any, resolver: Any, specification: Specification[Any]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield each schema in a schema with what resolves its references, the outer ones first.

    Those that only references lead to, since no keyword holds a schema there, come last.
    """
    waiting = deque([(schema, resolver)])
    referred: deque[tuple[Any, Any]] = deque()
    seen: set[int] = set()
    while waiting or referred:
        part, at = (waiting or referred).popleft()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part, at
        for subresource in specification.subresources_of(part):
            waiting.append(
                (subresource, at.in_subresource(specification.create_resource(subresource)))
            )
        found = _resolved(part.get("$ref"), at)
        if found is not None:
            referred.append((found.contents, found.resolver))


@cache
def _lenient(kind: type[Validator] | None) -> Specification[Any]:
    """Return how references work in a draft, for schemas whose keywords may have any value.

    Where a keyword has a value of another shape, every mapping in it is taken for a schema: most
    likely that is what it is meant to be.
    """
    from referencing import Specification
    from referencing.jsonschema import DRAFT7, specification_with

    from suitecase_evaluators.schema.keywords import KEYWORDS

    stock: Specification[Any] = (
        DRAFT7 if kind is None else specification_with(kind.META_SCHEMA["$schema"])
    )
    draft = 7 if kind is None else draft_of(kind.META_SCHEMA)
    naming = [it for it in _NAMING if KEYWORDS[it].holds_in(draft)]
    holding: dict[str, Holds] = {
        name: keyword.holds
        for name, keyword in KEYWORDS.items()
        if keyword.holds != "values"
        and (
            kind is None
            or any(True for _ in stock.subresources_of({name: _SAMPLES[keyword.holds]}))
        )
    }

    def subresources_of(schema: Any) -> Iterator[Any]:
        if isinstance(schema, dict):
            for name, holds in holding.items():
                yield from _schemas_under(schema.get(name), holds)

    def is_named(schema: Any) -> bool:
        return isinstance(schema, dict) and all(_is_name(schema.get(it, "")) for it in naming)

    specification: Specification[Any] = cast(
        "Any", Specification
    )(  # whose arguments mypy does not see
        name=stock.name,
        id_of=lambda schema: stock.id_of(schema) if is_named(schema) else None,
        subresources_of=subresources_of,
        anchors_in=lambda _, schema: stock.anchors_in(schema) if is_named(schema) else (),
        maybe_in_subresource=stock.maybe_in_subresource,
    )
    return specification


def _schemas_under(under: Any, holds: Holds) -> Iterator[Any]:
    if isinstance(under, dict):
        under = under.values() if holds == "schemas by name" else [under]
    elif not isinstance(under, list):
        return
    yield from (it for it in under if isinstance(it, dict) and "$schema" not in it)


def _is_name(reference: Any) -> bool:
    return isinstance(reference, str) and address_problem(reference) is None


def _resolved(reference: Any, resolver: Any) -> Any:
    """Return what a reference leads to, and what resolves references there; None for nothing."""
    from referencing.exceptions import Unresolvable

    if not isinstance(reference, str) or _steps(reference, resolver)[2]:
        return None
    try:
        return resolver.lookup(reference)
    except (Unresolvable, ValueError):  # the latter where it is not an address
        return None


def _steps(reference: str, resolver: Any) -> tuple[Any, Path, int]:
    """Follow the pointer of a reference, if it has one.

    The library would go on into texts, and count back from the end of a list.

    Returns:
        Where it starts, the path from there as far as it leads, and how many steps are left.
    """
    from referencing.exceptions import Unresolvable

    from suitecase_evaluators.schema.walk import followed

    address, _, fragment = reference.partition("#")
    if not fragment.startswith("/"):
        return None, (), 0
    try:
        start = resolver.lookup(f"{address}#").contents
    except (Unresolvable, ValueError):
        return None, (), 0
    path, _, left = followed(start, fragment)
    return start, path, left


def _applied_with(part: tuple[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas that are applied to a value as a part of applying one to it."""
    schema, at = part
    for keyword in _IN_PLACE:
        inner = schema.get(keyword)
        for subschema in inner if isinstance(inner, list) else [inner]:
            if isinstance(subschema, dict):
                yield subschema, at
    found = _resolved(schema.get("$ref"), at)
    if found is not None and isinstance(found.contents, dict):
        yield found.contents, found.resolver


T = TypeVar("T")


def on_circles(
    starts: Iterable[T], key: Callable[[T], int], after: Callable[[T], Iterable[T]]
) -> set[int]:
    """Return the keys of all that leads back to itself, of some things and what they lead to.

    Args:
        starts: where to begin.
        key: tells one thing from another.
        after: returns what a thing leads to.
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    unfinished: list[int] = []
    is_unfinished: set[int] = set()
    found: set[int] = set()
    way: list[tuple[int, Iterator[T]]] = []

    def enter(vertex: T) -> None:
        name = key(vertex)
        order[name] = lowest[name] = len(order)
        unfinished.append(name)
        is_unfinished.add(name)
        way.append((name, iter(after(vertex))))

    for start in starts:
        if key(start) not in order:
            enter(start)
        while way:
            here, following = way[-1]
            neighbour = next(following, None)
            if neighbour is not None:
                there = key(neighbour)
                if there not in order:
                    enter(neighbour)
                elif there in is_unfinished:
                    lowest[here] = min(lowest[here], order[there])
                    if there == here:
                        found.add(here)
                continue
            way.pop()
            if way:
                before = way[-1][0]
                lowest[before] = min(lowest[before], lowest[here])
            if lowest[here] == order[here]:
                circle = {unfinished.pop()}
                while here not in circle:
                    circle.add(unfinished.pop())
                is_unfinished -= circle
                if len(circle) > 1:
                    found |= circle
    return found
