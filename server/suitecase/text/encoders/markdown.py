"""Texts of anybody in Markdown: shown as they stand, whatever they contain and whatever renders it."""

from __future__ import annotations

import re
from collections.abc import Callable

from suitecase.text.encoders.visible import visible

#: A text in a cell of a table has at most so many characters.
CELL = 300
_SPECIAL = re.compile(r"([\\`*_\[\]|~#$@:])")
_WORD = re.compile(r"[^\s`<>|]+")
#: What renderers make links of without any markup, some of them also where its characters are escaped.
_LINKED = re.compile(r"//.|www\.|@\w", re.IGNORECASE)


def cut(text: str, most: int) -> str:
    """Return the start of a text, with the number of characters that are left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def html(text: str) -> str:
    """Return a text without control characters, whose HTML is shown and not interpreted."""
    return _without_tags(visible(text))


def _without_tags(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped(text: str, most: int = CELL) -> str:
    """Return a text that is shown as it stands, on one line: it may be anybody's."""
    return "<br>".join(with_addresses_as_code(visible(cut(text, most)), _entities).splitlines())


def _entities(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", _without_tags(text))


def with_addresses_as_code(text: str, escape: Callable[[str], str]) -> str:
    """Escape a text; its web and mail addresses become code, which no renderer makes links of.

    Args:
        text: the text, without control characters.
        escape: escapes what has a meaning in Markdown.
    """
    parts: list[str] = []
    start = 0
    for word in _WORD.finditer(text):
        if _LINKED.search(word[0]):
            parts += (escape(text[start : word.start()]), f"`{word[0]}`")
            start = word.end()
    return "".join((*parts, escape(text[start:])))
