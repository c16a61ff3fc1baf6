"""JSON that any parser reads and any terminal shows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from suitecase.encoders.terminal import Block
from suitecase.encoders.visible import escaped_in_json

#: Integers of more bits are infinite to most parsers, or an error.
_MOST_BITS = 1024
#: As many digits in a row may be such a number.
_MANY_DIGITS = re.compile(r"\d{309}")


def json_text(
    value: Any,
    indent: int | None = None,
    *,
    compact: bool = False,
    ascii_only: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> Block:
    """Return a value as JSON (RFC 8259).

    Numbers that JSON or its parsers cannot hold (NaN, infinite ones, integers of more than 1,024 bits)
    are `null`, as `JSON.stringify` writes them. Invisible characters in texts are escaped.

    Args:
        value: the value.
        indent: the number of blanks for each level; None for all on one line.
        compact: leave out blanks behind commas and colons.
        ascii_only: escape all characters that are not ASCII.
        default: converts a value that JSON does not have; None makes it an error.

    Raises:
        TypeError: JSON has no such value.
    """

    def written(it: Any) -> str:
        separators = (",", ":") if compact else None
        return json.dumps(
            it,
            indent=indent,
            separators=separators,
            ensure_ascii=ascii_only,
            allow_nan=False,
            default=default,
        )

    try:
        text = written(value)
    except ValueError:  # a number that is not finite, or has too many digits to be written
        text = written(finite(value))
    else:
        if _MANY_DIGITS.search(text):
            text = written(finite(value))
    return Block(escaped_in_json(text))


def finite(value: Any) -> Any:
    """Return a JSON value with None for each number that JSON cannot hold."""
    if isinstance(value, dict):
        return {_key(key): finite(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [finite(it) for it in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    return value


def _key(key: Any) -> Any:
    """Return a key as JSON has it, where it is a number that JSON cannot hold."""
    if isinstance(key, float) and not math.isfinite(key):
        return str(key)
    if isinstance(key, int) and key.bit_length() > _MOST_BITS:
        return hex(key)
    return key
