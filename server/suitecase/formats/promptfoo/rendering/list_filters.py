"""The filters of nunjucks 3.2.4 for lists, mappings, numbers and any value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.json_text import parse_json, write_json
from suitecase.formats.promptfoo.rendering.members import member
from suitecase.formats.promptfoo.rendering.operators import add, round_with
from suitecase.formats.promptfoo.rendering.string_filters import (
    FILTERS,
    argument,
    filter_named,
    is_empty_value,
)
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    SafeString,
    Undefined,
    from_units,
    in_key_order,
    is_number,
    is_true,
    join_strings,
    parse_float,
    to_number,
    to_string,
    units,
)
from suitecase.formats.promptfoo.templates.javascript import narrowed, strip

#: The largest number of parts of a list, and of items in a part.
_MOST = 1e6
_DIGITS = re.compile(r"[-+]?[0-9]+")


def _list_of(value: Any, name: str) -> list[Any]:
    # For other values nunjucks fails or returns something unintended.
    if not isinstance(value, list):
        raise UnsupportedTemplateError(f"`{name}` takes a list")
    return value


def _items_of(value: Any, name: str) -> list[Any]:
    """Return the items of a list or the characters of a string."""
    return list(units(value)) if isinstance(value, str) else _list_of(value, name)


# Any value


@filter_named("default", "d")
def _default(budget: Budget, arguments: list[Any]) -> Any:
    value, default, as_condition = (argument(arguments, number) for number in range(3))
    if is_true(as_condition):
        return value if is_true(value) else default
    return default if isinstance(value, Undefined) else value


@filter_named("dump")
def _dump(budget: Budget, arguments: list[Any]) -> Any:
    return write_json(arguments[0], argument(arguments, 1), budget)


@filter_named("load")
def _load(budget: Budget, arguments: list[Any]) -> Any:
    try:
        return parse_json(to_string(arguments[0]))
    except ValueError:
        raise TemplateError("`load` takes JSON") from None


@filter_named("length")
def _length(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    if is_empty_value(value):
        return 0
    return len(value) if isinstance(value, dict) else member(value, "length", budget)


# Lists


@filter_named("first")
def _first(budget: Budget, arguments: list[Any]) -> Any:
    if arguments[0] is None or isinstance(arguments[0], Undefined):
        raise TemplateError("`first` does not take `none` or `undefined`")
    return member(arguments[0], 0, budget)


@filter_named("last")
def _last(budget: Budget, arguments: list[Any]) -> Any:
    items = arguments[0]
    if items is None or isinstance(items, Undefined):
        raise TemplateError("`last` does not take `none` or `undefined`")
    if isinstance(items, dict) and ("length" in items or "NaN" in items):
        raise UnsupportedTemplateError("`last` takes a list or a string")
    items = units(items) if isinstance(items, str) else items
    return member(items, len(items) - 1, budget) if isinstance(items, str | list) else UNDEFINED


@filter_named("join")
def _join(budget: Budget, arguments: list[Any]) -> Any:
    items, separator, name = (argument(arguments, number) for number in range(3))
    by = to_string(separator) if is_true(separator) else ""
    if is_true(name):
        items = [_attribute(it, name, budget) for it in _list_of(items, "join")]
    items = _list_of(items, "join")
    budget.spend_on_characters(len(items) * len(by))
    return join_strings(items, by)


def _attribute(item: Any, name: Any, budget: Budget) -> Any:
    if item is None or isinstance(item, Undefined):
        raise TemplateError("an item is `none` or `undefined`, which have no attributes")
    return member(item, name, budget)


@filter_named("list")
def _list(budget: Budget, arguments: list[Any]) -> Any:
    match arguments[0]:
        case str() as string:
            return list(units(string))
        case dict() as entries:
            return [{"key": key, "value": value} for key, value in entries.items()]
        case items:
            return _list_of(items, "list")


@filter_named("reverse")
def _reverse(budget: Budget, arguments: list[Any]) -> Any:
    items = arguments[0]
    if isinstance(items, str):
        return from_units(units(items)[::-1])
    return _items_or_nothing(items, "reverse")[::-1]


def _items_or_nothing(items: Any, name: str) -> list[Any]:
    """Return the items of a list or string; nothing for a value without a length."""
    has_length = isinstance(items, SafeString | Function)
    if has_length or (isinstance(items, dict) and "length" in items):
        raise UnsupportedTemplateError(f"`{name}` takes a list or a string")
    return (
        items if isinstance(items, list) else list(units(items)) if isinstance(items, str) else []
    )


@filter_named("batch")
def _batch(budget: Budget, arguments: list[Any]) -> Any:
    items = _items_of(arguments[0], "batch")
    size = to_number(argument(arguments, 1))
    filler = argument(arguments, 2)
    if not 1 <= size <= _MOST or size != int(size):
        raise UnsupportedTemplateError("`batch` takes a positive number")
    size = int(size)
    found = [items[start : start + size] for start in range(0, len(items), size)]
    if found and is_true(filler):
        budget.spend(size)
        found[-1] = found[-1] + [filler] * (size - len(found[-1]))
    return found


@filter_named("slice")
def _slice(budget: Budget, arguments: list[Any]) -> Any:
    items = _list_of(arguments[0], "slice")
    count = to_number(argument(arguments, 1))
    filler = argument(arguments, 2)
    if not 1 <= count <= _MOST or count != int(count):
        raise UnsupportedTemplateError("`slice` takes a positive number")
    budget.spend(count)
    length, extra = divmod(len(items), int(count))
    found = []
    start = 0
    for number in range(int(count)):
        end = start + length + (number < extra)
        found.append(items[start:end])
        if is_true(filler) and number >= extra:
            found[-1] = [*found[-1], filler]
        start = end
    return found


@filter_named("sum")
def _sum(budget: Budget, arguments: list[Any]) -> Any:
    items, name, start = (argument(arguments, number) for number in range(3))
    items = _list_of(items, "sum")
    if is_true(name):
        items = [_attribute(item, name, budget) for item in items]
    found: Any = 0
    for item in items:
        found = add(found, item)
        budget.spend_on(found)
    return add(0 if isinstance(start, Undefined) else start, found)


def _with_attribute(budget: Budget, arguments: list[Any], *, expected: bool) -> Any:
    if len(arguments) > 2:
        # nunjucks ignores the test, which is a feature of Jinja, and keeps every item with a true value.
        raise UnsupportedTemplateError("nunjucks ignores the test of an attribute")
    items = _list_of(arguments[0], "selectattr" if expected else "rejectattr")
    name = argument(arguments, 1)
    return [item for item in items if is_true(_attribute(item, name, budget)) is expected]


def _selected(budget: Budget, arguments: list[Any], *, expected: bool) -> Any:
    items = _items_of(arguments[0], "select" if expected else "reject")
    name = argument(arguments, 1)
    name = "truthy" if isinstance(name, Undefined) else to_string(name)
    test = TESTS.get(name)
    if test is None:
        raise TemplateError(f"`{name}` is not a test")
    found = []
    for item in items:
        pair = [item, argument(arguments, 2)]
        budget.spend_on(pair)
        if test(pair) is expected:
            found.append(item)
    return found


FILTERS.update(
    selectattr=partial(_with_attribute, expected=True),
    rejectattr=partial(_with_attribute, expected=False),
    select=partial(_selected, expected=True),
    reject=partial(_selected, expected=False),
)


# Order


@filter_named("sort")
def _sort(budget: Budget, arguments: list[Any]) -> Any:
    items, is_reversed, is_exact, name = (argument(arguments, number) for number in range(4))
    items = _items_or_nothing(items, "sort")
    keys = [_path(item, name) if is_true(name) else item for item in items]
    fold = None if is_true(is_exact) else str.lower
    order = _order(keys, fold, "sort", budget, reverse=is_true(is_reversed))
    return [items[it] for it in order]


def _order(
    keys: list[Any],
    fold: Callable[[str], str] | None,
    name: str,
    budget: Budget,
    *,
    reverse: bool = False,
) -> list[int]:
    """Return the indexes of keys in sorted order; `fold` is applied to strings first."""
    if all(isinstance(key, str) for key in keys):
        keys = [units(fold(key) if fold else key) for key in keys]
    elif not all(is_number(key) and not math.isnan(key) for key in keys):
        # The order of other values depends on the JavaScript engine.
        raise UnsupportedTemplateError(f"`{name}` takes strings or numbers, not a mix of them")
    budget.spend(len(keys) * 4)
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def _path(item: Any, name: Any) -> Any:
    """Return the value at a path of keys separated by dots."""
    for part in name.split(".") if isinstance(name, str) else [name]:
        if item is None or isinstance(item, Undefined):
            raise TemplateError("an item is `none` or `undefined`, which have no attributes")
        if isinstance(item, dict):
            item = item.get(to_string(part), UNDEFINED)
        else:
            raise UnsupportedTemplateError("only mappings have attributes")
    return item


@filter_named("dictsort")
def _dictsort(budget: Budget, arguments: list[Any]) -> Any:
    entries, is_exact, by = (argument(arguments, number) for number in range(3))
    if not isinstance(entries, dict):
        raise TemplateError("`dictsort` takes a mapping")
    if not isinstance(by, Undefined) and by not in ("key", "value"):
        raise TemplateError("`dictsort` sorts by `key` or `value`")
    pairs = [[key, value] for key, value in entries.items()]
    keys = [pair[by == "value"] for pair in pairs]
    fold = None if is_true(is_exact) else str.upper
    return [pairs[it] for it in _order(keys, fold, "dictsort", budget)]


@filter_named("groupby")
def _groupby(budget: Budget, arguments: list[Any]) -> Any:
    items = _list_of(arguments[0], "groupby")
    found: dict[str, Any] = {}
    for item in items:
        found.setdefault(to_string(_path(item, argument(arguments, 1))), []).append(item)
    return in_key_order(found)


# Numbers


@filter_named("abs")
def _abs(budget: Budget, arguments: list[Any]) -> Any:
    return narrowed(abs(to_number(arguments[0])))


@filter_named("round")
def _round(budget: Budget, arguments: list[Any]) -> Any:
    value, digits, method = (argument(arguments, number) for number in range(3))
    digits = to_number(digits) if is_true(digits) else 0
    if not abs(digits) <= 100:
        raise UnsupportedTemplateError("`round` takes a number of digits")
    how: Callable[[float], int] = _nearest
    how = math.ceil if method == "ceil" else math.floor if method == "floor" else how
    factor = 10.0**digits
    return narrowed(round_with(to_number(value) * factor, how) / factor)


def _nearest(value: float) -> int:
    below = math.floor(value)
    return below + (value - below >= 0.5)


@filter_named("int")
def _int(budget: Budget, arguments: list[Any]) -> Any:
    value, default, base = (argument(arguments, number) for number in range(3))
    if not isinstance(base, Undefined) and base != 10:
        raise UnsupportedTemplateError("`int` is supported with the base 10")
    text = strip(to_string(value))
    found = _DIGITS.match(text)
    return narrowed(float(found.group())) if found else default


@filter_named("float")
def _float(budget: Budget, arguments: list[Any]) -> Any:
    found = parse_float(arguments[0])
    return argument(arguments, 1) if math.isnan(found) else found


#: The filters that take named arguments; nunjucks passes them to other filters as a mapping.
PARAMETERS = {
    "int": ("value", "default", "base"),
    "sort": ("value", "reverse", "case_sensitive", "attribute"),
}
