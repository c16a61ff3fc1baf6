"""What promptfoo makes of the columns `__config:__expected1:threshold` of a CSV, and what it refuses there.

As in version 0.121.20. A number belongs to an assertion by its place among those of a row: a blank cell
under `__expected` is none of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from suitecase.formats.promptfoo.suite.test_cases.csv_tests import (
    Column,
    ColumnKind,
    CsvRow,
    CsvTable,
)
from suitecase.text.csv_text import Cell

#: The one setting of an assertion that a column may have.
THRESHOLD = "threshold"
_NUMERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ASSERTION = re.compile(r"__expected([0-9]{0,9})")


def number_in(text: str) -> float | None:
    """Return the number in a cell; None if promptfoo reads none."""
    text = text.strip()
    found = float(text) if _NUMERAL.fullmatch(text) else math.inf
    return found if math.isfinite(found) else None


def problem_of_column(column: Column) -> str | None:
    """Return why promptfoo refuses a column `__config:`; None if it does not."""
    parts = _parts(column)
    if parts is None:
        return None
    assertion, setting = parts
    match = _ASSERTION.fullmatch(assertion)
    if match is None or (match[1] and int(match[1]) < 1):
        return f"`{assertion}` does not name a column such as `__expected` or `__expected2`"
    if setting != THRESHOLD:
        return f"`{setting}` cannot be set in a column, only `{THRESHOLD}` can"
    return None


def cells_of_thresholds(table: CsvTable, row: CsvRow) -> Iterator[tuple[int, Column, Cell]]:
    """Yield the cells of a row with the threshold of an assertion, with the number of it, from 0."""
    for column, cell in table.cells(row, ColumnKind.CONFIG):
        parts = _parts(column)
        if parts is not None and problem_of_column(column) is None:
            yield int(parts[0].removeprefix("__expected") or 1) - 1, column, cell


def thresholds(table: CsvTable, row: CsvRow) -> dict[int, float]:
    """Return the thresholds of a row by the number of the assertion, from 0."""
    found = ((at, number_in(cell.text)) for at, _, cell in cells_of_thresholds(table, row))
    return {at: number for at, number in found if number is not None}


def _parts(column: Column) -> tuple[str, str] | None:
    """Return which assertion a column is about, and what it sets; None if promptfoo leaves it out."""
    if column.kind is not ColumnKind.CONFIG:
        return None
    parts = column.name.removeprefix(ColumnKind.CONFIG.value).split(":")
    return (parts[0], parts[1]) if len(parts) == 2 else None
