"""Markdown with embedded text from elsewhere, and its plain-text form."""

from __future__ import annotations

import re

from suitecase.text.encoders.markdown import with_addresses_as_code
from suitecase.text.encoders.visible import visible

_MARKUP = re.compile(r"\\([\\`*_\[\]<>!|#~$&])|\*\*|`")
_SPECIAL = re.compile(r"[\\`*_\[\]<>!|#~$&]")
_FENCE = re.compile(r"^(`{3,})\w*\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_RULE = re.compile(r"^---\n\n", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n]++)\]\(([^\s\[)]++)\)")
_TICKS = re.compile(r"`+")


def code(text: str) -> str:
    """Return a name as inline code."""
    return f"`{' '.join(visible(text).replace('`', '').split())}`"


def escaped(text: str) -> str:
    """Escape a text so that nothing in it is markup: no link, image, heading or HTML."""
    return with_addresses_as_code(visible(text), lambda part: _SPECIAL.sub(r"\\\g<0>", part))


def fenced(text: str, language: str = "text") -> str:
    """Return a text as a code block that nothing in it can end."""
    text = visible(text)
    longest = max((len(it) for it in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def cut_text(text: str, most: int) -> str:
    """Truncate a text to a length, with a note of how much was omitted."""
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most].rstrip()} … ({left_out:,} more characters)"


def plain_text(markdown: str) -> str:
    """Convert Markdown to plain text for clients that do not render it."""
    parts: list[str] = []
    at = 0
    for block in _FENCE.finditer(markdown):
        parts += [_unmarked(markdown[at : block.start()]), block[2]]
        at = block.end()
    parts.append(_unmarked(markdown[at:]))
    return "".join(parts)


def _unmarked(text: str) -> str:
    text = _RULE.sub("", _HEADING.sub("", text))
    return _MARKUP.sub(r"\1", _LINK.sub(r"\1 (\2)", text))
