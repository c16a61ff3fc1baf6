"""The filters of nunjucks 3.2.4 for strings, and the table of all filters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.members import member
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    SafeString,
    Undefined,
    from_units,
    has_lone_surrogate,
    is_number,
    is_true,
    output_string,
    to_number,
    to_string,
    units,
)
from suitecase.formats.promptfoo.templates.javascript import BLANKS, strip

Filter = Callable[[Budget, list[Any]], Any]
FILTERS: dict[str, Filter] = {}

_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>|<!--[\s\S]*?-->", re.ASCII)
_WORD = re.compile(r"\w+", re.ASCII)
_BLANKS = re.compile(f"[{BLANKS}]+")
_ESCAPES = str.maketrans(
    {"&": "&amp;", '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;", "\\": "&#92;"}
)
#: The characters that `encodeURIComponent` does not encode.
_UNENCODED = "-_.!~*'()"


def filter_named(*names: str) -> Callable[[Filter], Filter]:
    """Add a filter to `FILTERS`."""

    def add(function: Filter) -> Filter:
        FILTERS.update(dict.fromkeys(names, function))
        return function

    return add


def argument(arguments: list[Any], number: int) -> Any:
    """Return an argument; `undefined` if there are fewer."""
    return arguments[number] if number < len(arguments) else UNDEFINED


def is_empty_value(value: Any) -> bool:
    """Whether most filters treat a value as an empty string."""
    return value is None or value is False or isinstance(value, Undefined)


def string_of(value: Any, name: str) -> str:
    """Return the string that a filter is applied to.

    Raises:
        TemplateError: the value is not a string, for which nunjucks fails.
    """
    if is_empty_value(value):
        return ""
    if not isinstance(value, str | SafeString):
        raise TemplateError(f"`{name}` takes a string")
    return to_string(value)


def _like(value: Any, text: str) -> Any:
    """Return a string that is a `SafeString` if the value was one."""
    return SafeString(text) if isinstance(value, SafeString) else text


def _or_default(value: Any, default: float) -> Any:
    return value if is_true(value) else default


@filter_named("upper")
def _upper(budget: Budget, arguments: list[Any]) -> Any:
    return string_of(arguments[0], "upper").upper()


@filter_named("lower")
def _lower(budget: Budget, arguments: list[Any]) -> Any:
    return string_of(arguments[0], "lower").lower()


def _capitalize_word(text: str) -> str:
    text = units(text.lower())
    return from_units(text[:1].upper() + text[1:])


@filter_named("capitalize")
def _capitalize(budget: Budget, arguments: list[Any]) -> Any:
    return _like(arguments[0], _capitalize_word(string_of(arguments[0], "capitalize")))


@filter_named("title")
def _title(budget: Budget, arguments: list[Any]) -> Any:
    words = string_of(arguments[0], "title").split(" ")
    return _like(arguments[0], " ".join(map(_capitalize_word, words)))


@filter_named("trim")
def _trim(budget: Budget, arguments: list[Any]) -> Any:
    if not isinstance(arguments[0], str | SafeString):
        raise TemplateError("`trim` takes a string")
    return _like(arguments[0], strip(to_string(arguments[0])))


@filter_named("center")
def _center(budget: Budget, arguments: list[Any]) -> Any:
    value = "" if is_empty_value(arguments[0]) else arguments[0]
    text = to_string(value)
    width = to_number(_or_default(argument(arguments, 1), 80))
    length = len(value) if isinstance(value, list) else len(units(text))
    has_length = isinstance(value, str | list | SafeString)
    if math.isnan(width) or not has_length or length >= width:
        return value if isinstance(value, list) else _like(value, text)
    missing = width - length
    budget.spend_on_characters(missing)
    before = " " * max(math.ceil(missing / 2 - missing % 2), 0)
    return _like(value, before + text + " " * math.ceil(missing / 2))


@filter_named("indent")
def _indent(budget: Budget, arguments: list[Any]) -> Any:
    text = string_of(arguments[0], "indent")
    if text == "" and not isinstance(arguments[0], SafeString):
        return ""
    width = to_number(_or_default(argument(arguments, 1), 4))
    lines = text.split("\n")
    if not width > 0:
        return _like(arguments[0], text)
    budget.spend_on_characters(len(text) + len(lines) * width)
    blanks = " " * math.ceil(width)
    first = blanks if is_true(argument(arguments, 2)) else ""
    return _like(arguments[0], first + f"\n{blanks}".join(lines))


@filter_named("replace")
def _replace(budget: Budget, arguments: list[Any]) -> Any:
    value, old, new, most = (argument(arguments, number) for number in range(4))
    if is_number(old):
        old = to_string(old)
    if not isinstance(old, str):
        return value
    if not is_number(value) and not isinstance(value, str | SafeString):
        return value
    # nunjucks computes with other values.
    if not isinstance(most, Undefined) and not is_number(most):
        raise UnsupportedTemplateError("the last argument of `replace` is a number")
    limit = -1 if isinstance(most, Undefined) else most
    text, with_ = to_string(value), to_string(new)
    if old == "":
        parts = list(units(text))
        budget.spend_on_characters(len(parts) + (len(parts) + 1) * len(with_))
        return _like(value, from_units(with_ + with_.join(parts) + with_))
    times = text.count(old)
    if limit == 0 or not times:
        return text if is_number(value) else value
    if limit != -1:
        # A negative limit replaces nothing.
        times = math.ceil(min(times, max(limit, 0))) if not math.isnan(limit) else 0
    budget.spend_on_characters(len(text) + times * len(with_))
    return _like(value, text.replace(old, with_, times))


@filter_named("truncate")
def _truncate(budget: Budget, arguments: list[Any]) -> Any:
    length = to_number(_or_default(argument(arguments, 1), 255))
    if math.isnan(length):
        raise UnsupportedTemplateError("`truncate` takes a number")
    if isinstance(arguments[0], list) and len(arguments[0]) <= length:
        return arguments[0]
    text = units(string_of(arguments[0], "truncate"))
    if len(text) <= length:
        return arguments[0] if isinstance(arguments[0], SafeString) else from_units(text)
    cut = int(max(length, 0))
    if not is_true(argument(arguments, 2)):
        found = text.rfind(" ", 0, cut + 1)
        cut = cut if found < 0 else found
    end = argument(arguments, 3)
    ending = "..." if end is None or isinstance(end, Undefined) else to_string(end)
    return _like(arguments[0], from_units(text[:cut]) + ending)


@filter_named("striptags")
def _striptags(budget: Budget, arguments: list[Any]) -> Any:
    value = string_of(arguments[0], "striptags")
    # A `<` that is not closed is searched to the end.
    budget.spend_on_characters(len(value) * (1 + value.count("<")))
    text = strip(_TAG.sub("", value))
    if is_true(argument(arguments, 1)):
        lines = re.split(r"([\n\r\u2028\u2029])", text)
        text = "".join(line.strip(" ") for line in lines)
        text = re.sub(r" +", " ", text).replace("\r\n", "\n")
        return _like(arguments[0], re.sub(r"\n\n\n+", "\n\n", text))
    return _like(arguments[0], _BLANKS.sub(" ", text))


@filter_named("nl2br")
def _nl2br(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    if value is None or isinstance(value, Undefined):
        return ""
    if not isinstance(value, str | SafeString):
        raise TemplateError("`nl2br` takes a string")
    text = to_string(value)
    budget.spend_on_characters(len(text) * 2)
    return _like(value, re.sub(r"\r\n|\n", "<br />\n", text))


@filter_named("wordcount")
def _wordcount(budget: Budget, arguments: list[Any]) -> Any:
    if not is_true(arguments[0]):
        return None
    return len(_WORD.findall(string_of(arguments[0], "wordcount"))) or None


@filter_named("string")
def _string(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    if value is None or isinstance(value, Undefined):
        raise TemplateError("`string` does not take `none` or `undefined`")
    return value if isinstance(value, SafeString) else to_string(value)


@filter_named("safe")
def _safe(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    return value if isinstance(value, SafeString) else SafeString(output_string(value))


@filter_named("escape", "e")
def _escape(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    return value if isinstance(value, SafeString) else _forceescape(budget, arguments)


@filter_named("forceescape")
def _forceescape(budget: Budget, arguments: list[Any]) -> Any:
    return SafeString(output_string(arguments[0]).translate(_ESCAPES))


def _encode(text: str) -> str:
    if has_lone_surrogate(text):
        raise TemplateError("half of a character cannot be encoded")
    return quote(text, safe=_UNENCODED)


@filter_named("urlencode")
def _urlencode(budget: Budget, arguments: list[Any]) -> Any:
    match arguments[0]:
        case str() as text:
            budget.spend_on_characters(len(text) * 3)
            return _encode(text)
        case dict() as entries:
            pairs = list(entries.items())
        case list() as items:
            pairs = [tuple(member(item, number, budget) for number in (0, 1)) for item in items]
            if any(item is None or isinstance(item, Undefined) for item in items):
                raise TemplateError("an item of `urlencode` is `none` or `undefined`")
        case SafeString():
            raise UnsupportedTemplateError(
                "`urlencode` does not take the result of `safe` or `escape`"
            )
        case _:
            pairs = []
    return "&".join(f"{_encode(to_string(key))}={_encode(to_string(it))}" for key, it in pairs)
