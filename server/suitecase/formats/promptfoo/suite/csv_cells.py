"""The cells of a CSV, each with the places of its characters."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text without quotes, and where its content starts in the file."""

    text: str
    start: int
    end: int
    quoted: bool

    def locate(self, first: int, end: int) -> Span:
        """Return the span in the file of a stretch of the text."""
        if not self.quoted:
            return Span(self.start + first, self.start + end)
        return Span(
            self._offset(first), self._offset(end - 1) + 1 if end > first else self._offset(first)
        )

    def _offset(self, place: int) -> int:
        # Each quote of the text is two in the file.
        return self.start + place + self.text.count('"', 0, place)


def csv_rows(text: str, delimiter: str = ",") -> list[list[Cell]]:
    """Return the rows that are not empty; a cell is quoted if it starts with a quote."""
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    at = int(text.startswith("\ufeff"))
    size = len(text)
    while at <= size:
        while at < size and text[at] in " \t" and text[at] != delimiter:
            at += 1
        cell, at = _cell(text, at, delimiter)
        row.append(cell)
        if at < size and text[at] == delimiter:
            at += 1
            continue
        if len(row) > 1 or row[0].text or row[0].quoted:
            rows.append(row)
        row = []
        if at >= size:
            break
        at += 2 if text.startswith("\r\n", at) else 1
        if at >= size:
            break
    return rows


def _cell(text: str, at: int, delimiter: str) -> tuple[Cell, int]:
    """Return the cell at a place, and the place of what ends it."""
    if text[at : at + 1] == '"':
        end = at + 1
        while True:
            end = text.find('"', end)
            if end < 0:
                end = len(text)
                break
            if text[end + 1 : end + 2] != '"':
                break
            end += 2
        after = end + 1
        while after < len(text) and text[after] in " \t" and text[after] != delimiter:
            after += 1
        if after >= len(text) or text[after] in "\r\n" or text[after] == delimiter:
            content = text[at + 1 : end].replace('""', '"')
            return Cell(content, at + 1, end, quoted=True), min(after, len(text))
    end = at
    while end < len(text) and text[end] not in "\r\n" and text[end] != delimiter:
        end += 1
    content = text[at:end].rstrip(" \t")
    return Cell(content, at, at + len(content), quoted=False), end
