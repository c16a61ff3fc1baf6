"""The operators of JavaScript, and `in` of nunjucks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import (
    Function,
    SafeString,
    Undefined,
    is_number,
    to_number,
    to_primitive,
    to_string,
    units,
)
from suitecase.formats.promptfoo.templates.javascript import OBJECT_NAMES, narrowed


def add(one: Any, two: Any) -> Any:
    """Return a sum, or the joined strings if one of the values is a string."""
    one, two = to_primitive(one), to_primitive(two)
    if isinstance(one, str) or isinstance(two, str):
        return to_string(one) + to_string(two)
    return _arithmetic(lambda a, b: a + b, to_number(one), to_number(two))


def subtract(one: Any, two: Any) -> float:
    """Return a difference."""
    return _arithmetic(lambda a, b: a - b, to_number(one), to_number(two))


def multiply(one: Any, two: Any) -> float:
    """Return a product."""
    one, two = to_number(one), to_number(two)
    return _arithmetic(lambda a, b: a * b, float(one), float(two))


def divide(one: Any, two: Any) -> float:
    """Return a quotient; a division by zero is infinite or NaN."""
    a, b = float(to_number(one)), float(to_number(two))
    if b == 0:
        is_nan = a == 0 or math.isnan(a)
        return math.nan if is_nan else math.copysign(math.inf, a) * math.copysign(1, b)
    return _arithmetic(lambda x, y: x / y, a, b)


def modulo(one: Any, two: Any) -> float:
    """Return the remainder of a division, with the sign of the first number."""
    a, b = float(to_number(one)), float(to_number(two))
    if b == 0 or not math.isfinite(a) or math.isnan(b):
        return math.nan
    return narrowed(math.fmod(a, b))


def floor(value: Any) -> float:
    """Return a number rounded down."""
    return round_with(to_number(value), math.floor)


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
    return math.nan if isinstance(found, complex) else narrowed(found)


def negate(value: Any) -> float:
    """Return a number with its sign changed."""
    return narrowed(-float(to_number(value)))


def round_with(value: float, how: Callable[[float], int]) -> float:
    """Return a number rounded by `how`; infinity and NaN stay as they are."""
    if not math.isfinite(value):
        return value
    return narrowed(math.copysign(float(how(value)), value) if how(value) == 0 else how(value))


def _arithmetic(how: Callable[[float, float], float], one: float, two: float) -> float:
    return narrowed(how(float(one), float(two)))


def is_same(one: Any, two: Any) -> bool:
    """`===`."""
    if is_number(one) and is_number(two):
        return bool(one == two)
    if isinstance(one, str | bool) and isinstance(two, str | bool):
        return type(one) is type(two) and one == two
    return one is two


def is_equal(one: Any, two: Any) -> bool:
    """`==`: values of different types are converted."""
    is_one_empty = one is None or isinstance(one, Undefined)
    is_two_empty = two is None or isinstance(two, Undefined)
    if is_one_empty or is_two_empty:
        return is_one_empty and is_two_empty
    objects = (list, dict, SafeString, Function)
    if isinstance(one, objects) and isinstance(two, objects):
        return one is two
    one, two = to_primitive(one), to_primitive(two)
    if type(one) is type(two):
        return bool(one == two)
    return to_number(one) == to_number(two)


def is_less(one: Any, two: Any) -> bool:
    """`<`."""
    return _comparison(one, two, lambda a, b: bool(a < b))


def is_less_or_equal(one: Any, two: Any) -> bool:
    """`<=`."""
    return _comparison(one, two, lambda a, b: bool(a <= b))


def _comparison(one: Any, two: Any, how: Callable[[Any, Any], bool]) -> bool:
    one, two = to_primitive(one), to_primitive(two)
    if isinstance(one, str) and isinstance(two, str):
        return how(units(one), units(two))
    return how(to_number(one), to_number(two))


def contains(key: Any, value: Any) -> bool:
    """`in` of nunjucks: whether a list has an item, a string a substring, or a mapping a key."""
    match value:
        case list():
            return any(is_same(it, key) for it in value)
        case str():
            return to_string(key) in value
        case dict():
            name = to_string(key)
            return name in value or name in OBJECT_NAMES
        case _:
            kind = UnsupportedTemplateError if isinstance(value, SafeString) else TemplateError
            raise kind("`in` takes a list, a string or a mapping")
