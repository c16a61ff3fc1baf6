"""Members of values: keys, items, `length`, and the methods that templates may call.

A member is a key, an item or an entry of the tables below, never an attribute of a Python object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from suitecase.formats.promptfoo.rendering.budget import Budget
from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.operators import is_same
from suitecase.formats.promptfoo.rendering.values import (
    UNDEFINED,
    Function,
    SafeString,
    Undefined,
    from_units,
    index_of,
    integer_part,
    is_number,
    join_strings,
    number_to_string,
    to_number,
    to_string,
    units,
)
from suitecase.formats.promptfoo.templates.javascript import OBJECT_NAMES, strip

_Method = Callable[[Any, list[Any], Budget], Any]


def member(value: Any, key: Any, budget: Budget) -> Any:
    """Return a member of a value, `undefined` if there is none.

    Raises:
        UnsupportedTemplateError: JavaScript has this member, but it is not supported.
    """
    match value:
        case None | Undefined():
            return UNDEFINED
        case dict():
            name = to_string(key)
            if name in value:
                return value[name]
            return _method(value, name, {}, _NONE, budget)
        case list():
            return _item(value, key, _LIST_METHODS, _LIST_NAMES, budget)
        case SafeString() if index_of(key) is not None:
            return UNDEFINED
        case str() | SafeString():
            text = units(to_string(value))
            budget.spend_on_characters(len(text))
            return _item(text, key, _STRING_METHODS, _STRING_NAMES, budget)
        case bool():
            return _method(value, to_string(key), {"toString": _to_string}, _NONE, budget)
        case int() | float():
            return _method(value, to_string(key), _NUMBER_METHODS, _NUMBER_NAMES, budget)
        case _:
            raise UnsupportedTemplateError("members of functions are not supported")


def _item(
    value: list[Any] | str,
    key: Any,
    methods: dict[str, _Method],
    names: frozenset[str],
    budget: Budget,
) -> Any:
    index = index_of(key)
    if index is not None:
        return value[index] if index < len(value) else UNDEFINED
    name = to_string(key)
    if name == "length":
        return len(value)
    content = from_units(value) if isinstance(value, str) else value
    return _method(content, name, methods, names, budget)


def _method(
    value: Any, name: str, methods: dict[str, _Method], names: frozenset[str], budget: Budget
) -> Any:
    method = methods.get(name)
    if method is not None:

        def call(arguments: list[Any]) -> Any:
            budget.spend_on(value)
            found = method(value, arguments, budget)
            budget.spend_on(found)
            return found

        return Function(call)
    if name in names or name in OBJECT_NAMES:
        raise UnsupportedTemplateError(f"`.{name}` is not supported in templates")
    return UNDEFINED


# Arguments


def _at(arguments: list[Any], number: int, default: Any = UNDEFINED) -> Any:
    found = arguments[number] if number < len(arguments) else UNDEFINED
    return default if isinstance(found, Undefined) else found


def _integer(value: Any) -> float:
    number = to_number(value)
    return 0 if math.isnan(number) else integer_part(number)


def _clamped(value: Any, length: int) -> int:
    """Return an index within a string or list; negative ones count from the end."""
    index = _integer(value)
    index = index + length if index < 0 else index
    return int(min(max(index, 0), length))


def _within(value: Any, length: int) -> int:
    """Return an index within a string; negative ones become 0."""
    return int(min(max(_integer(value), 0), length))


def _pattern(arguments: list[Any]) -> str:
    found = _at(arguments, 0)
    return units(to_string(found))


# Strings


def _split(text: str, arguments: list[Any], budget: Budget) -> list[str]:
    separator = _at(arguments, 0)
    limit = _at(arguments, 1, -1)
    number = _integer(limit)
    # JavaScript takes the last 32 bits of the limit: -1 is no limit.
    most = int(number) % 2**32 if math.isfinite(number) else 0
    if isinstance(separator, Undefined):
        return [text][:most]
    by = to_string(separator)
    parts = list(units(text)) if by == "" else text.split(by)
    return parts[:most]


def _slice(value: Any, arguments: list[Any], budget: Budget) -> Any:
    content = units(value) if isinstance(value, str) else value
    start = _clamped(_at(arguments, 0, 0), len(content))
    end = _clamped(_at(arguments, 1, len(content)), len(content))
    found = content[start:end]
    return from_units(found) if isinstance(found, str) else found


def _substring(text: str, arguments: list[Any], budget: Budget) -> str:
    content = units(text)
    start = _within(_at(arguments, 0, 0), len(content))
    end = _within(_at(arguments, 1, len(content)), len(content))
    return from_units(content[min(start, end) : max(start, end)])


def _substr(text: str, arguments: list[Any], budget: Budget) -> str:
    content = units(text)
    start = _clamped(_at(arguments, 0, 0), len(content))
    count = _at(arguments, 1, len(content))
    return from_units(content[start : start + int(min(max(_integer(count), 0), len(content)))])


def _char_at(text: str, arguments: list[Any], budget: Budget) -> str:
    content, index = units(text), _integer(_at(arguments, 0, 0))
    return content[int(index)] if 0 <= index < len(content) else ""


def _one_at(value: Any, arguments: list[Any], budget: Budget) -> Any:
    content = units(value) if isinstance(value, str) else value
    index = _integer(_at(arguments, 0, 0))
    index = index + len(content) if index < 0 else index
    return content[int(index)] if 0 <= index < len(content) else UNDEFINED


def _code_at(text: str, arguments: list[Any], budget: Budget) -> float:
    found = _char_at(text, arguments, budget)
    return ord(found) if found else math.nan


def _includes(text: str, arguments: list[Any], budget: Budget) -> bool:
    content = units(text)
    return content.find(_pattern(arguments), _within(_at(arguments, 1, 0), len(content))) >= 0


def _starts_with(text: str, arguments: list[Any], budget: Budget) -> bool:
    content = units(text)
    return content.startswith(_pattern(arguments), _within(_at(arguments, 1, 0), len(content)))


def _ends_with(text: str, arguments: list[Any], budget: Budget) -> bool:
    content = units(text)
    end = _within(_at(arguments, 1, len(content)), len(content))
    return content[:end].endswith(_pattern(arguments))


def _index_in_string(text: str, arguments: list[Any], budget: Budget) -> int:
    content = units(text)
    return content.find(_pattern(arguments), _within(_at(arguments, 1, 0), len(content)))


def _last_index_in_string(text: str, arguments: list[Any], budget: Budget) -> int:
    if len(arguments) > 1:
        raise UnsupportedTemplateError("`.lastIndexOf` is supported with one argument")
    return units(text).rfind(_pattern(arguments))


def _replace(text: str, arguments: list[Any], budget: Budget) -> str:
    return _replaced(text, arguments, 1, budget)


def _replace_all(text: str, arguments: list[Any], budget: Budget) -> str:
    return _replaced(text, arguments, -1, budget)


def _replaced(text: str, arguments: list[Any], most: int, budget: Budget) -> str:
    old, new = to_string(_at(arguments, 0)), to_string(_at(arguments, 1))
    if "$" in new:
        if most != 1:
            raise UnsupportedTemplateError("`$` in a replacement is not supported")
        return replace_first(text, old, new, budget)
    count = len(units(text)) + 1 if old == "" else text.count(old)
    if old == "" and most < 0 and count != len(text) + 1:
        raise UnsupportedTemplateError("an empty string cannot be replaced in this string")
    times = min(count, 1) if most == 1 else count
    budget.spend_on_characters(len(text) + times * len(new))
    return text.replace(old, new, most)


def replace_first(text: str, old: str, new: str, budget: Budget) -> str:
    """Return a string with the first occurrence replaced, as `String.replace` does.

    In the replacement, `$&` is what is replaced, `$`` is what comes before it and `$'` what comes after it.
    """
    budget.spend_on_characters(len(new) + len(text) * (1 + new.count("$")))
    start = text.find(old)
    if start < 0:
        return text
    before, after = text[:start], text[start + len(old) :]
    parts = {"$$": "$", "$&": old, "$`": before, "$'": after}
    return before + _PATTERN.sub(lambda match: parts[match[0]], new) + after


_PATTERN = re.compile(r"\$[$&`']")


def _repeat(text: str, arguments: list[Any], budget: Budget) -> str:
    count = _integer(_at(arguments, 0, 0))
    if not 0 <= count < math.inf:
        raise TemplateError(f"a string cannot be repeated {number_to_string(count)} times")
    budget.spend_on_characters(len(text) * count)
    return text * int(count) if text else ""


def _padding(text: str, arguments: list[Any], budget: Budget) -> str:
    """Return the padding that a string needs to reach a length."""
    filler = units(to_string(_at(arguments, 1, " ")))
    missing = _integer(_at(arguments, 0, 0)) - len(units(text))
    if missing <= 0 or not filler:
        return ""
    budget.spend_on_characters(missing)
    return from_units((filler * (int(missing) // len(filler) + 1))[: int(missing)])


def _concat_strings(text: str, arguments: list[Any], budget: Budget) -> str:
    parts = [text, *map(to_string, arguments)]
    budget.spend_on_characters(sum(map(len, parts)))
    return "".join(parts)


def _to_string(value: Any, arguments: list[Any], budget: Budget) -> str:
    if arguments:
        raise UnsupportedTemplateError("`.toString` is supported without arguments")
    return to_string(value)


_STRING_METHODS: dict[str, _Method] = {
    "at": _one_at,
    "charAt": _char_at,
    "charCodeAt": _code_at,
    "concat": _concat_strings,
    "endsWith": _ends_with,
    "includes": _includes,
    "indexOf": _index_in_string,
    "lastIndexOf": _last_index_in_string,
    "padEnd": lambda text, arguments, budget: text + _padding(text, arguments, budget),
    "padStart": lambda text, arguments, budget: _padding(text, arguments, budget) + text,
    "repeat": _repeat,
    "replace": _replace,
    "replaceAll": _replace_all,
    "slice": _slice,
    "split": _split,
    "startsWith": _starts_with,
    "substr": _substr,
    "substring": _substring,
    "toLowerCase": lambda text, arguments, budget: text.lower(),
    "toString": lambda text, arguments, budget: text,
    "toUpperCase": lambda text, arguments, budget: text.upper(),
    "trim": lambda text, arguments, budget: strip(text),
    "trimEnd": lambda text, arguments, budget: strip(text, start=False),
    "trimStart": lambda text, arguments, budget: strip(text, end=False),
    "valueOf": lambda text, arguments, budget: text,
}


# Lists


def _join(items: list[Any], arguments: list[Any], budget: Budget) -> str:
    separator = to_string(_at(arguments, 0, ","))
    budget.spend_on_characters(len(items) * len(separator))
    return join_strings(items, separator)


def _index_in_list(items: list[Any], arguments: list[Any], budget: Budget) -> int:
    wanted = arguments[0] if arguments else UNDEFINED
    start = _clamped(_at(arguments, 1, 0), len(items))
    for number in range(start, len(items)):
        if is_same(items[number], wanted):
            return number
    return -1


def _in_list(items: list[Any], arguments: list[Any], budget: Budget) -> bool:
    wanted: Any = arguments[0] if arguments else UNDEFINED
    start = _clamped(_at(arguments, 1, 0), len(items))
    if is_number(wanted) and math.isnan(wanted):
        return any(is_number(item) and math.isnan(item) for item in items[start:])
    return any(is_same(item, wanted) for item in items[start:])


def _concat_lists(items: list[Any], arguments: list[Any], budget: Budget) -> list[Any]:
    found = list(items)
    for argument in arguments:
        found += argument if isinstance(argument, list) else [argument]
    return found


_LIST_METHODS: dict[str, _Method] = {
    "at": _one_at,
    "concat": _concat_lists,
    "includes": _in_list,
    "indexOf": _index_in_list,
    "join": _join,
    "slice": _slice,
    "toString": _to_string,
}


# Numbers


def _to_fixed(value: float, arguments: list[Any], budget: Budget) -> str:
    digits = _integer(_at(arguments, 0, 0))
    if not 0 <= digits <= 100:
        raise TemplateError("`.toFixed` takes 0 to 100 digits")
    if not abs(value) < 1e21:
        return number_to_string(value)
    with localcontext() as context:
        context.prec = 200
        last = Decimal(1).scaleb(-int(digits))
        exact = abs(Decimal(float(value))).quantize(last, ROUND_HALF_UP)
    return ("-" if value < 0 else "") + f"{exact:f}"


_NUMBER_METHODS: dict[str, _Method] = {"toFixed": _to_fixed, "toString": _to_string}

_NONE: frozenset[str] = frozenset()
#: Methods that JavaScript has, but that are not supported.
_NUMBER_NAMES = frozenset(("toExponential", "toPrecision"))
_STRING_WORDS = """
    anchor big blink bold codePointAt fixed fontcolor fontsize isWellFormed italics link
    localeCompare match matchAll normalize search small strike sub sup toLocaleLowerCase
    toLocaleUpperCase toWellFormed trimLeft trimRight
"""
_STRING_NAMES = frozenset(_STRING_WORDS.split())
_LIST_WORDS = """
    copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach
    keys lastIndexOf map pop push reduce reduceRight reverse shift some sort splice toReversed
    toSorted toSpliced unshift values with
"""
_LIST_NAMES = frozenset(_LIST_WORDS.split())

#: All methods that are supported.
METHODS = frozenset((*_STRING_METHODS, *_LIST_METHODS, *_NUMBER_METHODS))
UNSUPPORTED_METHODS = (_STRING_NAMES | _LIST_NAMES | _NUMBER_NAMES | OBJECT_NAMES) - METHODS
