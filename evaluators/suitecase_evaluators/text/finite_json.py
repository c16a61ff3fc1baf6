"""JSON without numbers that its parsers cannot read (RFC 8259, section 6)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from suitecase_evaluators.text.written_number import encoded

#: Integers of more bits are infinite to most parsers, or an error.
_MOST_BITS = 1024
#: As many digits in a row may be such a number.
_MANY_DIGITS = re.compile(r"\d{309}")


def finite_json(
    value: Any,
    *,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    ensure_ascii: bool = True,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Return a value as `json.dumps` writes it, with null for NaN, infinity and integers beyond them.

    So does `JSON.stringify`, and parsers of other languages refuse or change such numbers. Numbers
    with more digits than a float holds are as they were written.

    Raises:
        TypeError: JSON has no such value.
    """

    def written(it: Any) -> str:
        return json.dumps(
            it,
            indent=indent,
            separators=separators,
            ensure_ascii=ensure_ascii,
            allow_nan=False,
            default=default,
        )

    try:
        text = encoded(value, written)
    except ValueError:  # a number that is not finite, or has too many digits to be written
        return encoded(_finite(value), written)
    return encoded(_finite(value), written) if _MANY_DIGITS.search(text) else text


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {_key(key): _finite(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value if _is_finite(value) else None


def _key(key: Any) -> Any:
    """Return a key, as text if it is a number that JSON cannot hold."""
    if _is_finite(key):
        return key
    return str(key) if isinstance(key, float) else hex(key)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or value.bit_length() <= _MOST_BITS
