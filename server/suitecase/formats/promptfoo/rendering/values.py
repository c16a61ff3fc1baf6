"""The JavaScript values that templates compute with, and how JavaScript converts them.

Strings, numbers, booleans, lists and mappings are those of Python; `null` is None. Lists and
mappings are never changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.templates.javascript import EXACT, STRIPPED, narrowed

_NUMBER = re.compile(r"[-+]?(?:Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_WHOLE = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


class Undefined:
    """`undefined`, the value of names and members that do not exist."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


@dataclass(frozen=True, slots=True, eq=False)
class SafeString:
    """The result of the filters `safe` and `escape`, which is an object in JavaScript."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function that a template may call."""

    call: Callable[[list[Any]], Any]


def to_javascript(value: Any) -> Any:
    """Return a Python value as a JavaScript value."""
    try:
        return _to_javascript(value, {})
    except RecursionError:
        raise UnsupportedTemplateError("a value is nested too deeply") from None


def _to_javascript(value: Any, known: dict[int, Any]) -> Any:
    """Convert a value; a list or mapping that occurs several times is converted once."""
    match value:
        case None | str() | bool() | Undefined() | SafeString() | Function():
            return value
        case int():
            return narrowed(value)
        case float():
            return float(value)  # without digits that a float does not hold
        case Mapping():
            if id(value) not in known:
                entries = {_key(key): _to_javascript(it, known) for key, it in value.items()}
                known[id(value)] = in_key_order(entries)
            return known[id(value)]
        case list() | tuple():
            if id(value) not in known:
                known[id(value)] = [_to_javascript(it, known) for it in value]
            return known[id(value)]
        case _:
            kind = type(value).__name__
            raise UnsupportedTemplateError(f"a value of the type `{kind}` cannot be filled in")


def _key(key: Any) -> str:
    return key if isinstance(key, str) else to_string(to_javascript(key))


def in_key_order(value: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping in the key order of JavaScript: integers come first."""
    numbers = [it for it in value if _INDEX.fullmatch(it) and int(it) < 2**32 - 1]
    if not numbers:
        return value
    numbers.sort(key=int)
    return {**{number: value[number] for number in numbers}, **value}


def is_number(value: Any) -> bool:
    """Whether a value is a number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_true(value: Any) -> bool:
    """Whether a value is true in JavaScript, where empty lists and mappings are true."""
    if isinstance(value, list | dict | SafeString | Function):
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value) and not isinstance(value, Undefined)


def number_to_string(value: float) -> str:
    """Return a number as JavaScript converts it to a string."""
    if math.isnan(value):
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(float(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to this power.
    power = len(whole) + int(exponent or 0)
    power -= len(whole + fraction) - len(digits) if whole == "0" else 0
    digits = digits.rstrip("0")
    if len(digits) <= power <= 21:
        return sign + digits.ljust(power, "0")
    if 0 < power <= 21:
        return f"{sign}{digits[:power]}.{digits[power:]}"
    if -6 < power <= 0:
        return f"{sign}0.{'0' * -power}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power - 1)}"


def to_string(value: Any) -> str:
    """Return a value as JavaScript converts it to a string."""
    match value:
        case str():
            return value
        case SafeString():
            return value.text
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case Undefined():
            return "undefined"
        case int() | float():
            return number_to_string(value)
        case list():
            return join_strings(value, ",")
        case dict():
            # JavaScript would call the value of this key.
            if "toString" in value or "valueOf" in value:
                raise TemplateError(
                    "a mapping with the key `toString` or `valueOf` cannot be converted to a string"
                )
            return "[object Object]"
        case _:
            raise UnsupportedTemplateError("a function cannot be filled in")


def output_string(value: Any) -> str:
    """Return a value as a template outputs it: `none` and `undefined` are empty."""
    return "" if value is None or isinstance(value, Undefined) else to_string(value)


def join_strings(items: list[Any], separator: str) -> str:
    """Return the items of a list as one string."""
    return separator.join(output_string(item) for item in items)


def to_primitive(value: Any) -> Any:
    """Return the primitive value that operators use: lists and mappings become strings."""
    return to_string(value) if isinstance(value, list | dict | SafeString | Function) else value


def to_number(value: Any) -> float:
    """Return a value as JavaScript converts it to a number."""
    value = to_primitive(value)
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case None:
            return 0
        case str():
            return _parsed(value.strip(STRIPPED))
        case _:
            return math.nan


def _parsed(text: str) -> float:
    if not text:
        return 0
    if _WHOLE.fullmatch(text):
        return narrowed(int(text, 0)) if len(text) < 1000 else math.inf
    return narrowed(_float(text)) if _NUMBER.fullmatch(text) else math.nan


def _float(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def parse_float(value: Any) -> float:
    """Return the number at the start of a string, as `parseFloat` does."""
    found = _NUMBER.match(to_string(value).lstrip(STRIPPED))
    return narrowed(_float(found.group())) if found else math.nan


# JavaScript counts UTF-16 code units: most emoji are two.


def units(text: str) -> str:
    """Return a string whose characters are UTF-16 code units."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    return "".join(map(chr, memoryview(encoded).cast("H")))


def from_units(text: str) -> str:
    """Return a string whose surrogate pairs are single characters again."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def has_lone_surrogate(text: str) -> bool:
    """Whether a string has half of a surrogate pair, which cannot be encoded."""
    return not text.isascii() and _SURROGATE.search(text) is not None


_SURROGATE = re.compile("[\ud800-\udfff]")


def index_of(value: Any) -> int | None:
    """Return the key of a list or string as an index; None if it is not an index."""
    if is_number(value):
        return int(value) if 0 <= value <= EXACT and value == int(value) else None
    text = to_string(value)
    return int(text) if _INDEX.fullmatch(text) else None


def integer_part(value: float) -> float:
    """Return a number without its fraction."""
    return value if value in (math.inf, -math.inf) else math.trunc(value)
