"""Tests of nunjucks 3.2.4: `VALUE is NAME`."""

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
    SafeText,
    Undefined,
    is_number,
    is_true,
    to_text,
)


def _text(value: Any) -> str:
    if not isinstance(value, str | SafeText):
        raise TemplateError("`upper` and `lower` are only for texts")
    return to_text(value)


def _other(given: list[Any]) -> Any:
    return given[1] if len(given) > 1 else UNDEFINED


def _is_iterable(given: list[Any]) -> bool:
    if given[0] is None or isinstance(given[0], Undefined):
        raise TemplateError("`iterable` is not for what is not there")
    return isinstance(given[0], str | list | SafeText)


def _is_equal(given: list[Any]) -> bool:
    return is_same(given[0], _other(given))


def _is_greater(given: list[Any]) -> bool:
    return is_less(_other(given), given[0])


def _is_lower(given: list[Any]) -> bool:
    return is_less(given[0], _other(given))


def _is_mapping(given: list[Any]) -> bool:
    return isinstance(given[0], dict | SafeText)


#: Of each, whether it holds of a value, with what stands in parentheses behind its name.
TESTS: dict[str, Callable[[list[Any]], bool]] = {
    "callable": lambda given: isinstance(given[0], Function),
    "defined": lambda given: not isinstance(given[0], Undefined),
    "divisibleby": lambda given: modulo(given[0], _other(given)) == 0,
    "eq": _is_equal,
    "equalto": _is_equal,
    "escaped": lambda given: isinstance(given[0], SafeText),
    "even": lambda given: modulo(given[0], 2) == 0,
    "falsy": lambda given: not is_true(given[0]),
    "ge": lambda given: is_less_or_equal(_other(given), given[0]),
    "greaterthan": _is_greater,
    "gt": _is_greater,
    "iterable": _is_iterable,
    "le": lambda given: is_less_or_equal(given[0], _other(given)),
    "lessthan": _is_lower,
    "lower": lambda given: given[0] == _text(given[0]).lower(),
    "lt": _is_lower,
    "mapping": _is_mapping,
    "ne": lambda given: not _is_equal(given),
    "null": lambda given: given[0] is None,
    "number": lambda given: is_number(given[0]),
    "odd": lambda given: modulo(given[0], 2) == 1,
    "sameas": _is_equal,
    "string": lambda given: isinstance(given[0], str),
    "truthy": lambda given: is_true(given[0]),
    "undefined": lambda given: isinstance(given[0], Undefined),
    "upper": lambda given: given[0] == _text(given[0]).upper(),
}
