"""Positions as clients count them, found in another way than the server finds them."""

from __future__ import annotations

import re

BREAK = re.compile(r"\r\n|\n|\r")
ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
#: What breaks lines, what only looks as if it did, what is long in one encoding or another.
PIECES = [
    *("\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\ufeff", "\t"),
    *("a", "ä", "€", "😀", "👩\u200d🚀", "e\u0301", "- id: x", "  weight: -1", "[", '"', ": "),
]


def position(text: str, offset: int, encoding: str) -> dict[str, int]:
    """Return the position of an offset."""
    starts = [0, *(it.end() for it in BREAK.finditer(text))]
    line = max(number for number, start in enumerate(starts) if start <= offset)
    before = text[starts[line] : offset].encode(ENCODINGS[encoding])
    return {"line": line, "character": len(before) // WIDTHS[encoding]}


def places(text: str) -> list[int]:
    """Return the offsets that a cursor can be at: not within a line break."""
    return [it for it in range(len(text) + 1) if text[it - 1 : it + 1] != "\r\n" or it == 0]
