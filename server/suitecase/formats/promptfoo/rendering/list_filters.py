"""Filters of nunjucks 3.2.4 for lists, mappings, numbers and any value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.json_text import parse_json, write_json
from suitecase.formats.promptfoo.rendering.members import member
from suitecase.formats.promptfoo.rendering.operators import add, rounded
from suitecase.formats.promptfoo.rendering.text_filters import argument, is_nothing, named
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    SafeText,
    Undefined,
    from_units,
    in_order,
    is_number,
    is_true,
    joined,
    parsed_prefix,
    smaller,
    stripped,
    to_number,
    to_text,
    units,
)

#: Parts of a list, or items of one.
_MOST = 1e6
_DIGITS = re.compile(r"[-+]?[0-9]+")


def _list_of(value: Any, name: str) -> list[Any]:
    # For some values nunjucks fails, and for others it makes something of them that nobody wants.
    if not isinstance(value, list):
        raise UnsupportedTemplateError(f"`{name}` is only for lists")
    return value


def _items_of(value: Any, name: str) -> list[Any]:
    """Return the items of a list or the characters of a text."""
    return list(units(value)) if isinstance(value, str) else _list_of(value, name)


# Any value


@named("default", "d")
def _default(budget: Budget, arguments: list[Any]) -> Any:
    value, default, as_condition = (argument(arguments, number) for number in range(3))
    if is_true(as_condition):
        return value if is_true(value) else default
    return default if isinstance(value, Undefined) else value


@named("dump")
def _dump(budget: Budget, arguments: list[Any]) -> Any:
    return write_json(arguments[0], argument(arguments, 1), budget)


@named("load")
def _load(budget: Budget, arguments: list[Any]) -> Any:
    try:
        return parse_json(to_text(arguments[0]))
    except ValueError:
        raise TemplateError("`load` is only for JSON") from None


@named("length")
def _length(budget: Budget, arguments: list[Any]) -> Any:
    value = arguments[0]
    if is_nothing(value):
        return 0
    return len(value) if isinstance(value, dict) else member(value, "length", budget)


# Lists


@named("first")
def _first(budget: Budget, arguments: list[Any]) -> Any:
    if arguments[0] is None or isinstance(arguments[0], Undefined):
        raise TemplateError("`first` is not for what is not there")
    return member(arguments[0], 0, budget)


@named("last")
def _last(budget: Budget, arguments: list[Any]) -> Any:
    items = arguments[0]
    if items is None or isinstance(items, Undefined):
        raise TemplateError("`last` is not for what is not there")
    if isinstance(items, dict) and ("length" in items or "NaN" in items):
        raise UnsupportedTemplateError("`last` is only for lists and texts")
    items = units(items) if isinstance(items, str) else items
    return member(items, len(items) - 1, budget) if isinstance(items, str | list) else UNDEFINED


@named("join")
def _join(budget: Budget, arguments: list[Any]) -> Any:
    items, separator, name = (argument(arguments, number) for number in range(3))
    by = to_text(separator) if is_true(separator) else ""
    if is_true(name):
        items = [_attribute(it, name, budget) for it in _list_of(items, "join")]
    items = _list_of(items, "join")
    budget.spend_on_characters(len(items) * len(by))
    return joined(items, by)


def _attribute(item: Any, name: Any, budget: Budget) -> Any:
    if item is None or isinstance(item, Undefined):
        raise TemplateError("an item has no attributes")
    return member(item, name, budget)


@named("list")
def _list(budget: Budget, arguments: list[Any]) -> Any:
    match arguments[0]:
        case str() as text:
            return list(units(text))
        case dict() as entries:
            return [{"key": key, "value": value} for key, value in entries.items()]
        case items:
            return _list_of(items, "list")


@named("reverse")
def _reverse(budget: Budget, arguments: list[Any]) -> Any:
    items = arguments[0]
    if isinstance(items, str):
        return from_units(units(items)[::-1])
    return _copied(items, "reverse")[::-1]


def _copied(items: Any, name: str) -> list[Any]:
    """Return the items of a list, and none of what has no length."""
    if isinstance(items, SafeText) or (isinstance(items, dict) and "length" in items):
        raise UnsupportedTemplateError(f"`{name}` is only for lists and texts")
    return (
        items if isinstance(items, list) else list(units(items)) if isinstance(items, str) else []
    )


@named("batch")
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


@named("slice")
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


@named("sum")
def _sum(budget: Budget, arguments: list[Any]) -> Any:
    items, name, start = (argument(arguments, number) for number in range(3))
    items = _list_of(items, "sum")
    if is_true(name):
        items = [_attribute(it, name, budget) for it in items]
    found: Any = 0
    for it in items:
        found = add(found, it)
        budget.spend_on(found)
    return add(0 if isinstance(start, Undefined) else start, found)


@named("selectattr")
def _selectattr(budget: Budget, arguments: list[Any]) -> Any:
    return _with_attribute(budget, arguments, expected=True)


@named("rejectattr")
def _rejectattr(budget: Budget, arguments: list[Any]) -> Any:
    return _with_attribute(budget, arguments, expected=False)


def _with_attribute(budget: Budget, arguments: list[Any], *, expected: bool) -> Any:
    if len(arguments) > 2:
        # Jinja's tests are not known to nunjucks, which keeps every item that has a value.
        raise UnsupportedTemplateError(
            "nunjucks knows no tests of attributes, and ignores this one"
        )
    items = _list_of(arguments[0], "selectattr" if expected else "rejectattr")
    name = argument(arguments, 1)
    return [it for it in items if is_true(_attribute(it, name, budget)) is expected]


@named("select")
def _select(budget: Budget, arguments: list[Any]) -> Any:
    return _selected(budget, arguments, expected=True)


@named("reject")
def _reject(budget: Budget, arguments: list[Any]) -> Any:
    return _selected(budget, arguments, expected=False)


def _selected(budget: Budget, arguments: list[Any], *, expected: bool) -> Any:
    items = _items_of(arguments[0], "select" if expected else "reject")
    name = argument(arguments, 1)
    name = "truthy" if isinstance(name, Undefined) else to_text(name)
    test = TESTS.get(name)
    if test is None:
        raise TemplateError(f"`{name}` is not a test")
    found = []
    for it in items:
        pair = [it, argument(arguments, 2)]
        budget.spend_on(pair)
        if test(pair) is expected:
            found.append(it)
    return found


# Order


@named("sort")
def _sort(budget: Budget, arguments: list[Any]) -> Any:
    items, is_reversed, is_exact, name = (argument(arguments, number) for number in range(4))
    items = _copied(items, "sort")
    keys = [_path(it, name) if is_true(name) else it for it in items]
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
    """Return the indexes of keys in the order of the keys, strings folded before."""
    if all(isinstance(it, str) for it in keys):
        keys = [units(fold(it) if fold else it) for it in keys]
    elif not all(is_number(it) and not math.isnan(it) for it in keys):
        # The order of others depends on how an engine sorts.
        raise UnsupportedTemplateError(f"`{name}` is for texts or for numbers, and not for both")
    budget.spend(len(keys) * 4)
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def _path(item: Any, name: Any) -> Any:
    """Return what a path of own keys leads to."""
    for part in name.split(".") if isinstance(name, str) else [name]:
        if item is None or isinstance(item, Undefined):
            raise TemplateError("an item has no attributes")
        if isinstance(item, dict):
            item = item.get(to_text(part), UNDEFINED)
        else:
            raise UnsupportedTemplateError("attributes are only for mappings")
    return item


@named("dictsort")
def _dictsort(budget: Budget, arguments: list[Any]) -> Any:
    entries, is_exact, by = (argument(arguments, number) for number in range(3))
    if not isinstance(entries, dict):
        raise TemplateError("`dictsort` is only for mappings")
    if not isinstance(by, Undefined) and by not in ("key", "value"):
        raise TemplateError("`dictsort` sorts by `key` or `value`")
    pairs = [[key, value] for key, value in entries.items()]
    keys = [it[by == "value"] for it in pairs]
    fold = None if is_true(is_exact) else str.upper
    return [pairs[it] for it in _order(keys, fold, "dictsort", budget)]


@named("groupby")
def _groupby(budget: Budget, arguments: list[Any]) -> Any:
    items = _list_of(arguments[0], "groupby")
    found: dict[str, Any] = {}
    for it in items:
        found.setdefault(to_text(_path(it, argument(arguments, 1))), []).append(it)
    return in_order(found)


# Numbers


@named("abs")
def _abs(budget: Budget, arguments: list[Any]) -> Any:
    return smaller(abs(to_number(arguments[0])))


@named("round")
def _round(budget: Budget, arguments: list[Any]) -> Any:
    value, digits, method = (argument(arguments, number) for number in range(3))
    digits = to_number(digits) if is_true(digits) else 0
    if not abs(digits) <= 100:
        raise UnsupportedTemplateError("`round` takes a number of digits")
    how: Callable[[float], int] = _nearest
    how = math.ceil if method == "ceil" else math.floor if method == "floor" else how
    factor = 10.0**digits
    return smaller(rounded(to_number(value) * factor, how) / factor)


def _nearest(value: float) -> int:
    below = math.floor(value)
    return below + (value - below >= 0.5)


@named("int")
def _int(budget: Budget, arguments: list[Any]) -> Any:
    value, default, base = (argument(arguments, number) for number in range(3))
    if not isinstance(base, Undefined) and base != 10:
        raise UnsupportedTemplateError("`int` is supported with the base 10")
    text = stripped(to_text(value))
    found = _DIGITS.match(text)
    return smaller(float(found.group())) if found else default


@named("float")
def _float(budget: Budget, arguments: list[Any]) -> Any:
    found = parsed_prefix(arguments[0])
    return argument(arguments, 1) if math.isnan(found) else found


#: The names of arguments of the filters that take such; other filters take them for a mapping.
PARAMETERS = {
    "int": ("value", "default", "base"),
    "sort": ("value", "reverse", "case_sensitive", "attribute"),
}
