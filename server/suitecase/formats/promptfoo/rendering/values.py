"""The values of JavaScript that templates compute with, and how it converts them.

Texts, numbers, `True`, `False`, lists and mappings are those of Python; `null` is None. Nothing
changes a list or a mapping.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError

#: What JavaScript takes for a blank.
BLANKS = " \t\n\v\f\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_STRIPPED = BLANKS.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
_NUMBER = re.compile(r"[-+]?(?:Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_WHOLE = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
#: The largest number below which every whole one is exact.
_EXACT = 2**53
_OBJECT_WORDS = """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
    hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
"""
#: Names that every object has, most of them functions.
OBJECT_NAMES = frozenset(_OBJECT_WORDS.split())


class Undefined:
    """The value of what does not exist."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


@dataclass(frozen=True, slots=True, eq=False)
class SafeText:
    """A text that the filters `safe` and `escape` returned: an object in JavaScript."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """What a template may call."""

    call: Callable[[list[Any]], Any]


def imported(value: Any) -> Any:
    """Return a value of Python as one of JavaScript."""
    try:
        return _imported(value, {})
    except RecursionError:
        raise UnsupportedTemplateError("a value is nested too deeply") from None


def _imported(value: Any, known: dict[int, Any]) -> Any:
    """Return a value; what is in it several times is so in the result."""
    match value:
        case None | str() | bool() | Undefined() | SafeText() | Function():
            return value
        case int():
            return value if -_EXACT <= value <= _EXACT else _as_float(value)
        case float():
            return value
        case Mapping():
            if id(value) not in known:
                entries = {_key(key): _imported(it, known) for key, it in value.items()}
                known[id(value)] = in_order(entries)
            return known[id(value)]
        case list() | tuple():
            if id(value) not in known:
                known[id(value)] = [_imported(it, known) for it in value]
            return known[id(value)]
        case _:
            kind = type(value).__name__
            raise UnsupportedTemplateError(f"a value of the type `{kind}` cannot be filled in")


def _key(key: Any) -> str:
    return key if isinstance(key, str) else to_text(imported(key))


def in_order(value: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping in the order in which JavaScript keeps its keys: numbers come first."""
    numbers = [it for it in value if _INDEX.fullmatch(it) and int(it) < 2**32 - 1]
    if not numbers:
        return value
    numbers.sort(key=int)
    return {**{it: value[it] for it in numbers}, **value}


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_number(value: Any) -> bool:
    """Whether a value is a number; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_true(value: Any) -> bool:
    """Whether JavaScript takes a value for true: empty lists and mappings, too."""
    if isinstance(value, list | dict | SafeText | Function):
        return True
    if isinstance(value, float) and math.isnan(value):
        return False
    return bool(value) and not isinstance(value, Undefined)


def number_text(value: float) -> str:
    """Return a number as JavaScript prints it."""
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
    # The value is 0.DIGITS times ten to the power of this.
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


def to_text(value: Any) -> str:
    """Return a value as JavaScript turns it into text."""
    match value:
        case str():
            return value
        case SafeText():
            return value.text
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case Undefined():
            return "undefined"
        case int() | float():
            return number_text(value)
        case list():
            return joined(value, ",")
        case dict():
            # A key of this name would be called.
            if "toString" in value or "valueOf" in value:
                raise TemplateError("a mapping with the key `toString` or `valueOf` is no text")
            return "[object Object]"
        case _:
            raise UnsupportedTemplateError("a function cannot be filled in")


def shown(value: Any) -> str:
    """Return a value as it is filled in: what is not there is empty."""
    return "" if value is None or isinstance(value, Undefined) else to_text(value)


def joined(items: list[Any], separator: str) -> str:
    """Return the texts of a list with a separator between them."""
    return separator.join(shown(it) for it in items)


def primitive(value: Any) -> Any:
    """Return a value as operators see it: lists and mappings are texts."""
    return to_text(value) if isinstance(value, list | dict | SafeText | Function) else value


def to_number(value: Any) -> float:
    """Return a value as JavaScript turns it into a number."""
    value = primitive(value)
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case None:
            return 0
        case str():
            return _parsed(value.strip(_STRIPPED))
        case _:
            return math.nan


def _parsed(text: str) -> float:
    if not text:
        return 0
    if _WHOLE.fullmatch(text):
        return smaller(int(text, 0)) if len(text) < 1000 else math.inf
    return smaller(_float(text)) if _NUMBER.fullmatch(text) else math.nan


def _float(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def smaller(value: float) -> float:
    """Return a number as an int where it is a whole one that is exact."""
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else _as_float(value)
    if abs(value) <= _EXACT and value == int(value):
        # Minus zero stays one.
        return int(value) if value or math.copysign(1, value) > 0 else value
    return value


def parsed_prefix(value: Any) -> float:
    """Return the number at the start of a text, as `parseFloat` does."""
    found = _NUMBER.match(to_text(value).lstrip(_STRIPPED))
    return smaller(_float(found.group())) if found else math.nan


def stripped(text: str, *, start: bool = True, end: bool = True) -> str:
    """Return a text without JavaScript's blanks around it."""
    text = text.lstrip(_STRIPPED) if start else text
    return text.rstrip(_STRIPPED) if end else text


# Characters of JavaScript are those of UTF-16: most emoji are two.


def units(text: str) -> str:
    """Return a text whose characters are those of UTF-16."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    return "".join(map(chr, memoryview(encoded).cast("H")))


def from_units(text: str) -> str:
    """Return a text whose halves of characters are joined again."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def has_half(text: str) -> bool:
    """Whether a text has half of a character, which nothing can send."""
    return not text.isascii() and _HALF.search(text) is not None


_HALF = re.compile("[\ud800-\udfff]")


def index_of(value: Any) -> int | None:
    """Return the index that a key of a list or a text stands for; None if it is none."""
    if is_number(value):
        return int(value) if 0 <= value <= _EXACT and value == int(value) else None
    text = to_text(value)
    return int(text) if _INDEX.fullmatch(text) else None


def int_part(value: float) -> float:
    """Return a number without its fraction."""
    return value if value in (math.inf, -math.inf) else math.trunc(value)
