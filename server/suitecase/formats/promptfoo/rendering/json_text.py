"""JSON as JavaScript reads and writes it."""

from __future__ import annotations

import json
import math
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    SafeString,
    Undefined,
    number_to_string,
    to_javascript,
    to_number,
    to_string,
    units,
)

#: The limit of `JSON.stringify`.
_MOST_SPACES = 10


def parse_json(text: str) -> Any:
    """Return the value of a JSON string.

    Raises:
        ValueError: the string is not valid JSON.
    """
    try:
        return to_javascript(json.loads(text, parse_constant=_refuse, parse_int=_number))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(word: str) -> Any:
    raise ValueError(f"`{word}` is not JSON")


def _number(text: str) -> float:
    return int(text) if len(text) < 17 else float(text)


def write_json(value: Any, spaces: Any = UNDEFINED, budget: Budget | None = None) -> Any:
    """Return a value as `JSON.stringify` writes it, `undefined` if it cannot be written."""
    if isinstance(value, Undefined | Function):
        return UNDEFINED
    match spaces:
        case str():
            indent = units(spaces)[:_MOST_SPACES]
        case bool() | None | Undefined() | list() | dict():
            indent = ""
        case _:
            number = to_number(spaces)
            indent = " " * int(min(max(0 if math.isnan(number) else number, 0), _MOST_SPACES))
    parts: list[str] = []
    _write(value, indent, "\n" if indent else "", parts, budget or Budget())
    return "".join(parts)


def _write(value: Any, indent: str, line: str, parts: list[str], budget: Budget) -> None:
    budget.spend()
    match value:
        case str():
            budget.spend_on_characters(len(value))
            parts.append(json.dumps(value, ensure_ascii=False))
        case None | Undefined() | Function():
            parts.append("null")
        case bool():
            parts.append(to_string(value))
        case int() | float():
            is_finite = value - value == 0
            parts.append(number_to_string(value) if is_finite else "null")
        case SafeString():
            raise UnsupportedTemplateError(
                "the result of `safe` or `escape` cannot be written as JSON"
            )
        case list():
            opening = "["
            for it in value:
                budget.spend((len(line) + len(indent)) / 100)
                parts.append(opening + line + indent)
                _write(it, indent, line and line + indent, parts, budget)
                opening = ","
            parts.append("[]" if opening == "[" else f"{line}]")
        case dict():
            if "toJSON" in value:
                raise TemplateError("a mapping with the key `toJSON` cannot be written as JSON")
            opening = "{"
            for key, it in value.items():
                if isinstance(it, Undefined | Function):
                    continue
                budget.spend_on_characters(len(line) + len(indent) + len(key))
                name = json.dumps(key, ensure_ascii=False)
                parts.append(f"{opening}{line}{indent}{name}:{' ' if indent else ''}")
                _write(it, indent, line and line + indent, parts, budget)
                opening = ","
            parts.append("{}" if opening == "{" else f"{line}}}")
