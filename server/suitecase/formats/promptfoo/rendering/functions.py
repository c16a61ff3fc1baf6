"""The functions that nunjucks offers to every template."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    Undefined,
    is_number,
    is_true,
    to_number,
)
from suitecase.formats.promptfoo.templates.javascript import narrowed


def range_function(budget: Budget) -> Function:
    """Return `range(stop)`, `range(start, stop)` and `range(start, stop, step)`."""

    def call(arguments: list[Any]) -> list[float]:
        start, stop, step = (*arguments, UNDEFINED, UNDEFINED, UNDEFINED)[:3]
        if isinstance(stop, Undefined):
            start, stop, step = 0, start, 1
        if not is_true(step) or step is True:
            step = 1
        if not is_number(step) or not (is_number(start) or isinstance(start, Undefined)):
            raise UnsupportedTemplateError("`range` takes numbers")
        value, end, increment = to_number(start), to_number(stop), to_number(step)
        found: list[float] = []
        # Steps are added one by one, because sums of fractions are not exact.
        while value < end if increment > 0 else value > end:
            budget.spend()
            found.append(value)
            value = narrowed(value + increment)
        return found

    return Function(call)


def joiner_function() -> Function:
    """Return `joiner(separator)`, which returns a function that returns "" on its first call."""

    def call(arguments: list[Any]) -> Function:
        separator = arguments[0] if arguments and is_true(arguments[0]) else ","
        is_first = True

        def join(_: list[Any]) -> Any:
            nonlocal is_first
            text = "" if is_first else separator
            is_first = False
            return text

        return Function(join)

    return Function(call)


def refuse_cycler() -> Function:
    """Raise the error for `cycler`, which is not supported."""
    raise UnsupportedTemplateError("`cycler` is not supported")
