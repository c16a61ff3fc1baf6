"""JSON Schemas as Anthropic's interface takes them, which refuses what it cannot hold a model to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: What is refused, and how it is told to the model instead.
_TOLD = {
    "minItems": "minimum number of items: {}",
    "maxItems": "maximum number of items: {}",
    "uniqueItems": "all array items must be unique",
    "contains": "array must contain an item matching: {}",
    "minContains": "minimum number of matching items: {}",
    "maxContains": "maximum number of matching items: {}",
    "prefixItems": "leading items must match, in order: {}",
    "minimum": "minimum value: {}",
    "maximum": "maximum value: {}",
    "exclusiveMinimum": "exclusive minimum value: {}",
    "exclusiveMaximum": "exclusive maximum value: {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "minimum length: {}",
    "maxLength": "maximum length: {}",
    "minProperties": "minimum number of properties: {}",
    "maxProperties": "maximum number of properties: {}",
    "patternProperties": "properties whose names match each pattern must satisfy: {}",
    "propertyNames": "property names must satisfy: {}",
    "dependentRequired": "dependent required properties: {}",
    "dependentSchemas": "dependent schemas: {}",
    "unevaluatedProperties": "unevaluated properties must satisfy: {}",
    "if": "conditional (if): {}",
    "then": "conditional (then): {}",
    "else": "conditional (else): {}",
    "not": "must not match: {}",
}


def has_references(schema: object) -> bool:
    """Whether a schema refers to another part of itself, which the interface does not follow."""
    match schema:
        case Mapping():
            return "$ref" in schema or any(map(has_references, schema.values()))
        case list():
            return any(map(has_references, schema))
        case _:
            return False


def as_taken(schema: Any) -> Any:
    """Return a schema with what the interface takes; descriptions tell the rest."""
    if not isinstance(schema, Mapping):
        return schema
    told = [
        words.format(
            json.dumps(schema[name]) if isinstance(schema[name], dict | list) else schema[name]
        )
        for name, words in _TOLD.items()
        if name in schema and schema[name] is not False
    ]
    taken: dict[str, Any] = {}
    if told:
        note = f"Note: {', '.join(told)}."
        described = schema.get("description")
        taken["description"] = f"{described} {note}" if described else note
    for name, value in schema.items():
        if name in _TOLD or (name == "description" and told):
            continue
        if name == "properties" and isinstance(value, Mapping):
            taken[name] = {key: as_taken(it) for key, it in value.items()}
        elif name in ("anyOf", "oneOf") and isinstance(value, list):
            taken["anyOf"] = [*taken.get("anyOf", ()), *map(as_taken, value)]
        elif name == "allOf" and isinstance(value, list):
            taken[name] = [as_taken(it) for it in value]
        else:
            taken[name] = as_taken(value) if name == "items" else value
    if taken.get("type") == "object":
        taken["additionalProperties"] = False
    return taken
