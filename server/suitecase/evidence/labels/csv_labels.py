"""Labels in CSV: a row for each value, with a header that names the columns."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.labels.fields import Field, Labels
from suitecase.evidence.labels.label import COLUMNS, REQUIRED, LabelFile, LabelFormat
from suitecase.evidence.labels.spreadsheet_cells import unprotected
from suitecase.text.csv_text import SEPARATORS, Cell, plain_row_at, row_at, start_of_table
from suitecase.text.near_names import nearest
from suitecase.text.node import Span


def read_csv(text: str) -> LabelFile:
    """Return the labels of a CSV file; see `read_labels`."""
    found = Labels(text, LabelFormat.CSV)
    start, separator = start_of_table(text)
    separator = separator or _separator(text, start)
    header, at = _header(text, start, separator)
    if not header:
        found.problem(
            Span(start, start), f"the file is empty; its header must have {_named(REQUIRED)}"
        )
        return found.file
    columns = _columns(header, found)
    while columns is not None and at < len(text):
        plain = plain_row_at(text, at, separator)
        if plain is not None and found.add_plain(plain[0], at, columns, len(header)):
            at = plain[1]
            continue
        row, at = row_at(text, at, separator)
        if not _is_blank(row):
            _read_row(row, columns, len(header), separator, found)
    return found.file


def _separator(text: str, start: int) -> str:
    """Return the separator with which the header has the most columns that are known."""

    def known(separator: str) -> tuple[int, int]:
        header, _ = _header(text, start, separator)
        return len({_name(it) for it in header} & set(COLUMNS)), len(header)

    return max(SEPARATORS, key=known)


def _header(text: str, at: int, separator: str) -> tuple[list[Cell], int]:
    """Return the first row that is not blank, and where the next one starts; empty if there is none."""
    while at < len(text):
        row, at = row_at(text, at, separator)
        if not _is_blank(row):
            return row, at
    return [], at


def _columns(header: list[Cell], found: Labels) -> dict[str, int] | None:
    """Return the number of each column that is known; None if one is missing."""
    columns: dict[str, int] = {}
    for number, cell in enumerate(header):
        name = _name(cell)
        if name in COLUMNS and columns.setdefault(name, number) != number:
            found.problem(cell.span, f"the column `{name}` is there twice")
    missing = [it for it in REQUIRED if it not in columns]
    if not missing:
        return columns
    others = [_name(it) for it in header if _name(it) and _name(it) not in COLUMNS]
    for name in missing:
        near = nearest(name, others)
        named = next((it for it in header if near and _name(it) == near), None)
        whole = Span(header[0].span.start, header[-1].span.end)
        hint = f"; is `{near}` meant to be it?" if near else ""
        found.problem(named.span if named else whole, f"there is no column `{name}`{hint}")
    return None


def _read_row(
    row: list[Cell], columns: dict[str, int], width: int, separator: str, found: Labels
) -> None:
    broken = next((it for it in row if it.problem), None)
    if broken is not None and broken.problem is not None:
        found.problem(broken.span, broken.problem)
        return
    extra = [it for it in row[width:] if it.text.strip()]
    if extra:
        shown = {",": "commas", ";": "semicolons", "\t": "tabs"}[separator]
        found.problem(
            extra[0].span,
            f"this row has {len(row)} cells, and the header {width}; put quotes around cells that "
            f"have {shown} in them",
        )
        return
    fields = dict(_fields(row, columns))
    place = Span(row[0].span.start, row[-1].span.end)
    found.add(fields, place)


def _fields(row: list[Cell], columns: dict[str, int]) -> Iterator[tuple[str, Field]]:
    for name, number in columns.items():
        if number < len(row):
            yield name, _field(row[number])


def _field(cell: Cell) -> Field:
    stripped = cell.text.strip()
    text = unprotected(stripped)
    if text == cell.text:
        return Field(text, cell.span)
    before = len(cell.text) - len(cell.text.lstrip()) + len(stripped) - len(text)
    start = cell.span.start + before if text else cell.span.start
    end = cell.span.end - (len(cell.text) - len(cell.text.rstrip()))
    return Field(text, Span(start, max(start, end)))


def _name(cell: Cell) -> str:
    return cell.text.strip().casefold()


def _is_blank(row: list[Cell]) -> bool:
    return all(not it.text.strip() for it in row)


def _named(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
