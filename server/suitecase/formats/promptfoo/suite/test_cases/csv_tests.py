"""Tests in a CSV: what promptfoo makes of each column, with the place of each cell.

The columns are those of promptfoo, version 0.121.20. A column with any other name is a variable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from suitecase.text.csv_text import Cell, row_at
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.node import Span
from suitecase.text.recent import recent

#: What separates cells unless an environment variable of promptfoo says otherwise.
SEPARATOR = ","
_OTHER_SEPARATORS = (";", "\t", "|")


class ColumnKind(Enum):
    """What promptfoo takes a column for."""

    VARIABLE = "variable"
    EXPECTED = "__expected"
    PREFIX = "__prefix"
    SUFFIX = "__suffix"
    DESCRIPTION = "__description"
    PROVIDER_OUTPUT = "__providerOutput"
    METRIC = "__metric"
    THRESHOLD = "__threshold"
    METADATA = "__metadata:"
    #: The threshold of one of the assertions.
    CONFIG = "__config:"
    #: `__metadata` without a key, which promptfoo leaves out with a warning.
    IGNORED = "__metadata"


_NAMED: dict[str, ColumnKind] = {
    it.value: it
    for it in ColumnKind
    if it not in (ColumnKind.VARIABLE, ColumnKind.EXPECTED, ColumnKind.METADATA, ColumnKind.CONFIG)
}
#: The names that people mean by a column of a special name.
SPECIAL_NAMES = tuple(it.value for it in ColumnKind if it.value.startswith("__"))
_PREFIXES: tuple[ColumnKind, ...] = (ColumnKind.EXPECTED, ColumnKind.METADATA, ColumnKind.CONFIG)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name without blanks around it, and what promptfoo takes it for."""

    name: str
    kind: ColumnKind
    span: Span


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row that is a test; `number` counts from 1, as the description that promptfoo gives it."""

    number: int
    cells: tuple[Cell, ...]

    @property
    def span(self) -> Span:
        return Span(self.cells[0].span.start, self.cells[-1].span.end)

    @property
    def is_blank(self) -> bool:
        return len(self.cells) == 1 and not self.cells[0].text


@dataclass(frozen=True, eq=False)
class CsvTable:
    """A CSV of tests, one object for each text. `separator` is the one that the header is read with."""

    columns: tuple[Column, ...]
    rows: tuple[CsvRow, ...]
    separator: str

    @cached_property
    def variables(self) -> dict[str, Span]:
        """The names of the variables, with the places of the columns; the last of one name counts."""
        return {
            column.name: column.span
            for column in self.columns
            if column.kind is ColumnKind.VARIABLE
        }

    def cells(self, row: CsvRow, kind: ColumnKind) -> list[tuple[Column, Cell]]:
        """Return the cells of a row in the columns of a kind."""
        pairs = zip(self.columns, row.cells, strict=False)
        return [(column, cell) for column, cell in pairs if column.kind is kind]

    def assertions(self, row: CsvRow) -> list[Cell]:
        """Return the cells of a row with an assertion."""
        return [it for _, it in self.cells(row, ColumnKind.EXPECTED) if it.text.strip()]

    def values(self, row: CsvRow) -> dict[str, str]:
        """Return the variables of a row."""
        return {it.name: cell.text for it, cell in self.cells(row, ColumnKind.VARIABLE)}

    def text(self, row: CsvRow, kind: ColumnKind) -> str:
        """Return the text of the last cell of a kind in a row; empty if there is none."""
        found = self.cells(row, kind)
        return found[-1][1].text if found else ""


@recent(most=64)
def read_table(text: str) -> CsvTable:
    """Read a CSV of tests. Never raises on any text."""
    with without_garbage_collection():
        return _read(text)


def _read(text: str) -> CsvTable:
    at = int(text.startswith("\ufeff"))
    separator = _separator(text, at)
    if at >= len(text):
        return CsvTable((), (), separator)
    header, at = row_at(text, at, separator)
    columns = tuple(_column(it) for it in header)
    rows: list[CsvRow] = []
    while at < len(text):
        cells, after = row_at(text, at, separator)
        if after <= at:
            break
        rows.append(CsvRow(len(rows) + 1, tuple(cells)))
        at = after
    return CsvTable(columns, tuple(rows), separator)


def _separator(text: str, at: int) -> str:
    """Return the separator: that of promptfoo, unless only another one stands in the header."""
    header = re.match(r"[^\r\n]*", text[at:])
    line = header[0] if header else ""
    if SEPARATOR in line:
        return SEPARATOR
    return next(
        (other_separator for other_separator in _OTHER_SEPARATORS if other_separator in line),
        SEPARATOR,
    )


def _column(cell: Cell) -> Column:
    name = cell.text.strip()
    kind: ColumnKind = _NAMED.get(name) or next(
        (prefix for prefix in _PREFIXES if name.startswith(prefix.value)), ColumnKind.VARIABLE
    )
    return Column(name, kind, cell.span)
