"""Requesting replies that match a JSON Schema, as strictly as the model supports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

#: From the firmest to none; a model that refuses one is asked with the next.
Firmness = Literal["json_schema", "json_schema_without_limits", "json_object", "prompt"]

#: What some providers do not take in a schema: the limits of lengths, numbers and lists.
_LIMITS = frozenset(
    {
        "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems",
    }
)  # fmt: skip
#: Keywords whose values are no schemas, and those that have schemas by names of the user's own.
_VALUES = frozenset({"enum", "const", "default", "examples", "required"})
_BY_NAME = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})


def ladder(schema: Mapping[str, Any] | None) -> tuple[Firmness, ...]:
    """Return the response formats for a schema, the strictest first.

    Providers can be held to objects only; any other schema is left to the prompt.
    """
    if schema is None or schema.get("type", "object") != "object":
        return ("prompt",)
    if without_limits(schema) == schema:
        return ("json_schema", "json_object", "prompt")
    return ("json_schema", "json_schema_without_limits", "json_object", "prompt")


def without_limits(schema: Any) -> Any:
    """Return a schema without what only limits values; names of properties are no keywords."""
    match schema:
        case Mapping():
            return {
                key: value
                if key in _VALUES
                else {name: without_limits(subschema) for name, subschema in value.items()}
                if key in _BY_NAME and isinstance(value, Mapping)
                else without_limits(value)
                for key, value in schema.items()
                if key not in _LIMITS
            }
        case list() | tuple():
            return [without_limits(subschema) for subschema in schema]
        case _:
            return schema


def response_format(firmness: Firmness, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the parameter of that name; None where the prompt alone asks."""
    match firmness:
        case "json_schema" | "json_schema_without_limits":
            if firmness == "json_schema_without_limits":
                schema = without_limits(schema)
            json_schema = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
            return {"type": "json_schema", "json_schema": json_schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def is_strict(schema: object) -> bool:
    """Whether providers take a schema as a strict one.

    They do where each object in it is closed and requires all of its properties.
    """
    match schema:
        case Mapping():
            properties = schema.get("properties")
            if schema.get("type") == "object" or isinstance(properties, Mapping):
                names = set(properties) if isinstance(properties, Mapping) else set[Any]()
                if schema.get("additionalProperties") is not False:
                    return False
                if names != set(schema.get("required", ())):
                    return False
            return all(is_strict(it) for it in schema.values())
        case list() | tuple():
            return all(is_strict(it) for it in schema)
        case _:
            return True
