"""The references of a schema: which lead nowhere, or back to themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.schema.drafts import local_registry
from suitecase_evaluators.schema.errors import SchemaProblem

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from referencing import Resource

#: Keywords whose schemas are applied to the same value as the schema they stand in.
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


def unresolved(schema: Any, kind: type[Validator]) -> Iterator[SchemaProblem]:
    """Yield the references that lead nowhere, and those that lead back without an end."""
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    def walk(resource: Resource[Any], resolver: Any) -> Iterator[SchemaProblem]:
        if not isinstance(resource.contents, dict):
            return
        for keyword in ("$ref", "$dynamicRef"):
            reference = resource.contents.get(keyword)
            if isinstance(reference, str):
                where = (*(_path_to(resource.contents, schema) or ()), keyword)
                try:
                    resolver.lookup(reference)
                except Unresolvable:
                    yield SchemaProblem(not_fetched(reference), where)
                    continue
                if _leads_back(resource.contents, resolver):
                    yield SchemaProblem(
                        f"`{reference}` leads back to itself, so validating by it would never end",
                        where,
                    )
        for part in resource.subresources():
            yield from walk(part, resolver.in_subresource(part))

    dialect = kind.META_SCHEMA["$schema"]
    root = specification_with(dialect).create_resource(schema)
    yield from walk(root, local_registry().resolver_with_root(root))


def _leads_back(start: Any, resolver: Any) -> bool:
    """Whether a schema is applied to a value as a part of being applied to that same value."""
    from referencing.exceptions import Unresolvable

    waiting: list[tuple[Any, Any]] = [(start, resolver)]
    seen: set[int] = set()
    while waiting:
        schema, at = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            if schema is start:
                return True
            continue
        seen.add(id(schema))
        for keyword in _IN_PLACE:
            inner = schema.get(keyword)
            waiting += [(it, at) for it in (inner if isinstance(inner, list) else [inner])]
        reference = schema.get("$ref")
        if isinstance(reference, str):
            try:
                found = at.lookup(reference)
            except Unresolvable:
                continue  # found as such
            waiting.append((found.contents, found.resolver))
    return False


def _path_to(node: Any, within: Any) -> tuple[str | int, ...] | None:
    if node is within:
        return ()
    parts: Any = ()
    if isinstance(within, dict):
        parts = within.items()
    elif isinstance(within, list):
        parts = enumerate(within)
    for key, part in parts:
        rest = _path_to(node, part)
        if rest is not None:
            return (key, *rest)
    return None


def not_fetched(reference: str) -> str:
    """Say that a reference leads nowhere."""
    return (
        f"`{reference}` leads to nothing within the schema, and schemas are never fetched: write "
        "what it stands for under `$defs`, and refer to that"
    )
