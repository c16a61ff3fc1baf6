"""Operators of JavaScript."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import (
    OBJECT_NAMES,
    Function,
    SafeText,
    Undefined,
    is_number,
    primitive,
    smaller,
    to_number,
    to_text,
    units,
)


def add(one: Any, two: Any) -> Any:
    """Return a sum, or a text if one of the values is no number."""
    one, two = primitive(one), primitive(two)
    if isinstance(one, str) or isinstance(two, str):
        return to_text(one) + to_text(two)
    return _computed(lambda a, b: a + b, to_number(one), to_number(two))


def subtract(one: Any, two: Any) -> float:
    """Return a difference."""
    return _computed(lambda a, b: a - b, to_number(one), to_number(two))


def multiply(one: Any, two: Any) -> float:
    """Return a product."""
    one, two = to_number(one), to_number(two)
    return _computed(lambda a, b: a * b, float(one), float(two))


def divide(one: Any, two: Any) -> float:
    """Return a quotient; nothing fails."""
    a, b = float(to_number(one)), float(to_number(two))
    if b == 0:
        is_nothing = a == 0 or math.isnan(a)
        return math.nan if is_nothing else math.copysign(math.inf, a) * math.copysign(1, b)
    return _computed(lambda x, y: x / y, a, b)


def modulo(one: Any, two: Any) -> float:
    """Return what is left of a division, with the sign of the first number."""
    a, b = float(to_number(one)), float(to_number(two))
    if b == 0 or not math.isfinite(a) or math.isnan(b):
        return math.nan
    return smaller(math.fmod(a, b))


def floor(value: Any) -> float:
    """Return a number, rounded down."""
    return rounded(to_number(value), math.floor)


def power(one: Any, two: Any) -> float:
    """Return a power."""
    a, b = float(to_number(one)), float(to_number(two))
    if math.isnan(b) or (abs(a) == 1 and math.isinf(b)):
        return math.nan
    try:
        found = a**b
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ZeroDivisionError:
        return -math.inf if math.copysign(1, a) < 0 and b % 2 == 1 else math.inf
    return math.nan if isinstance(found, complex) else smaller(found)


def negate(value: Any) -> float:
    """Return a number with the other sign."""
    return smaller(-float(to_number(value)))


def rounded(value: float, how: Callable[[float], int]) -> float:
    """Return a number rounded by a function of Python, which refuses what is no number."""
    if not math.isfinite(value):
        return value
    return smaller(math.copysign(float(how(value)), value) if how(value) == 0 else how(value))


def _computed(how: Callable[[float, float], float], one: float, two: float) -> float:
    return smaller(how(float(one), float(two)))


def is_same(one: Any, two: Any) -> bool:
    """`===`."""
    if is_number(one) and is_number(two):
        return bool(one == two)
    if isinstance(one, str | bool) and isinstance(two, str | bool):
        return type(one) is type(two) and one == two
    return one is two


def is_equal(one: Any, two: Any) -> bool:
    """`==`: values of different types are converted."""
    no_one = one is None or isinstance(one, Undefined)
    no_two = two is None or isinstance(two, Undefined)
    if no_one or no_two:
        return no_one and no_two
    objects = (list, dict, SafeText, Function)
    if isinstance(one, objects) and isinstance(two, objects):
        return one is two
    one, two = primitive(one), primitive(two)
    if type(one) is type(two):
        return bool(one == two)
    return to_number(one) == to_number(two)


def is_less(one: Any, two: Any) -> bool:
    """`<`."""
    return _compared(one, two, lambda a, b: bool(a < b))


def is_less_or_equal(one: Any, two: Any) -> bool:
    """`<=`."""
    return _compared(one, two, lambda a, b: bool(a <= b))


def _compared(one: Any, two: Any, how: Callable[[Any, Any], bool]) -> bool:
    one, two = primitive(one), primitive(two)
    if isinstance(one, str) and isinstance(two, str):
        return how(units(one), units(two))
    return how(to_number(one), to_number(two))


def contains(key: Any, value: Any) -> bool:
    """`in` of nunjucks: an item of a list, a part of a text, or a key of a mapping."""
    match value:
        case list():
            return any(is_same(it, key) for it in value)
        case str():
            return to_text(key) in value
        case dict():
            name = to_text(key)
            return name in value or name in OBJECT_NAMES
        case _:
            kind = UnsupportedTemplateError if isinstance(value, SafeText) else TemplateError
            raise kind("`in` is only for lists, texts and mappings")
