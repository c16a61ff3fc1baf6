"""Measuring figures: estimates with their intervals, from the answers of one target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from suitecase.figures.answer_values import Measure
from suitecase.figures.asked import Asked
from suitecase.figures.case_values import CaseValues
from suitecase.figures.cells import Cases, Floats
from suitecase.figures.correcting import corrected, is_corrected, judge_of
from suitecase.figures.file_data import CalibratedJudge
from suitecase.figures.file_names import file_figure
from suitecase.figures.gates.grammar import (
    Call,
    Expression,
    Extreme,
    Figure,
    Sum,
    functions_in,
    sum_of,
)
from suitecase.figures.gates.meaning import EvaluatorNames, FigureKind, FigureNames, Unit
from suitecase.figures.measured import Measured, MeasuredFigure
from suitecase.figures.measuring_files import FileFigures
from suitecase.figures.quantities import Quantities
from suitecase.figures.quantity import Counting, NotMeasuredError, Quantity
from suitecase.figures.statistics.bca import FEW, widened
from suitecase.figures.statistics.binomial import proportion_interval
from suitecase.figures.statistics.interval import Interval, Method, NoInterval
from suitecase.figures.statistics.permutation import gap_p
from suitecase.figures.statistics.resampling import Statistic, bootstrap
from suitecase.figures.table import Table
from suitecase.format.figure_keys import Intervals

_UNITS = {
    Unit.SHARE: "share",
    Unit.MILLISECONDS: "ms",
    Unit.US_DOLLARS: "usd",
    Unit.TOKENS: "tokens",
    Unit.COEFFICIENT: "coefficient",
}
#: Ways in which missing answers may come out, for the bounds of an interval.
_COMPLETIONS: tuple[Counting, ...] = ("lowest", "likely", "mixed", "highest")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An expression to measure, with its text for people."""

    expression: Expression
    text: str


class Measurer:
    """Measures figures of one target in a run."""

    def __init__(
        self,
        table: Table,
        asked: Asked | None,
        baseline: Table | None = None,
        files: FileFigures | None = None,
    ) -> None:
        self.cases = Cases(table, asked)
        self.before = Cases(baseline, asked) if baseline is not None else None
        self.asked = asked
        self.intervals = asked.intervals if asked is not None else Intervals()
        self.names = names_of(table, asked)
        self._files = files if files is not None or asked is None else FileFigures(asked)

    def measure(self, wanted: Sequence[Wanted], *, cases: bool = True) -> list[Measured]:
        """Measure expressions, each with its interval.

        Args:
            wanted: the expressions.
            cases: whether it is known afterwards what each case came to, and which are missing.
        """
        together: dict[str | None, list[int]] = {}
        found: dict[int, Measured] = {}
        for number, it in enumerate(wanted):
            of_files = self._of_files(it)
            if of_files is not None:
                found[number] = of_files
            else:
                together.setdefault(_slice_of(it.expression), []).append(number)
        # Foreign records may have numbers whose sums overflow; such a figure has no estimate.
        with np.errstate(all="ignore"):
            for numbers in together.values():
                measured = self._together([wanted[it] for it in numbers], cases=cases)
                found.update(zip(numbers, measured, strict=True))
        return [found[it] for it in range(len(wanted))]

    def _of_files(self, wanted: Wanted) -> Measured | None:
        """Return a figure that is not computed from answers; None if it is another one."""
        meaning = file_figure(wanted.expression, self.names)
        if meaning is None or self._files is None:
            return None
        return self._files.measured(meaning, wanted.text, self.cases.table.target)

    def _together(self, wanted: Sequence[Wanted], *, cases: bool) -> list[Measured]:
        """Measure expressions of the same cases, whose draws are shared."""
        batch = _Batch(self)
        prepared = [batch.prepared(it) for it in wanted]
        batch.resample()
        found = [batch.measured(it) for it in prepared]
        return found if cases else [replace(it, by_case=None, missing=()) for it in found]


@dataclass(slots=True)
class _Prepared:
    wanted: Wanted
    problem: str | None = None
    came: Quantity | None = None
    lowest: Quantity | None = None
    highest: Quantity | None = None
    completions: tuple[Quantity, ...] = ()
    #: The judge that a rate is to be corrected for.
    judge: CalibratedJudge | None = None
    needed: str = ""


class _Batch:
    def __init__(self, measurer: Measurer) -> None:
        asked = measurer.asked
        self.measurer = measurer
        self.quantities = Quantities(
            measurer.cases,
            measurer.names,
            asked.slices if asked is not None else {},
            asked.metrics if asked is not None else {},
            measurer.before,
        )
        self.all: list[Quantity] = []
        self._totals: Floats = np.zeros((0, 0))
        self._sums: Floats = np.zeros(0)
        self._intervals: dict[int, Interval | NoInterval] = {}

    def prepared(self, wanted: Wanted) -> _Prepared:
        """Note what has to be resampled for an expression."""
        make, judge, measurer = self.quantities.quantity, None, self.measurer
        try:
            if is_corrected(wanted.expression):
                judge = judge_of(wanted.expression, measurer.names, measurer.asked)
            came = make(wanted.expression)
        except NotMeasuredError as error:
            return _Prepared(wanted, error.message, needed=error.needed)
        found = _Prepared(wanted, None, came, came, came, judge=judge)
        self.all.append(came)
        if came.missing.any():
            found.lowest = make(wanted.expression, "lowest")
            found.highest = make(wanted.expression, "highest")
            if {"lower", "upper"} & {function.text for function in functions_in(wanted.expression)}:
                quantities = [found.lowest, found.highest]
                if not came.two_valued:
                    quantities = [
                        make(wanted.expression, completion) for completion in _COMPLETIONS
                    ]
                found.completions = tuple(quantities)
                self.all += [quantity for quantity in quantities if quantity.exact]
        return found

    def resample(self) -> None:
        """Compute the intervals of all that was prepared."""
        totals = self.quantities.totals()
        self._sums = totals.sum(axis=0)
        infinite = {
            number for number in range(totals.shape[1]) if not np.isfinite(totals[:, number]).all()
        }
        # Latency has no highest value that a missing answer could be counted with.
        self._totals = np.where(np.isfinite(totals), totals, 0.0) if infinite else totals
        intervals = self.measurer.intervals
        todo: list[Quantity] = []
        for it in self.all:
            if not infinite.isdisjoint(it.columns):
                reason = "a missing answer may have any value"
                self._intervals[id(it)] = NoInterval(reason, self._units(it))
            elif (computed := self._computed(it)) is not None:
                self._intervals[id(it)] = computed
            else:
                todo.append(it)
        if todo:
            found = bootstrap(
                self._totals,
                [Statistic(it.of, it.bounds, it.smooth, tuple(sorted(it.columns))) for it in todo],
                confidence=intervals.confidence,
                resamples=intervals.resamples,
                seed=str(intervals.seed),
            )
            for it, own in zip(todo, found, strict=True):
                self._intervals[id(it)] = self._with_few(it, own)

    def _computed(self, quantity: Quantity) -> Interval | NoInterval | None:
        """Return the interval of a share of cases that are 0 or 1 each: it needs no draws."""
        if quantity.by_case is None or not quantity.smooth or quantity.bounds != (0.0, 1.0):
            return None
        values = quantity.by_case[quantity.used]
        if len(values) != self._units(quantity) or not np.isin(values, (0.0, 1.0)).all():
            return None
        confidence = self.measurer.intervals.confidence
        return proportion_interval(int(values.sum()), len(values), confidence)

    def _with_few(
        self, quantity: Quantity, interval: Interval | NoInterval
    ) -> Interval | NoInterval:
        """Return an interval that is as wide as that of each part of which few units differ.

        Resampling sees too little of such a part, for example of a slice in which every case passes.
        """
        if not isinstance(interval, Interval):
            return interval
        confidence = self.measurer.intervals.confidence
        ends = [interval.low, interval.high]
        for share in quantity.shares:
            tops, counts = self._totals[:, share.top], self._totals[:, share.count]
            own = np.round((tops[counts > 0] / counts[counts > 0]), 12)
            units = len(own)
            common = np.unique(own, return_counts=True)[1].max() if units else 0
            if units - common >= FEW or not units:
                continue
            if share.bounds is None:
                if common == 1:  # few units, which all differ
                    continue
                return NoInterval("nearly all cases have the same value", interval.units)
            if share.decides:
                whole = float(quantity.of(self._sums))
                ends += widened(whole, units, confidence, quantity.bounds or share.bounds)
                continue
            estimate = float(tops.sum() / counts.sum())
            for end in widened(estimate, units, confidence, share.bounds):
                sums = self._sums.copy()
                sums[share.top] = end * sums[share.count]
                ends.append(float(quantity.of(sums)))
        low, high = np.nanmin(ends), np.nanmax(ends)
        if (low, high) == (interval.low, interval.high):
            return interval
        method = interval.method
        if method in (Method.BCA, Method.PERCENTILE):
            method = Method(f"{method}_widened")
        return Interval(float(low), float(high), method, interval.units)

    def _units(self, quantity: Quantity) -> int:
        return len(np.unique(self.measurer.cases.unit_of[quantity.used]))

    def _value(self, quantity: Quantity) -> float | None:
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(quantity.of(self._sums))
        return None if math.isnan(value) else value

    def measured(self, prepared: _Prepared) -> Measured:
        """Return what came of an expression."""
        came, lowest, highest = prepared.came, prepared.lowest, prepared.highest
        if came is None or lowest is None or highest is None:
            return Measured(None, prepared.problem, needed=prepared.needed)
        intervals = self.measurer.intervals
        interval = self._intervals[id(came)]
        estimate = _finite(self._value(came))
        if estimate is None:
            interval = NoInterval("there is no estimate", interval.units)
        drawn = isinstance(interval, Interval) and interval.method.random
        figure, slice_ = _name(prepared.wanted)
        missing = came.missing
        measured = MeasuredFigure(
            figure=figure,
            slice=slice_,
            target=self.measurer.cases.table.target,
            unit=_UNITS[came.unit],
            cases=int(came.used.sum()),
            estimate=estimate,
            interval=interval,
            lowest=_finite(self._value(lowest)),
            highest=_finite(self._value(highest)),
            confidence=intervals.confidence,
            resamples=intervals.resamples if drawn else None,
            seed=intervals.seed if drawn else None,
            missing=int(missing.sum()),
            not_evaluated=int(came.nothing.sum()),
            values={name: self._part(of) for name, of in came.parts.items()},
            p=self._gap_p(came),
        )
        ids = self.measurer.cases.ids
        by_case = None
        if came.by_case is not None:
            by_case = CaseValues(ids, came.by_case, came.used)
        bounds = None
        if all(completion.exact for completion in prepared.completions):
            bounds = tuple(self._intervals[id(completion)] for completion in prepared.completions)
        lost = tuple(ids[it] for it in np.flatnonzero(missing))
        unanswered = bool((self.measurer.cases.unanswered & (missing > 0)).any())
        # Bounds of the interval of a share of units rise with each unit; others need not.
        sharp = not prepared.completions or all(
            completion.two_valued and self._computed(completion) is not None
            for completion in prepared.completions
        )
        found = Measured(measured, None, by_case, lost, unanswered, sharp, bounds)
        if prepared.judge is None:
            return found
        rates = [
            (self._value(completion), self._units(completion))
            for completion in prepared.completions
        ]
        return corrected(found, prepared.judge, rates)

    def _part(self, of: object) -> float | None:
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(of(self._sums))  # type: ignore[operator]
        return None if math.isnan(value) else value

    def _gap_p(self, quantity: Quantity) -> float | None:
        """Return how likely a gap is by chance: cases, or whole groups, change places."""
        if quantity.facet is None or quantity.by_case is None:
            return None
        cases = self.measurer.cases
        used = np.flatnonzero(quantity.used)
        if not len(used):
            return None
        labels = [quantity.facet[it] for it in used]
        values: Floats = quantity.by_case[used]
        counts: Floats = np.ones(len(used))
        units, inverse = np.unique(cases.unit_of[used], return_inverse=True)
        of_unit: dict[int, str | None] = dict(zip(inverse.tolist(), labels, strict=True))
        if len(units) < len(used) and all(
            of_unit[unit] == label for unit, label in zip(inverse.tolist(), labels, strict=True)
        ):
            values = np.bincount(inverse, weights=values).astype(np.float64)
            counts = np.bincount(inverse).astype(np.float64)
            labels = [of_unit[number] for number in range(len(units))]
        intervals = self.measurer.intervals
        return gap_p(values, counts, labels, intervals.resamples, seed=str(intervals.seed))


def names_of(table: Table, asked: Asked | None) -> FigureNames:
    """Return the names of figures that a suite and the records of its run have."""
    parts: dict[str, set[str]] = {}
    labels: dict[str, set[str]] = {}
    compares: set[str] = set()
    for measure in table.columns:
        name = measure.evaluator
        if name is None:
            continue
        own = parts.setdefault(name, set())
        if measure.kind is FigureKind.EVALUATOR_PART and measure.part is not None:
            own.add(measure.part)
        elif measure.kind is FigureKind.MACRO_F1:
            labels[name] = _labels(table, measure)
        elif measure.kind is FigureKind.TIES:
            compares.add(name)
    known = asked.names if asked is not None else FigureNames()
    if asked is not None:
        for name, it in asked.names.evaluators.items():
            parts.setdefault(name, set()).update(it.parts)
            if it.labels is not None:
                labels.setdefault(name, set()).update(it.labels)
            if it.compares:
                compares.add(name)
    evaluators = {
        name: EvaluatorNames(
            frozenset(own), frozenset(labels[name]) if name in labels else None, name in compares
        )
        for name, own in parts.items()
    }
    return FigureNames(evaluators, known.metrics, known.people, known.judges)


def _labels(table: Table, measure: Measure) -> set[str]:
    codes: Iterable[float] = set(table.columns[measure].different)
    return {table.labels[int(code)].expected for code in codes}


def _slice_of(expression: Expression) -> str | None:
    """Return the only slice of an expression."""
    of: set[str | None] = set()
    for term in sum_of(expression).terms:
        figure = term.of.figure if isinstance(term.of, Extreme) else term.of
        of.add(figure.slice.text if figure.slice is not None else None)
    return of.pop() if len(of) == 1 else None


def _name(wanted: Wanted) -> tuple[str, str | None]:
    """Return a figure's name and slice; of a longer expression the text, which names its slices."""
    expression = wanted.expression
    while isinstance(expression, Call) and expression.function.text in ("lower", "upper"):
        expression = expression.of
    only = expression.only_term if isinstance(expression, Sum) else None
    if isinstance(only, Figure):
        return only.name, only.slice.text if only.slice is not None else None
    return wanted.text, None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
