"""What JavaScript knows by itself: white space, exact numbers, and the names that every object has."""

from __future__ import annotations

import math

#: White space, as the characters between the brackets of a regular expression.
BLANKS = " \t\n\v\f\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
#: The same characters, for `str.strip`.
STRIPPED = BLANKS.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
#: Integers up to this one are exact.
EXACT = 2**53
_OBJECT_WORDS = """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
    hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
"""
#: Names that every JavaScript object has; most of them are functions.
OBJECT_NAMES = frozenset(_OBJECT_WORDS.split())


def strip(text: str, *, start: bool = True, end: bool = True) -> str:
    """Return a string without the white space around it."""
    text = text.lstrip(STRIPPED) if start else text
    return text.rstrip(STRIPPED) if end else text


def narrowed(value: float) -> float:
    """Return a number as an int if that is exact."""
    if isinstance(value, int):
        return value if -EXACT <= value <= EXACT else _as_float(value)
    if abs(value) <= EXACT and value == int(value):
        # Minus zero stays a float.
        return int(value) if value or math.copysign(1, value) > 0 else value
    return value


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
