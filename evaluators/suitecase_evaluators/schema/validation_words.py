"""What a validation found, in words for people: pydantic's own are about Python, not about a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args

_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    "none_required": "must be left empty",
    "finite_number": "must be a finite number",
    "union_tag_not_found": "has no type",
    "union_tag_invalid": "has an unknown type",
    "json_invalid": "is not JSON",
    "invalid_key": "has a key that is not text",
    "string_not_ascii": "may contain only ASCII characters",
    "recursion_loop": "contains itself",
}
#: By the start of pydantic's type, in this order.
_KINDS = (
    ("string", "must be text"),
    ("bytes", "must be text"),
    ("int", "must be a whole number"),
    ("float", "must be a number"),
    ("decimal", "must be a number"),
    ("bool", "must be `true` or `false`"),
    (("list", "tuple", "set", "frozen_set", "deque", "iterable"), "must be a list"),
    (("dict", "mapping", "model", "dataclass", "arguments", "ordered_dict"), "must be a mapping"),
    (("datetime", "timezone"), "must be a date and a time"),
    ("time_delta", "must be a duration"),
    ("date", "must be a date"),
    ("time", "must be a time"),
    ("url", "must be an address"),
    ("uuid", "must be a UUID"),
)
#: The kinds of what a validator raised.
_RAISED = ("value_error", "assertion_error")
_OTHER = "does not have the required format"


def in_words(kind: str, message: str, context: Mapping[str, Any]) -> str:
    """Return the problem of a value, to follow its name in a message.

    Args:
        kind: pydantic's type of the error. One that is not pydantic's own is a validator's, whose
            message was written for people and stands alone.
        message: pydantic's message.
        context: what pydantic says beside: the bound, the words allowed.
    """
    if kind in _RAISED:
        # What a validator raised, without pydantic's word for it in front.
        return str(context.get("error", message))
    if not is_of_pydantic(kind):
        return message
    if kind in _WORDS:
        return _WORDS[kind]
    return _bound(kind, context) or next(
        (words for start, words in _KINDS if kind.startswith(start)), _OTHER
    )


def named_problem(name: str, error: Mapping[str, Any]) -> str:
    """Return the problem of a value with its name in front.

    Args:
        name: what the value is called.
        error: the error, as pydantic lists it.
    """
    kind: str = error["type"]
    words = in_words(kind, error["msg"], error.get("ctx", {}))
    stands_alone = kind in _RAISED or not is_of_pydantic(kind)
    return f"{name}: {words}" if stands_alone else f"{name} {words}"


def is_of_pydantic(kind: str) -> bool:
    """Whether an error is of a type that pydantic has, and was not named by a validator."""
    return kind in _types()


@cache
def _types() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset(get_args(ErrorType))


def _bound(kind: str, context: Mapping[str, Any]) -> str | None:
    match kind, context:
        case "greater_than", {"gt": bound}:
            return f"must be more than {_number(bound)}"
        case "greater_than_equal", {"ge": bound}:
            return f"must be {_number(bound)} or more"
        case "less_than", {"lt": bound}:
            return f"must be less than {_number(bound)}"
        case "less_than_equal", {"le": bound}:
            return f"must be {_number(bound)} or less"
        case "multiple_of", {"multiple_of": bound}:
            return f"must be a multiple of {bound}"
        case "string_too_short", {"min_length": 1}:
            return "is empty"
        case "string_too_short" | "bytes_too_short", {"min_length": bound}:
            return f"must have at least {bound} characters"
        case "string_too_long" | "bytes_too_long", {"max_length": bound}:
            return f"must have at most {bound} characters"
        case "too_short", {"min_length": 1}:
            return "must have at least 1 item"
        case "too_short", {"min_length": bound}:
            return f"must have at least {bound} items"
        case "too_long", {"max_length": bound}:
            return f"must have at most {bound} items"
        case "literal_error" | "enum", {"expected": expected}:
            return "must be " + str(expected).replace("'", "`")
        case "string_pattern_mismatch", _:
            return "does not have the required format"
        case _:
            return None


def _number(bound: Any) -> Any:
    """Return a bound as people write it: bounds of numbers that may have a fraction are floats."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
