"""Reads JSON values out of text, and compares them as JSON does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from suitecase_evaluators.text.written_number import encoded, exact, read_float

#: How many places of a text are tried as the start of a JSON value.
STARTS_TRIED = 100

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_START = re.compile(r"[{\[]")


class NotJsonError(ValueError):
    """A text is not JSON. `line` and `column` count from 1 and name the place in the text."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class FoundJson:
    """A JSON value, and where in the text it stood."""

    value: Any
    place: Literal["whole text", "code fence", "within the text"]


def is_empty_object(text: str) -> bool:
    """Whether a text is the JSON of an object without keys."""
    return "".join(text.split()) == "{}"


def is_json(text: str) -> bool:
    """Whether a text is one JSON value."""
    try:
        parse_json(text)
    except NotJsonError:
        return False
    return True


def parse_json(text: str, *, last_key_counts: bool = False) -> Any:
    """Return the value that a text as a whole is the JSON of (RFC 8259: no NaN, no Infinity).

    An object that gives a key twice means something else to each reader (RFC 8259, section 4), so
    it is refused.

    Args:
        text: the text.
        last_key_counts: take the last one of equal keys, where they are reported elsewhere.

    Raises:
        NotJsonError: it is not JSON, gives a key twice, holds a number that is too large, or nests
            too deeply to be read.
    """
    pairs = None if last_key_counts else _once
    try:
        return json.loads(
            text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        raise NotJsonError(error.msg, error.lineno, error.colno) from error
    except RecursionError as error:
        raise NotJsonError("the value is nested too deeply to be read") from error
    except _KeyTwiceError as error:
        raise _not_json(error, text) from error
    except ValueError as error:  # a constant that is refused, or a number that is too large
        reason = str(error)
        if "int_max_str_digits" in reason:
            reason = "it has a whole number of thousands of digits"
        raise NotJsonError(reason) from error


def find_json(text: str) -> FoundJson:
    """Return the whole text as JSON, else that of a code fence, else the first object or list in it.

    Raises:
        NotJsonError: nothing of it is JSON; says why the text as a whole is not.
    """
    try:
        return FoundJson(parse_json(text), "whole text")
    except NotJsonError as error:
        whole = error
    for fence in _FENCE.finditer(text):
        try:
            return FoundJson(parse_json(fence[1]), "code fence")
        except NotJsonError as error:
            if isinstance(error.__cause__, _KeyTwiceError):
                raise _not_json(error.__cause__, text, fence.start(1)) from error
    decoder = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_once)
    for number, start in enumerate(_START.finditer(text)):
        if number == STARTS_TRIED:
            break
        try:
            return FoundJson(decoder.raw_decode(text, start.start())[0], "within the text")
        except _KeyTwiceError as error:
            # Of an ambiguous object no part is taken for the answer.
            raise _not_json(error, text, start.start()) from error
        except (ValueError, RecursionError):
            continue
    raise whole


def same_json(one: Any, other: Any) -> bool:
    """Compare as JSON: 1 equals 1.0, but not `true`; the order of keys says nothing.

    Numbers are compared as they are written.
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    if _is_number(one) and _is_number(other):
        return exact(one) == exact(other)
    return bool(one == other)


def json_key(value: Any) -> Hashable:
    """Return what is equal for values that are equal as JSON, and for no others."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, dict):
        return ("object", frozenset((name, json_key(it)) for name, it in value.items()))
    if isinstance(value, list | tuple):
        return ("list", tuple(map(json_key, value)))
    if _is_number(value):
        return exact(value)
    found: Hashable = value
    return found


def show_json(value: Any, limit: int = 120) -> str:
    """Return a value as JSON, cut to `limit` characters, for a message."""
    text = encoded(value, _shown)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


class _KeyTwiceError(ValueError):
    """An object gives a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {show_json(key)} occurs twice in one object")
        self.key = key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _KeyTwiceError(key)
            seen.add(key)
    return result


def _not_json(error: _KeyTwiceError, text: str, start: int = 0) -> NotJsonError:
    """Return the error with the place of the second of two equal keys, if it is to be found."""
    found = re.compile(rf"{re.escape(json.dumps(error.key, ensure_ascii=False))}\s*:")
    places = [match.start() for match in found.finditer(text, start)]
    at = places[1] if len(places) > 1 else start
    line_start = text.rfind("\n", 0, at) + 1
    return NotJsonError(str(error), text.count("\n", 0, at) + 1, at - line_start + 1)


def _finite(number: str) -> float:
    value = read_float(number)
    if math.isinf(value):
        raise ValueError(f"the number {show_json(number, 40)} is too large")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")
