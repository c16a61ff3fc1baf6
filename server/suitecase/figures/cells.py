"""What each case adds to a figure: its value, and the lowest and highest that it may have.

A case's value is the mean over its graded answers, or the formula of the figure. Cases weigh alike,
however many of their answers came.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from suitecase.figures.answer_values import NOTHING, PASSES, Measure
from suitecase.figures.asked import Asked
from suitecase.figures.gates.meaning import FigureKind, Meaning, Unit
from suitecase.figures.gates.slices import CaseFacts, choose_slice, has_case
from suitecase.figures.statistics.repeats import pass_at_k, pass_hat_k
from suitecase.figures.table import Table

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Kinds of which an evaluator's result has more than one number.
_PARTS = (
    FigureKind.EVALUATOR_PART,
    FigureKind.MACRO_F1,
    FigureKind.RECALL,
    FigureKind.TIES,
    FigureKind.CONSISTENCY,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure by case, for all cases of a table; not a number where a case has no part in it.

    Attributes:
        value: from the answers that came.
        lowest: with every missing answer counted as the lowest value.
        highest: the same with the highest value, infinite where there is none.
        missing: how many answers of the case are missing.
        nothing: how many answers of the case there was nothing to grade by.
    """

    value: Floats
    lowest: Floats
    highest: Floats
    missing: NDArray[np.int64]
    nothing: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Counts:
    """Of each case: answers with a value, their sum, missing ones, ones with nothing to grade by."""

    graded: Floats
    total: Floats
    missing: NDArray[np.int64]
    nothing: NDArray[np.int64]


class Cases:
    """The cases of a table with what today's suite says of them."""

    def __init__(self, table: Table, asked: Asked | None) -> None:
        self.table = table
        self.asked = asked
        self.ids = tuple(table.cases)
        self.case_of = np.frombuffer(table.case_of, dtype=np.uint32) if table.case_of else _none()
        self.alive = np.frombuffer(bytes(table.counting), dtype=np.uint8).astype(bool)
        self.broken = np.frombuffer(bytes(table.broken), dtype=np.uint8).astype(bool) & self.alive
        self._cells: dict[Meaning, Cell] = {}
        self._masks: dict[str, Mask] = {}

    @cached_property
    def unrecorded(self) -> NDArray[np.int64]:
        """How many planned answers of each case have no record."""
        recorded = np.bincount(self.case_of[self.alive], minlength=len(self.ids))
        return np.maximum(self.table.repeats - recorded, 0)

    @cached_property
    def unanswered(self) -> Mask:
        """Which cases have an answer that is an error or was not asked, so that a run can ask again."""
        broken = np.bincount(self.case_of[self.broken], minlength=len(self.ids)) > 0
        return broken | (self.unrecorded > 0)

    @cached_property
    def facts(self) -> tuple[CaseFacts | None, ...]:
        """What slices look at: of today's suite where it has the case, else of the record."""
        known = self.asked.cases if self.asked is not None else {}
        return tuple(
            known[case].facts if case in known else recorded.facts
            for case, recorded in self.table.cases.items()
        )

    @cached_property
    def unit_of(self) -> NDArray[np.int64]:
        """The unit of resampling of each case: its group, else the case itself."""
        known = self.asked.cases if self.asked is not None else {}
        numbers: dict[tuple[bool, str], int] = {}
        units = []
        for case, recorded in self.table.cases.items():
            group = known[case].group if case in known else recorded.group
            key = (group is not None, case if group is None else group)
            units.append(numbers.setdefault(key, len(numbers)))
        return np.array(units, dtype=np.int64)

    @cached_property
    def without_facts(self) -> int:
        """Of how many cases it is not known which slices they are in."""
        return sum(fact is None for fact in self.facts)

    @cached_property
    def tags(self) -> frozenset[str]:
        """The tags of the cases, and of those of today's suite."""
        found = {tag for fact in self.facts if fact is not None for tag in fact.tags}
        if self.asked is not None:
            found |= {tag for case in self.asked.cases.values() for tag in case.facts.tags}
        return frozenset(found)

    def in_slice(self, name: str) -> Mask | None:
        """Return which cases a slice has; None if there is no slice and no tag of that name."""
        if name not in self._masks:
            slices = self.asked.slices if self.asked is not None else {}
            choice = choose_slice(name, slices, self.tags)
            if choice is None:
                return None
            self._masks[name] = np.array(
                [fact is not None and has_case(choice, slices, fact) for fact in self.facts],
                dtype=bool,
            )
        return self._masks[name]

    def cell(self, meaning: Meaning) -> Cell:
        """Return a figure by case. Of macro F1 it only says which answers are missing."""
        found = self._cells.get(meaning)
        if found is None:
            found = self._cells[meaning] = self._cell(meaning)
        return found

    def _cell(self, meaning: Meaning) -> Cell:
        counts = self.counts(meaning)
        if meaning.k is not None:
            return _of_repeats(counts, meaning.kind, meaning.k)
        lo, hi = (0.0, 1.0) if meaning.unit is Unit.SHARE else (0.0, np.inf)
        total, graded = counts.total, counts.graded
        if meaning.kind is FigureKind.VIOLATION_RATE:
            total = graded - total
        every = graded + counts.missing
        with np.errstate(invalid="ignore", divide="ignore"):
            value = total / graded
            lowest = (total + counts.missing * lo) / every
            extra = np.where(counts.missing > 0, counts.missing * hi, 0.0)
            highest = (total + extra) / every
        return Cell(value, lowest, highest, counts.missing, counts.nothing)

    def counts(self, meaning: Meaning) -> _Counts:
        """Count the answers of each case."""
        rows, values = self.entries(meaning)
        case = self.case_of[rows]
        size = len(self.ids)
        nothing = np.isinf(values)
        lost = np.isnan(values)
        graded = ~(nothing | lost)
        count = np.bincount(case[graded], minlength=size).astype(np.float64)
        total = np.bincount(case[graded], weights=values[graded], minlength=size).astype(np.float64)
        missing = np.bincount(case[lost], minlength=size)
        unaccounted = self._unaccounted(meaning, rows)
        if meaning.kind is FigureKind.ERROR_RATE:
            count, total = count + unaccounted, total + unaccounted
        else:
            missing = missing + unaccounted
        return _Counts(count, total, missing, np.bincount(case[nothing], minlength=size))

    def entries(self, meaning: Meaning) -> tuple[NDArray[np.uint32], Floats]:
        """Return the answers that have a number of a figure, and the numbers."""
        column = self.table.columns.get(_measure(meaning))
        if column is None:
            return _none(), np.zeros(0)
        rows = np.frombuffer(column.rows, dtype=np.uint32)
        values = np.frombuffer(column.values, dtype=np.float64)
        if not self.alive.all():
            alive = self.alive[rows]
            rows, values = rows[alive], values[alive]
        if meaning.kind is FigureKind.RECALL:
            values = self._recalled(values, meaning.part or "")
        return rows, values

    def _recalled(self, values: Floats, label: str) -> Floats:
        """Return whether each answer has the label that is expected, where it is this one."""
        known = [
            (float(it.predicted == label) if it.expected == label else NOTHING)
            for it in self.table.labels
        ]
        table: Floats = np.array([*known, np.nan])
        recalled: Floats = table[np.where(np.isfinite(values), values, -1).astype(int)]
        return recalled

    def _unaccounted(self, meaning: Meaning, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Count the answers without a number of the figure that should have one."""
        size = len(self.ids)
        if meaning.evaluator is None:
            return self.unrecorded
        lost = self.broken.copy()
        if meaning.kind in _PARTS:
            whole, scores = self.entries(Meaning(FigureKind.EVALUATOR_SCORE, meaning.evaluator))
            lost[whole[np.isnan(scores)]] = True
        lost[rows] = False
        missing = np.bincount(self.case_of[lost], minlength=size) + self.unrecorded
        if not missing.any():
            return missing
        has = np.zeros(size, dtype=bool)
        has[self.case_of[rows]] = True
        for case in np.flatnonzero((missing > 0) & ~has):
            has[case] = self._may_have(int(case), meaning)
        return np.where(has, missing, 0)

    def _may_have(self, case: int, meaning: Meaning) -> bool:
        """Whether a case none of whose answers has a number of a figure should have one."""
        known = self.asked.cases.get(self.ids[case]) if self.asked is not None else None
        if known is not None and known.evaluators is not None:
            evaluator = meaning.evaluator or ""
            if evaluator not in known.evaluators:
                return False
            own = known.evaluators[evaluator]
            parts = own.parts if own is not None else frozenset()
            of_part = meaning.kind is FigureKind.EVALUATOR_PART and bool(parts)
            return not of_part or meaning.part in parts
        # Only records tell: a case with an answer that was graded in full has all of its evaluators.
        return not bool((self.alive & ~self.broken & (self.case_of == case)).any())


def _none() -> NDArray[np.uint32]:
    return np.zeros(0, dtype=np.uint32)


def _measure(meaning: Meaning) -> Measure:
    match meaning.kind:
        case FigureKind.VIOLATION_RATE | FigureKind.PASS_AT | FigureKind.PASS_HAT:
            return PASSES
        case FigureKind.RECALL | FigureKind.MACRO_F1:
            return Measure(FigureKind.MACRO_F1, meaning.evaluator)
        case kind:
            return Measure(kind, meaning.evaluator, meaning.part)


def _of_repeats(counts: _Counts, kind: FigureKind, k: int) -> Cell:
    """Return pass@k or pass^k by case; a case with fewer than k answers has no value."""
    formula = pass_at_k if kind is FigureKind.PASS_AT else pass_hat_k
    known: dict[tuple[int, int], float] = {}

    def of(n: Floats, c: Floats, otherwise: float) -> Floats:
        for pair in set(zip(n.astype(int).tolist(), c.astype(int).tolist(), strict=True)):
            if pair not in known and pair[0] >= k:
                known[pair] = formula(*pair, k)
        pairs = zip(n.astype(int).tolist(), c.astype(int).tolist(), strict=True)
        return np.array([known.get(it, otherwise) for it in pairs], dtype=np.float64)

    graded, passed, missing = counts.graded, counts.total, counts.missing
    every = graded + missing
    value = of(graded, passed, np.nan)
    nowhere = every == 0
    lowest = np.where(nowhere, np.nan, of(every, passed, 0.0))
    highest = np.where(nowhere, np.nan, of(every, passed + missing, 1.0))
    # What could never be k answers is missing, too.
    lacking = np.where((every > 0) & (every < k), k - every, 0).astype(np.int64)
    return Cell(value, lowest, highest, missing + lacking, counts.nothing)
