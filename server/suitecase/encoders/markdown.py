"""Texts of anybody in Markdown, whatever renders it."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORD = re.compile(r"[^\s`<>|]+")
#: What renderers make links of without any markup, some of them also where its characters are escaped.
_LINKED = re.compile(r"//.|www\.|@\w", re.IGNORECASE)


def escaped_text(text: str, escape: Callable[[str], str]) -> str:
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
