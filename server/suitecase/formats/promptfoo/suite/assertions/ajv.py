"""What keeps promptfoo's validator, Ajv with draft 7 in strict mode, from using a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from suitecase.near_names import nearest
from suitecase_evaluators.schema.checking import schema_problems
from suitecase_evaluators.schema.walk import subschemas

Path = tuple[str | int, ...]

DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"
_KEYWORDS: Final = frozenset((
    "$async", "$comment", "$defs", "$id", "$ref", "$schema", "$vocabulary", "additionalItems",
    "additionalProperties", "allOf", "anyOf", "const", "contains", "contentEncoding",
    "contentMediaType", "contentSchema", "default", "definitions", "dependencies", "deprecated",
    "description", "else", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format",
    "formatExclusiveMaximum", "formatExclusiveMinimum", "formatMaximum", "formatMinimum", "if",
    "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
    "patternProperties", "properties", "propertyNames", "readOnly", "required", "then", "title",
    "type", "uniqueItems", "writeOnly",
))  # fmt: skip
_FORMATS: Final = frozenset((
    "binary", "byte", "date", "date-time", "double", "duration", "email", "float", "hostname",
    "int32", "int64", "ipv4", "ipv6", "iso-date-time", "iso-time", "json-pointer",
    "json-pointer-uri-fragment", "password", "regex", "relative-json-pointer", "time", "uri",
    "uri-reference", "uri-template", "url", "uuid",
))  # fmt: skip
#: Keywords of later drafts, and of OpenAPI.
_INSTEAD: Final[Mapping[str, str]] = {
    "dependentRequired": "in draft 7 it is `dependencies`",
    "dependentSchemas": "in draft 7 it is `dependencies`",
    "discriminator": "it belongs to OpenAPI",
    "example": "draft 7 has `examples`, a list",
    "prefixItems": "in draft 7 a list of schemas stands under `items`",
    "unevaluatedItems": "it belongs to a later draft",
    "unevaluatedProperties": "it belongs to a later draft",
    "id": "in draft 7 it is `$id`",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a schema is refused.

    Attributes:
        message: what is wrong, for people.
        path: the keys and indexes that lead to it.
        on_key: whether it is about the last key of the path, not about its value.
        meant: the word that most likely belongs there.
    """

    message: str
    path: Path
    on_key: bool = False
    meant: str | None = None


def refusals(schema: Any) -> Iterator[Refusal]:
    """Yield why a schema is refused; nothing for one with references, which are resolved elsewhere.

    Args:
        schema: the schema, as plain values.
    """
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return _found_in(schema)
    return iter(_refusals_of(text))


@lru_cache(maxsize=256)
def _refusals_of(text: str) -> tuple[Refusal, ...]:
    """Return why a schema in JSON is refused; many tests may have the same one."""
    return tuple(_found_in(json.loads(text)))


def _found_in(schema: Any) -> Iterator[Refusal]:
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            yield Refusal("a schema must be a mapping", ())
        return
    parts = [(path, it) for path, it in subschemas(schema) if isinstance(it, dict)]
    if any("$ref" in it for _, it in parts):
        return
    named = schema.get("$schema")
    if named is not None and str(named).removesuffix("#") != DRAFT_7.removesuffix("#"):
        yield Refusal(f"promptfoo only knows draft 7, `{DRAFT_7}`", ("$schema",))
    for problem in schema_problems({**schema, "$schema": DRAFT_7}):
        meant = nearest(_word(schema, problem.path), problem.words) if problem.words else None
        yield Refusal(problem.message, problem.path, problem.on_key, meant)
    for path, part in parts:
        yield from _in_strict_mode(path, part)


def _word(schema: Any, path: Path) -> str:
    for step in path:
        try:
            schema = schema[step]
        except (LookupError, TypeError):
            return ""
    return str(schema)


def _in_strict_mode(path: Path, part: dict[str, Any]) -> Iterator[Refusal]:
    for key in part:
        if key not in _KEYWORDS:
            meant = nearest(key, _KEYWORDS - part.keys())
            hint = _INSTEAD.get(key) or (f"did you mean `{meant}`?" if meant else "")
            message = f"`{key}` is not a keyword of draft 7, so that promptfoo refuses the schema"
            message += f"; {hint}" if hint else ""
            yield Refusal(message, (*path, key), True, None if key in _INSTEAD else meant)
    shape = part.get("format")
    if isinstance(shape, str) and shape not in _FORMATS:
        meant = nearest(shape, _FORMATS)
        message = f"promptfoo does not know the format `{shape}`, and refuses the schema"
        message += f"; did you mean `{meant}`?" if meant else ""
        yield Refusal(message, (*path, "format"), False, meant)
    if "if" in part and not part.keys() & {"then", "else"}:
        yield Refusal("`if` needs `then` or `else`", (*path, "if"), True)
    for key in ("then", "else"):
        if key in part and "if" not in part:
            yield Refusal(f"`{key}` needs `if`", (*path, key), True)
    if "additionalItems" in part and not isinstance(part.get("items"), list):
        yield Refusal(
            "`additionalItems` needs a list under `items`", (*path, "additionalItems"), True
        )
    if "nullable" in part and "type" not in part:
        yield Refusal("`nullable` needs `type`", (*path, "nullable"), True)
