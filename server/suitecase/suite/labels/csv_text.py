"""CSV with the place of each cell, as spreadsheets of many languages write it (RFC 4180 and wider).

Cells are separated by commas, semicolons or tabs. A cell in quotes may have separators and line breaks
in it, and quotes that are doubled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from suitecase.syntax.node import Span

SEPARATORS = (",", ";", "\t")

#: A first line by which spreadsheets say what separates cells.
_SEP_LINE = re.compile(r'"?sep=([,;\t])"?[^\r\n]*(?:\r\n|\n|\r|\Z)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, and its place without the quotes around it.

    Attributes:
        problem: why it cannot be read, if so.
    """

    text: str
    span: Span
    problem: str | None = None


def start_of_table(text: str) -> tuple[int, str | None]:
    """Return where the header starts, and the separator that a line before it names, if any."""
    start = 1 if text.startswith("\ufeff") else 0
    match = _SEP_LINE.match(text, start)
    return (match.end(), match[1]) if match else (start, None)


def rows(text: str, start: int, separator: str) -> Iterator[list[Cell]]:
    """Yield the rows of a table from an offset on; a blank line is a row with one empty cell."""
    cell = _cell(separator)
    row: list[Cell] = []
    at, end = start, len(text)
    while at < end or row:
        match = cell.match(text, at)
        if match is None:  # every text matches
            return
        row.append(_cell_of(match))
        at = match.end()
        if match["end"] != separator:
            yield row
            row = []


@cache
def _cell(separator: str) -> re.Pattern[str]:
    unquoted = rf"[^{separator}\r\n]*"
    return re.compile(
        rf'(?:[ ]*"(?P<quoted>[^"]*(?:""[^"]*)*)"(?P<behind>{unquoted})|(?P<plain>{unquoted}))'
        rf"(?P<end>{separator}|\r\n|\n|\r|\Z)"
    )


def _cell_of(match: re.Match[str]) -> Cell:
    text = match["quoted"]
    if text is None:
        text, span = match["plain"], Span(*match.span("plain"))
        problem = "the quote that starts this cell is not closed" if text[:1] == '"' else None
        return Cell(text, span, problem)
    problem = None
    if match["behind"].strip(" "):
        problem = "there is text behind the closing quote; double a quote that belongs to the text"
    return Cell(text.replace('""', '"'), Span(*match.span("quoted")), problem)
