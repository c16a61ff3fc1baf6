"""The table of cases of a page: rows of few cases, or columns of many in packed parts.

Packed parts are JSON that was compressed (deflate) and encoded (base64): a browser unpacks 100,000
cases in less time than it takes to parse their rows, and nothing in them can be read as markup.
"""

from __future__ import annotations

from array import array
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, NamedTuple
from zlib import MAX_WBITS, compressobj

from suitecase_evaluators.text.finite_json import finite_json

#: A page of more answers has packed columns and records in place of rows.
MOST_ROWS = 1_000
#: How many cases a packed part has.
_PART = 10_000

#: A column: key, heading, and the type of its values.
Column = tuple[str, str, str]


class CaseRow(NamedTuple):
    """A case in a table.

    Attributes:
        kinds: its kinds, such as verdicts, and how often each.
        rank: its place if the table is sorted by kind, which follows from the kinds.
        cells: a value for each column; a score and its verdict for the type `grade`.
        sides: the numbers of its answers, in each run.
        marked: whether the table's remark applies to it.
    """

    case: str
    kinds: tuple[tuple[str, int], ...]
    rank: int
    cells: Sequence[Any]
    tags: tuple[str, ...]
    sides: tuple[Sequence[int], ...]
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTable:
    """The cases of a page.

    Attributes:
        kind_name: what kinds are, such as `verdict`.
        kinds: each kind that occurs, with its label and the number of cases.
        columns: all columns.
        always: the keys of columns that are shown even if they are empty or alike everywhere.
        rows: the cases in the order of the table; read once.
        number: how many there are.
        answers: how many answers they have in all runs.
        sides: the names of the runs; an empty one if there is only one.
        mark: the remark about marked cases.
        by_case: whether links name cases by their ids, and not by their places.
    """

    kind_name: str
    kinds: Sequence[tuple[str, str, int]]
    columns: Sequence[Column]
    always: frozenset[str]
    rows: Iterable[CaseRow]
    number: int
    answers: int
    sides: tuple[str, ...] = ("",)
    mark: str = ""
    by_case: bool = True

    @property
    def is_large(self) -> bool:
        """Whether it has too many answers for a row and a record each."""
        return self.answers > MOST_ROWS

    def head(self, columns: Iterable[Column]) -> dict[str, Any]:
        """Return what the script needs to know about it besides its cases."""
        return {
            "kindName": self.kind_name,
            "kinds": [{"key": key, "label": label, "count": it} for key, label, it in self.kinds],
            "labels": {},
            "columns": [{"key": key, "label": label, "type": kind} for key, label, kind in columns],
        }

    def id_of(self, place: int, case: str, ids: dict[str, int]) -> tuple[str, int]:
        """Return the id by which links name a case, and which case of that id it is."""
        if not self.by_case:
            return str(place), 1
        ids[case] = times = ids.get(case, 0) + 1
        # If several rows have the same id, the later ones get a number.
        return (case if times == 1 else f"{case}#{times}"), times


def filled_columns(
    columns: Sequence[Column], cells: Sequence[Sequence[Any]], always: frozenset[str]
) -> tuple[list[Column], list[list[Any]]]:
    """Remove columns that are empty, or whose text is the same in all rows.

    Args:
        columns: all columns.
        cells: the values of each row.
        always: the keys of columns that are never removed.
    """

    def is_shown(at: int) -> bool:
        key, _, kind = columns[at]
        values = {row[at] for row in cells} if kind == "text" else None
        if key in always:
            return True
        return len(values) > 1 if values is not None else any(row[at] is not None for row in cells)

    shown_columns = [at for at in range(len(columns)) if is_shown(at)]
    return [columns[at] for at in shown_columns], [
        [row[at] for at in shown_columns] for row in cells
    ]


def plain_rows(table: CaseTable) -> tuple[dict[str, Any], list[CaseRow]]:
    """Return a table of few cases for the script, and its rows.

    The answers of the rows are numbered anew, in their order.
    """
    rows = list(table.rows)
    columns, cells = filled_columns(table.columns, [it.cells for it in rows], table.always)
    ids: dict[str, int] = {}
    number = 0
    listed = []
    for place, (row, values) in enumerate(zip(rows, cells, strict=True)):
        sides = []
        for name, answers in zip(table.sides, row.sides, strict=True):
            sides.append((name, [*range(number, number + len(answers))]))
            number += len(answers)
        listed.append(
            {
                "id": table.id_of(place, row.case, ids)[0],
                "kinds": row.kinds,
                "rank": row.rank,
                "cells": values,
                "tags": list(row.tags),
                "sides": sides,
                **({"mark": table.mark} if row.marked else {}),
            }
        )
    return {**table.head(columns), "rows": listed}, rows


@dataclass(slots=True)
class _Codes:
    """Values that occur again and again, and for each case the place of its own."""

    values: dict[Any, int] = field(default_factory=dict)
    of_cases: array[int] = field(default_factory=lambda: array("I"))

    def add(self, value: Any) -> None:
        self.of_cases.append(self.values.setdefault(value, len(self.values)))


class _PackedColumn:
    """The values of a column, eight bytes each but for the ids of cases."""

    def __init__(self, key: str, kind: str) -> None:
        self.kind = kind
        self.cases: list[str] | None = [] if key == "case" else None
        self.texts = _Codes() if kind == "text" and key != "case" else None
        self.numbers = array("d")
        self.verdicts = _Codes()

    def add(self, value: Any) -> None:
        if self.cases is not None:
            self.cases.append(value)
        elif self.texts is not None:
            self.texts.add(value)
        elif self.kind == "grade":
            score, verdict = value if value is not None else (None, None)
            self.numbers.append(nan if score is None else score)
            self.verdicts.add(verdict)
        elif self.kind != "kind":
            self.numbers.append(nan if value is None else value)

    @property
    def is_filled(self) -> bool:
        if self.texts is not None:
            return len(self.texts.values) > 1
        return not all(map(isnan, self.numbers))

    def part(self, start: int, verdicts: Mapping[Any, int]) -> list[Any]:
        """Return the values of the cases of a part."""
        end = start + _PART
        if self.cases is not None:
            return self.cases[start:end]
        if self.texts is not None:
            return list(self.texts.of_cases[start:end])
        numbers = [None if isnan(number) else _short(number) for number in self.numbers[start:end]]
        if self.kind != "grade":
            return numbers
        own = list(self.verdicts.values)
        codes = [own[of_case] for of_case in self.verdicts.of_cases[start:end]]
        return [
            None if verdict is None else (score, verdicts[verdict])
            for score, verdict in zip(numbers, codes, strict=True)
        ]


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def packed_table(
    table: CaseTable, block: int, addresses: Sequence[str] | None
) -> tuple[dict[str, Any], Iterator[str]]:
    """Return a table of many cases for the script, and its packed parts.

    Args:
        table: the table.
        block: how many records a block has.
        addresses: where a server has the blocks of each run; None if the page has them.
    """
    columns = [_PackedColumn(key, kind) for key, _, kind in table.columns]
    kinds, tags = _Codes(), _Codes()
    ranks: list[int] = []
    marked = bytearray()
    sides = [array("q") for _ in table.sides]
    #: The answers of a case that has none, or several, in a run.
    several: list[Sequence[int]] = []
    ids: dict[str, int] = {}
    again: dict[int, int] = {}
    for place, row in enumerate(table.rows):
        for column, value in zip(columns, row.cells, strict=True):
            column.add(value)
        kinds.add(row.kinds)
        if len(ranks) < len(kinds.values):
            ranks.append(row.rank)
        tags.add(row.tags)
        marked.append(row.marked)
        for numbers, answers in zip(sides, row.sides, strict=True):
            if len(answers) == 1:
                numbers.append(answers[0])
            else:
                several.append(answers)
                numbers.append(-len(several))
        _, times = table.id_of(place, row.case, ids)
        if times > 1:
            again[place] = times
    ids.clear()
    shown = [
        at
        for at, (key, _, _) in enumerate(table.columns)
        if key in table.always or columns[at].is_filled
    ]
    verdicts: dict[Any, int] = {}
    for column in columns:
        for verdict in column.verdicts.values:
            verdicts.setdefault(verdict, len(verdicts))
    texts = {
        table.columns[at][0]: list(own.values)
        for at in shown
        if (own := columns[at].texts) is not None
    }

    def parts() -> Iterator[str]:
        for start in range(0, table.number, _PART):
            end = start + _PART
            part: dict[str, Any] = {
                "kinds": list(kinds.of_cases[start:end]),
                "tags": list(tags.of_cases[start:end]),
                "marked": list(marked[start:end]),
            }
            for name, at in enumerate(shown):
                part[f"cell{name}"] = columns[at].part(start, verdicts)
            for name, numbers in enumerate(sides):
                part[f"side{name}"] = [
                    number if number >= 0 else several[-1 - number] for number in numbers[start:end]
                ]
            yield packed(finite_json(part, separators=(",", ":")).encode())

    large = {
        "number": table.number,
        "part": _PART,
        "block": block,
        "addresses": addresses,
        "kindSets": list(kinds.values),
        "ranks": ranks,
        "tagSets": list(tags.values),
        "texts": texts,
        "verdicts": list(verdicts),
        "sides": table.sides,
        "mark": table.mark,
        "again": again if table.by_case else None,
    }
    return {**table.head(table.columns[at] for at in shown), "rows": [], "large": large}, parts()


def packed(data: bytes) -> str:
    """Return data as text in which there is neither markup nor script."""
    compressor = compressobj(wbits=-MAX_WBITS)
    return b64encode(compressor.compress(data) + compressor.flush()).decode()
