"""Strings and numbers as JavaScript handles them, if Python does it differently."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, Final, NoReturn

#: White space in JavaScript, as `\\s` matches it and `trim` removes it. In Python it differs.
WHITE_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_SPACES: Final = re.compile(f"[{WHITE_SPACE}]+")
_NUMERAL: Final = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?", re.ASCII)
_BASES: Final = {"0x": 16, "0o": 8, "0b": 2}
#: Above this, not every integer is a double.
_EXACT: Final = 2**53
_MOST_DIGITS: Final = 15


def trimmed(text: str) -> str:
    """Return a text without white space at its ends."""
    return text.strip(WHITE_SPACE)


def split_at_spaces(text: str) -> list[str]:
    """Split a text at white space; an empty one gives one empty part."""
    return _SPACES.split(trimmed(text))


def code_units(text: str) -> memoryview:
    """Return the UTF-16 code units of a text, which JavaScript counts as its length: an emoji has two."""
    return memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")


def as_double(number: float) -> float:
    """Return a number as JavaScript holds it: an integer that is too large is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def with_doubles(value: Any) -> Any:
    """Return a value of a suite with its numbers as JavaScript holds them."""
    match value:
        case bool() | str() | None:
            return value
        case int():
            held = as_double(value)
            # One that is infinite cannot be written in a schema; its readers make it so.
            return value if abs(value) <= _EXACT or math.isinf(held) else held
        case float():
            return float(value)  # without digits that a float does not hold
        case list() | tuple():
            return [with_doubles(item) for item in value]
        case dict():
            return {key: with_doubles(entry) for key, entry in value.items()}
    return value


def as_text(value: Any) -> str:
    """Return a value as JavaScript's `String` converts it."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _numeral(value)
        case list() | tuple():
            return ",".join("" if it is None else as_text(it) for it in value)
        case dict():
            return "[object Object]"
    return str(value)


def _numeral(number: float) -> str:
    if isinstance(number, int) and abs(number) < _EXACT:
        return str(number)
    number = as_double(number)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    if 1e-6 <= abs(number) < 1e21:
        text = format(Decimal(repr(number)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, exponent = repr(number).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def as_number(text: str) -> float | None:
    """Return the number to which JavaScript's `Number` converts a text; None for NaN."""
    text = trimmed(text)
    if not text:
        return 0
    base = _BASES.get(text[:2].lower())
    if base is not None:
        try:
            return (
                as_double(int(text[2:], base)) if re.fullmatch(r"[0-9a-fA-F]+", text[2:]) else None
            )
        except ValueError:
            return None
    if text in ("Infinity", "+Infinity", "-Infinity"):
        return float(text)
    return float(text) if _NUMERAL.fullmatch(text) else None


def parsed_json(text: str) -> Any:
    """Parse JSON as `JSON.parse` does: the last of equal keys counts, and any number is a double.

    Raises:
        ValueError: the text is not JSON.
        RecursionError: it is nested too deeply to be read.
    """
    return json.loads(text, parse_constant=_refuse, parse_int=_integer)


def _integer(text: str) -> float:
    return int(text) if len(text) <= _MOST_DIGITS else float(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def unicode_pattern_problem(pattern: str) -> str | None:
    """Return why `new RegExp(pattern, "u")` throws; None if it does not."""
    from regress import Regex, RegressError

    try:
        Regex(pattern, "u")
    except (RegressError, ValueError) as error:
        return str(error)
    return None
