"""Why promptfoo's validator, Ajv with draft 7 in strict mode, refuses a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from suitecase_evaluators.schema.checking import schema_problems
from suitecase_evaluators.schema.patterns import matches, pattern_problem
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
#: Keywords that restrict no value.
_ANNOTATIONS: Final = frozenset((
    "$comment", "$defs", "default", "definitions", "deprecated", "description", "examples",
    "readOnly", "title", "writeOnly",
))  # fmt: skip
_FORMATS: Final = frozenset((
    "binary", "byte", "date", "date-time", "double", "duration", "email", "float", "hostname",
    "int32", "int64", "ipv4", "ipv6", "iso-date-time", "iso-time", "json-pointer",
    "json-pointer-uri-fragment", "password", "regex", "relative-json-pointer", "time", "uri",
    "uri-reference", "uri-template", "url", "uuid",
))  # fmt: skip
#: Hints for keywords of later drafts and of OpenAPI.
_HINTS: Final[Mapping[str, str]] = {
    "dependentRequired": "in draft 7 it is `dependencies`",
    "dependentSchemas": "in draft 7 it is `dependencies`",
    "discriminator": "it belongs to OpenAPI",
    "example": "draft 7 has `examples`, a list",
    "prefixItems": "draft 7 has a list of schemas under `items`",
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
        word: the unknown word in that place, if only certain words are allowed.
        words: the allowed words.
    """

    message: str
    path: Path
    on_key: bool = False
    word: str = ""
    words: tuple[str, ...] = ()


def has_references(schema: Any) -> bool:
    """Whether a schema refers to others, or to parts of itself."""
    return any(isinstance(it, dict) and "$ref" in it for _, it in subschemas(schema))


def refusals(schema: Any) -> Iterator[Refusal]:
    """Yield why a schema is refused."""
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return _refusals_of(schema)
    return iter(_refusals_of_json(text))


@lru_cache(maxsize=256)
def _refusals_of_json(text: str) -> tuple[Refusal, ...]:
    """Return why a schema in JSON is refused. It is cached, since many tests may have the same one."""
    return tuple(_refusals_of(json.loads(text)))


def _refusals_of(schema: Any) -> Iterator[Refusal]:
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            yield Refusal("a schema must be a mapping", ())
        return
    named = schema.get("$schema")
    if named is not None and str(named).removesuffix("#") != DRAFT_7.removesuffix("#"):
        yield Refusal(f"promptfoo only knows draft 7, `{DRAFT_7}`", ("$schema",))
    for problem in schema_problems({**schema, "$schema": DRAFT_7}):
        word = _word(schema, problem.path) if problem.words else ""
        yield Refusal(problem.message, problem.path, problem.on_key, word, tuple(problem.words))
    for path, part in subschemas(schema):
        if isinstance(part, dict):
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
            message = f"`{key}` is not a keyword of draft 7, so promptfoo refuses the schema"
            where = (*path, key)
            if key in _HINTS:
                yield Refusal(f"{message}; {_HINTS[key]}", where, True)
            else:
                yield Refusal(message, where, True, key, tuple(sorted(_KEYWORDS - part.keys())))
    shape = part.get("format")
    if isinstance(shape, str) and shape not in _FORMATS:
        message = f"promptfoo does not know the format `{shape}`, and refuses the schema"
        yield Refusal(message, (*path, "format"), False, shape, tuple(sorted(_FORMATS)))
    if "if" in part and not part.keys() & {"then", "else"}:
        yield Refusal("`if` needs `then` or `else`", (*path, "if"), True)
    for key in ("then", "else"):
        if key in part and "if" not in part:
            yield Refusal(f"`{key}` needs `if`", (*path, key), True)
    if "additionalItems" in part and not isinstance(part.get("items"), list):
        yield Refusal(
            "`additionalItems` needs a list under `items`", (*path, "additionalItems"), True
        )
    yield from _overlapping_patterns(path, part)
    if "nullable" in part and "type" not in part:
        yield Refusal("`nullable` needs `type`", (*path, "nullable"), True)


def _overlapping_patterns(path: Path, part: dict[str, Any]) -> Iterator[Refusal]:
    """Yield the patterns that match a name in `properties`, unless all of them are mere annotations."""
    named, by_pattern = part.get("properties"), part.get("patternProperties")
    if not isinstance(named, dict) or not isinstance(by_pattern, dict):
        return
    if all(
        it is True or (isinstance(it, dict) and it.keys() <= _ANNOTATIONS)
        for it in by_pattern.values()
    ):
        return
    for pattern in by_pattern:
        name = None
        if pattern_problem(pattern) is None:
            name = next((it for it in named if matches(pattern, it)), None)
        if name is not None:
            message = f"the pattern also matches `{name}` in `properties`, so promptfoo refuses the schema"
            yield Refusal(message, (*path, "patternProperties", pattern), True)
