"""The tests of nunjucks 3.2.4: `VALUE is NAME`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.operators import (
    is_less,
    is_less_or_equal,
    is_same,
    modulo,
)
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    SafeString,
    Undefined,
    is_number,
    is_true,
    to_string,
)


def _string(value: Any) -> str:
    if not isinstance(value, str | SafeString):
        raise TemplateError("`upper` and `lower` take a string")
    return to_string(value)


def _second(arguments: list[Any]) -> Any:
    return arguments[1] if len(arguments) > 1 else UNDEFINED


def _is_iterable(arguments: list[Any]) -> bool:
    if arguments[0] is None or isinstance(arguments[0], Undefined):
        raise TemplateError("`iterable` does not take `none` or `undefined`")
    return isinstance(arguments[0], str | list | SafeString)


def _is_equal(arguments: list[Any]) -> bool:
    return is_same(arguments[0], _second(arguments))


def _is_greater(arguments: list[Any]) -> bool:
    return is_less(_second(arguments), arguments[0])


def _is_lower(arguments: list[Any]) -> bool:
    return is_less(arguments[0], _second(arguments))


def _is_mapping(arguments: list[Any]) -> bool:
    return isinstance(arguments[0], dict | SafeString)


#: Functions of the value, followed by the argument in parentheses if there is one.
TESTS: dict[str, Callable[[list[Any]], bool]] = {
    "callable": lambda arguments: isinstance(arguments[0], Function),
    "defined": lambda arguments: not isinstance(arguments[0], Undefined),
    "divisibleby": lambda arguments: modulo(arguments[0], _second(arguments)) == 0,
    "eq": _is_equal,
    "equalto": _is_equal,
    "escaped": lambda arguments: isinstance(arguments[0], SafeString),
    "even": lambda arguments: modulo(arguments[0], 2) == 0,
    "falsy": lambda arguments: not is_true(arguments[0]),
    "ge": lambda arguments: is_less_or_equal(_second(arguments), arguments[0]),
    "greaterthan": _is_greater,
    "gt": _is_greater,
    "iterable": _is_iterable,
    "le": lambda arguments: is_less_or_equal(arguments[0], _second(arguments)),
    "lessthan": _is_lower,
    "lower": lambda arguments: arguments[0] == _string(arguments[0]).lower(),
    "lt": _is_lower,
    "mapping": _is_mapping,
    "ne": lambda arguments: not _is_equal(arguments),
    "null": lambda arguments: arguments[0] is None,
    "number": lambda arguments: is_number(arguments[0]),
    "odd": lambda arguments: modulo(arguments[0], 2) == 1,
    "sameas": _is_equal,
    "string": lambda arguments: isinstance(arguments[0], str),
    "truthy": lambda arguments: is_true(arguments[0]),
    "undefined": lambda arguments: isinstance(arguments[0], Undefined),
    "upper": lambda arguments: arguments[0] == _string(arguments[0]).upper(),
}
