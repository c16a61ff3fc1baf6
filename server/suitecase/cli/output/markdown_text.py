"""Texts of anybody in Markdown: shown as they stand, whatever they contain."""

from __future__ import annotations

import re

from suitecase.encoders.markdown import escaped_text
from suitecase.encoders.visible import visible

#: A text in a cell of a table has at most so many characters.
CELL = 300
_SPECIAL = re.compile(r"([\\`*_\[\]|~#$@:])")


def cut(text: str, most: int) -> str:
    """Return the start of a text, with the number of characters that are left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def html(text: str) -> str:
    """Return a text without control characters, whose HTML is shown and not interpreted."""
    clean = visible(text)
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped(text: str, most: int = CELL) -> str:
    """Return a text that is shown as it stands, on one line: it may be anybody's."""
    return "<br>".join(escaped_text(visible(cut(text, most)), _entities).splitlines())


def _entities(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", html(text))
