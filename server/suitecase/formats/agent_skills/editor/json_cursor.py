"""Where a cursor is in unfinished JSON, by the text before it alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from suitecase.text.node import Span

_TOKEN = re.compile(r'"(?:[^"\\\r\n]|\\.)*"?|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_REST_OF_STRING = re.compile(r'(?:[^"\\\r\n]|\\.)*')
_WORD = re.compile(r"[\w.-]*")
#: A key of an object that is written already, with its colon.
_KEY = re.compile(r'"((?:[^"\\\r\n]|\\.)*)"[ \t\r\n]*:')


@dataclass(frozen=True, slots=True)
class JsonCursor:
    """The position of a cursor.

    Attributes:
        path: the keys and indexes to the value at the cursor, or to the object whose key it is.
        is_key: whether a key is there, not a value.
        typed: the text before the cursor that belongs to the key or the value.
        span: that text, with what follows of it, and with its quotes if it has any.
        is_quoted: whether it has a quote before it.
        has_colon: whether a colon follows it.
        object_start: where the innermost object starts; None outside of all.
    """

    path: tuple[str | int, ...]
    is_key: bool
    typed: str
    span: Span
    is_quoted: bool
    has_colon: bool
    object_start: int | None


@dataclass(slots=True)
class _Open:
    start: int
    is_object: bool
    key: str | None = None
    number: int = 0


def json_cursor(text: str, offset: int) -> JsonCursor:
    """Return where a cursor is."""
    opened: list[_Open] = []
    typed, start, quoted = "", offset, False
    for token in _TOKEN.finditer(text, 0, offset):
        word = token.group()
        at_end = token.end() == offset
        if word[0] == '"':
            if at_end and (len(word) == 1 or word[-1] != '"' or _is_escaped(word)):
                typed, start, quoted = word[1:], token.start(), True
                break
            if opened and opened[-1].is_object and opened[-1].key is None:
                opened[-1].key = word[1:-1]
        elif word in "{[":
            opened.append(_Open(token.start(), word == "{"))
        elif word in "}]":
            if opened:
                opened.pop()
        elif word == ",":
            if opened:
                opened[-1].key = None
                opened[-1].number += 1
        elif word != ":" and at_end:
            typed, start = word, token.start()
    inner = opened[-1] if opened else None
    before = text[:start].rstrip()
    is_key = inner is not None and inner.is_object and before[-1:] in ("{", ",", "}", "]", '"')
    is_key = is_key and before[-1:] != ":"
    end = _REST_OF_STRING.match(text, offset) if quoted else _WORD.match(text, offset)
    close = end.end() if end is not None else offset
    if quoted and text.startswith('"', close):
        close += 1
    elif quoted:
        close = offset  # a text without its end would take all that follows
    path = tuple(
        (it.key or "") if it.is_object else it.number for it in (opened[:-1] if is_key else opened)
    )
    return JsonCursor(
        path,
        is_key,
        typed,
        Span(start, close),
        quoted,
        text[close:].lstrip(" \t").startswith(":"),
        inner.start if inner is not None and inner.is_object else None,
    )


def _is_escaped(word: str) -> bool:
    """Whether the last quote of a text is escaped, so that it does not end it."""
    backslashes = len(word) - 1 - len(word[:-1].rstrip("\\"))
    return len(word) > 1 and backslashes % 2 == 1


def keys_in_object(text: str, start: int, limit: int) -> frozenset[str]:
    """Return the keys of an object that starts at an offset, as far as its text can be read.

    Args:
        text: the text.
        start: where the object starts.
        limit: where the text ends that may belong to it.
    """
    depth, keys, at = 0, set[str](), start
    for token in _TOKEN.finditer(text, start, limit):
        word = token.group()
        if word in ("{", "["):
            depth += 1
        elif word in ("}", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and word[0] == '"' and (key := _KEY.match(text, token.start())):
            keys.add(key.group(1))
        at = token.end()
    return frozenset(keys) if at >= start else frozenset()
