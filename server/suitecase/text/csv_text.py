"""CSV with the place of each cell, as spreadsheets of many languages write it (RFC 4180 and wider).

Cells are separated by commas, semicolons or tabs. A cell in quotes may have separators and line breaks
in it, and quotes that are doubled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from suitecase.text.node import Span

SEPARATORS = (",", ";", "\t")

#: A first line by which spreadsheets say what separates cells.
_SEP_LINE = re.compile(r'"?sep=([,;\t])"?[^\r\n]*(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
#: A row without quotes, which is nearly every one.
_PLAIN_LINE = re.compile(r'([^"\r\n]*)(?:\r\n|\n|\r|\Z)')


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


def row_at(text: str, at: int, separator: str) -> tuple[list[Cell], int]:
    """Return the row of a table that starts at an offset, and where the next one starts.

    A blank line is a row with one empty cell.
    """
    cell = _cell(separator)
    row: list[Cell] = []
    while match := cell.match(text, at):
        row.append(_cell_of(match))
        at = match.end()
        if match["end"] != separator:
            break
    return row, at


def plain_row_at(text: str, at: int, separator: str) -> tuple[list[str], int] | None:
    """Return the texts of the cells of a row without quotes, and where the next one starts."""
    match = _PLAIN_LINE.match(text, at)
    return None if match is None else (match[1].split(separator), match.end())


class PlainCells(Mapping[str, Span]):
    """The places of the cells of a row without quotes, computed when somebody asks.

    Args:
        start: where the row starts.
        texts: its cells.
        columns: the number of each column.
    """

    __slots__ = ("_columns", "_start", "_texts")

    def __init__(self, start: int, texts: Sequence[str], columns: Mapping[str, int]) -> None:
        self._start = start
        self._texts = texts
        self._columns = columns

    def __getitem__(self, name: str) -> Span:
        number = self._columns[name]
        start = self._start + sum(map(len, self._texts[:number])) + number
        return Span(start, start + len(self._texts[number]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


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
