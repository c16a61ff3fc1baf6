"""JSON Schemas that reject every value, as far as that is certain without a solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.text.json_values import same_json, show_json

#: Keywords that hold a schema, a list of schemas, or a map of schemas.
_ONE = ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_BOUNDS = (
    ("minLength", "maxLength", "no text satisfies both"),
    ("minItems", "maxItems", "no list satisfies both"),
    ("minProperties", "maxProperties", "no object satisfies both"),
    ("minContains", "maxContains", "no list satisfies both"),
)
_TYPES = frozenset({"null", "boolean", "number", "integer", "string", "array", "object"})


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Why a part of a schema rejects every value, and the path of the part."""

    message: str
    path: tuple[str | int, ...]


def contradictions(schema: Any) -> Iterator[Contradiction]:
    """Yield the contradictions of a valid schema, in no particular order.

    Parts under `not` or in one of several alternatives are reported too: a part that rejects every
    value is a mistake anywhere. Only `false` is considered intended, except at the top level and for
    a required property.
    """
    if schema is False:
        yield Contradiction("it is `false`, which rejects every value", ())
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(schema, ())]
    while waiting:
        part, path = waiting.pop()
        if not isinstance(part, dict):
            continue
        for message, where in _in_one(part):
            yield Contradiction(message, (*path, *where))
        waiting += [(part[key], (*path, key)) for key in _ONE if isinstance(part.get(key), dict)]
        for key in _LISTS:
            if isinstance(part.get(key), list):
                waiting += [(it, (*path, key, index)) for index, it in enumerate(part[key])]
        for key in _MAPS:
            if isinstance(part.get(key), dict):
                waiting += [(it, (*path, key, name)) for name, it in part[key].items()]


def _in_one(schema: dict[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield the contradictions between the keywords of one schema."""
    if schema.get("enum") == []:
        yield "`enum` is empty", ("enum",)
    for low, high, why in _BOUNDS:
        least, most = _number(schema.get(low)), _number(schema.get(high))
        if least is not None and most is not None and least > most:
            yield f"`{low}` {least:g} is above `{high}` {most:g}; {why}", (low,)
    yield from _range(schema)
    yield from _required(schema)
    if "not" in schema and (schema["not"] is True or schema["not"] == {}):
        yield "`not` rejects every value", ("not",)
    types = _types(schema)
    if types is not None:
        yield from _values(schema, types)
    for index, part in enumerate(schema.get("allOf") or ()):
        others = _types(part) if isinstance(part, dict) else None
        if others is None:
            continue
        if types is not None and not _shared(types, others):
            why = f"it is {_named(types)}, and by `allOf` {_named(others)}; nothing is both"
            yield why, ("allOf", index, "type")
            return
        types = types or others


def _range(schema: dict[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    lows = [(key, _number(schema.get(key))) for key in ("minimum", "exclusiveMinimum")]
    highs = [(key, _number(schema.get(key))) for key in ("maximum", "exclusiveMaximum")]
    for low, least in lows:
        for high, most in highs:
            if least is None or most is None:
                continue
            open_ended = low == "exclusiveMinimum" or high == "exclusiveMaximum"
            if least > most or (least == most and open_ended):
                yield f"`{low}` {least:g} and `{high}` {most:g} allow no number", (low,)
                return


def _required(schema: dict[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    required = schema.get("required")
    if not isinstance(required, list):
        return
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
    for index, name in enumerate(required):
        if known.get(name) is False:
            yield f"`{name}` is required, but its schema is `false`", ("required", index)
        elif closed and name not in known:
            why = "`additionalProperties: false` forbids it, since it is not in `properties`"
            yield f"`{name}` is required, but {why}", ("required", index)
    most = _number(schema.get("maxProperties"))
    if most is not None and len(set(map(str, required))) > most:
        yield (
            f"{len(required)} properties are required, but at most {most:g} are allowed",
            ("required",),
        )


def _values(
    schema: dict[str, Any], types: frozenset[str]
) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    if "const" in schema and not _fits(schema["const"], types):
        yield f"`const` {show_json(schema['const'], 60)} is not {_named(types)}", ("const",)
    listed = schema.get("enum")
    if isinstance(listed, list) and listed:
        if not any(_fits(item, types) for item in listed):
            yield f"no value of `enum` is {_named(types)}", ("enum",)
        elif "const" in schema and not any(same_json(schema["const"], item) for item in listed):
            yield f"`const` {show_json(schema['const'], 60)} is not in `enum`", ("const",)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _types(schema: dict[str, Any]) -> frozenset[str] | None:
    value = schema.get("type")
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not _TYPES.issuperset(map(str, names)):
        return None
    return frozenset(names)


def _shared(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(_with_integers(one) & _with_integers(other))


def _with_integers(types: frozenset[str]) -> frozenset[str]:
    return types | {"integer"} if "number" in types else types


def _named(types: frozenset[str]) -> str:
    return " or ".join(f"`{kind}`" for kind in sorted(types))


def _fits(value: Any, types: frozenset[str]) -> bool:
    match value:
        case None:
            return "null" in types
        case bool():
            return "boolean" in types
        case int() | float():
            whole = isinstance(value, int) or value.is_integer()
            return "number" in types or ("integer" in types and whole)
        case str():
            return "string" in types
        case list():
            return "array" in types
        case _:
            return "object" in types
