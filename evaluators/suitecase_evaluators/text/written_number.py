"""Numbers with more digits than a float holds, which are compared and shown as they are written.

Whole numbers are `int`, which holds any digits, unless they are too large for a float. Any other
number is a `float`, and a `WrittenNumber` if the float is another number than the text says.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, Final, Self

#: So many digits a float always holds, if there is no exponent.
_ALWAYS_HELD: Final = 15
#: Above this, not every whole number is a float.
_ALL_WHOLE: Final = 2**53
#: Whole numbers with more digits are floats, also those to the base 16: others could not become floats.
LONGEST_WHOLE: Final = 255
#: Longer numerals, and exponents beyond this, are rounded: calculating with them takes long.
_LONGEST: Final = 1000
_EXPONENT: Final = re.compile("[eE]([-+]?[0-9]+)")
#: Stands around a number that JSON is to have as it is written. Nobody else knows it.
_MARK: Final = os.urandom(12).hex()
_MARKED: Final = re.compile(f'"{_MARK}([^"]*){_MARK}"')


class WrittenNumber(float):
    """A float that also knows the decimal that was written, by which it is compared and shown.

    Calculations and the standard library's JSON treat it as the float; `encoded` writes its digits.
    """

    __slots__ = ("written",)

    #: Whether there has been any in this process; without one, no value has to be searched.
    any_read: ClassVar[bool] = False

    written: Decimal

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.written = Decimal(text)
        cls.any_read = True
        return number

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self.written),)

    def __repr__(self) -> str:
        return str(self.written)

    def __hash__(self) -> int:
        return hash(self.written)

    def __eq__(self, other: object) -> bool:
        return self.written == exact(other) if _is_finite(other) else float(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: float) -> bool:
        return self.written < exact(other) if _is_finite(other) else float(self) < other

    def __le__(self, other: float) -> bool:
        return self.written <= exact(other) if _is_finite(other) else float(self) <= other

    def __gt__(self, other: float) -> bool:
        return self.written > exact(other) if _is_finite(other) else float(self) > other

    def __ge__(self, other: float) -> bool:
        return self.written >= exact(other) if _is_finite(other) else float(self) >= other


def _is_finite(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def read_float(text: str) -> float:
    """Return the number that a numeral of YAML or JSON is; infinite if it is too large for a float."""
    number = float(text)
    exponent = _EXPONENT.search(text)
    if len(text) <= _ALWAYS_HELD and exponent is None:
        return number
    if not math.isfinite(number) or len(text) > _LONGEST:
        return number
    if exponent is not None and abs(float(exponent[1])) > _LONGEST:
        return number
    written = Decimal(text)
    holds = written == Decimal(repr(number)) and (
        abs(number) < _ALL_WHOLE or written == Decimal(number)
    )
    return number if holds else WrittenNumber(text)


def read_int(text: str) -> float:
    """Return the number that a whole numeral is; infinite if it is too large for a float."""
    return int(text) if len(text) <= LONGEST_WHOLE else float(text)


def exact(number: Any) -> Decimal:
    """Return a number as the decimal that was written: for a float, the shortest that means it."""
    if isinstance(number, WrittenNumber):
        return number.written
    if isinstance(number, int):
        return Decimal(number)
    # As people write it: 5 rather than 5.0.
    is_whole = abs(number) < _ALL_WHOLE and number.is_integer()
    return Decimal(int(number) if is_whole else repr(number))


def encoded(value: Any, encode: Callable[[Any], str] = json.dumps) -> str:
    """Return a value as `encode` writes it as JSON, with the numbers in it as they are written."""
    if not WrittenNumber.any_read:
        return encode(value)
    marked = _marked(value)
    text = encode(marked)
    return text if marked is value else _MARKED.sub(r"\1", text)


def as_written(value: Any) -> str:
    """Return a value as JSON with all characters and the digits of all numbers."""
    return encoded(value, _plain)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def has_written(value: Any) -> bool:
    """Whether there is a number in a value whose digits a float does not hold."""
    return WrittenNumber.any_read and _marked(value) is not value


def with_digits(dumped: Any, values: Any) -> Any:
    """Return values that pydantic has dumped with the digits that it has rounded.

    Args:
        dumped: what pydantic made of the values for JSON.
        values: the values, as `model_dump` returns them otherwise.
    """
    holder: list[Any] = [dumped]
    pending: list[tuple[Any, Any]] = [(holder, [values])]
    while pending:
        container, originals = pending.pop()
        for key, entry in _entries(container):
            original = originals.get(key) if isinstance(originals, dict) else originals[key]
            if isinstance(original, WrittenNumber) and isinstance(entry, float):
                container[key] = original
            elif (isinstance(entry, dict) and isinstance(original, dict)) or (
                isinstance(entry, list) and isinstance(original, list | tuple)
            ):
                container[key] = entry.copy()
                pending.append((container[key], original))
    return holder[0]


def _marked(value: Any) -> Any:
    """Return a value with marked texts in place of written numbers; itself if it has none.

    Without recursion: values of other programs are as deep as their JSON.
    """
    found = False
    holder: list[Any] = [value]
    pending: list[Any] = [holder]
    while pending:
        container = pending.pop()
        for key, entry in _entries(container):
            if isinstance(entry, WrittenNumber):
                container[key] = f"{_MARK}{entry.written}{_MARK}"
                found = True
            elif isinstance(entry, dict | list | tuple):
                container[key] = dict(entry) if isinstance(entry, dict) else list(entry)
                pending.append(container[key])
    return holder[0] if found else value


def _entries(container: Any) -> list[tuple[Any, Any]]:
    return list(container.items() if isinstance(container, dict) else enumerate(container))
