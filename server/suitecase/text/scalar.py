"""The value of a plain scalar: the core schema of YAML 1.2.2, section 10.3.2.

So `yes`, `no`, `on` and `off` are strings, dates are strings, and `012` is 12. YAML 1.1 readers,
PyYAML's own loaders among them, disagree on each of these.
"""

from __future__ import annotations

import re

from suitecase_evaluators.text.written_number import LONGEST_WHOLE, read_float

Plain = str | int | float | bool | None

_INT = re.compile(r"[-+]?[0-9]+")
_OCT = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Plain] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    ".nan": float("nan"),
    ".NaN": float("nan"),
    ".NAN": float("nan"),
    **{
        sign + word: float(sign + "inf")
        for sign in ("", "+", "-")
        for word in (".inf", ".Inf", ".INF")
    },
}
#: Plain scalars that mean null.
NULLS = frozenset(it for it, value in _WORDS.items() if value is None)
#: The first characters of plain scalars that are numbers.
NUMERIC_START = frozenset("0123456789+-.")
#: The first characters of all plain scalars that are not text; "" is that of an empty one.
VALUE_START = NUMERIC_START | {it[:1] for it in _WORDS}
#: What readers of YAML 1.1, PyYAML's own loaders among them, take for something else than text, as
#: all readers of 1.2 do, and what for.
OLD_READINGS = {
    "a truth value": re.compile(r"[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"),
    "a date": re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}[^#]*)?"),
    "a number to the base 60": re.compile(r"[-+]?[1-9]\d*(?::[0-5]?\d)+(?:\.\d*)?"),
    "a number": re.compile(r"[-+]?(?:\d+_[\d_]*|0b[01_]+|0x[\da-fA-F]*_[\da-fA-F_]*)"),
}
#: The first characters of plain scalars with another meaning in YAML 1.1.
OLD_READING_START = frozenset("yYnNoO0123456789+-")
_ANY_OLD_READING = re.compile(
    "|".join(old_reading.pattern for old_reading in OLD_READINGS.values())
)
#: So long are the longest words among them; anything longer is a number or a date, and starts like one.
LONGEST_OLD_WORD = 3


def resolve(text: str) -> Plain:
    """Return the value of a plain, untagged scalar."""
    if text[:1] not in VALUE_START:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in NUMERIC_START:
        return text
    if len(text) <= LONGEST_WHOLE and text.isascii() and text.isdigit():
        return int(text)  # as most numbers are written
    if _INT.fullmatch(text):
        return int(text) if len(text) <= LONGEST_WHOLE else float(text)
    if _FLOAT.fullmatch(text):
        return read_float(text)
    if _OCT.fullmatch(text):
        return int(text, 0) if len(text) <= LONGEST_WHOLE else float("inf")
    if _HEX.fullmatch(text):
        return int(text, 0) if len(text) <= LONGEST_WHOLE else float("inf")
    return text


def has_old_reading(text: str) -> bool:
    """Whether a plain scalar that is text has another type in YAML 1.1."""
    return _ANY_OLD_READING.fullmatch(text) is not None


def resolve_tagged(text: str, tag: str) -> Plain:
    """Return the value of a scalar with one of the core schema's tags; text if it does not fit.

    An unknown tag leaves the text as it is.
    """
    value = resolve(text)
    match tag.removeprefix("tag:yaml.org,2002:"):
        case "int" if type(value) is int:
            return value
        case "float" if isinstance(value, float):
            return value
        case "float" if type(value) is int:
            return read_float(str(value))
        case "bool" if type(value) is bool:
            return value
        case "null" if value is None:
            return None
        case _:
            return text
