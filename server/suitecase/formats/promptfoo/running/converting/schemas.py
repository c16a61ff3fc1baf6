"""Finds JSON Schemas that Ajv and the validator of suites may read differently."""

from __future__ import annotations

from typing import Any, Final

_ANY: Final = frozenset(
    {
        *("type", "enum", "const", "title", "description", "default", "examples", "required"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties"),
    }
)
_OF_SCHEMA: Final = frozenset({"additionalProperties", "items", "contains", "not", "propertyNames"})
_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf"})


def unsure_in(schema: Any) -> str | None:
    """Return why a schema may mean something else in one of them; None if it means the same."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return "a part of it is not a schema"
    for key, value in schema.items():
        if key in _ANY:
            continue
        if key in _OF_SCHEMA:
            parts = [value]
        elif key in _OF_SCHEMAS and isinstance(value, list):
            parts = value
        elif key == "properties" and isinstance(value, dict):
            parts = list(value.values())
        else:
            return f"`{key}`"
        reason = next((it for it in map(unsure_in, parts) if it is not None), None)
        if reason is not None:
            return reason
    return None
