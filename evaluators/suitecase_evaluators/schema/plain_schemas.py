"""Schemas that are certainly valid, which is seen without the library: importing it takes longer than most checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from suitecase_evaluators.schema.keywords import TYPES

#: Deeper ones are left to the library.
_DEEPEST: Final = 50


def is_plain_and_valid(schema: Any) -> bool:
    """Whether a schema of the default draft has common keywords only, each with a value that it may have.

    What is not certain is False: references, names of schemas, drafts, and unknown keywords. Patterns
    have to be looked at besides.

    Args:
        schema: a JSON value.
    """
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict) or depth > _DEEPEST:
            return False
        for name, value in part.items():
            is_fine = _VALUES.get(name)
            if is_fine is not None:
                if not is_fine(value):
                    return False
            elif name in _ONE:
                waiting.append((value, depth + 1))
            elif name in _LISTED and isinstance(value, list) and value:
                waiting += [(it, depth + 1) for it in value]
            elif name in _NAMED and isinstance(value, dict):
                waiting += [(it, depth + 1) for it in value.values()]
            else:
                return False
    return True


#: Keywords that hold a schema, a list of schemas, or schemas by name.
_ONE: Final = frozenset({
    "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
})  # fmt: skip
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset({"properties", "patternProperties"})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_anything(_value: Any) -> bool:
    return True


def _are_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(it, str) for it in value)
        and len(set(value)) == len(value)
    )


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _are_names(value) and all(it in TYPES for it in value)
    return isinstance(value, str) and value in TYPES


_VALUES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "type": _is_type,
    "required": _are_names,
    "enum": _is_list,
    "const": _is_anything,
    "default": _is_anything,
    "examples": _is_list,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "uniqueItems": _is_flag,
    **dict.fromkeys(("title", "description", "$comment", "format", "pattern"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        (
            *("minLength", "maxLength", "minItems", "maxItems"),
            *("minProperties", "maxProperties", "minContains", "maxContains"),
        ),
        _is_count,
    ),
}
