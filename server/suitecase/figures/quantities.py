"""Expressions of gates and metrics as functions of totals over cases, which can be resampled.

Each part of an expression becomes columns: what every case adds to a sum, and to the number of cases
that it is divided by.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from suitecase.figures.cells import Cases, Cell, Floats, Mask
from suitecase.figures.gates.grammar import Call, Expression, Extreme, Figure, Sum
from suitecase.figures.gates.meaning import (
    FROM_FILES,
    ZERO_OR_ONE,
    FigureKind,
    FigureNames,
    Meaning,
    Unit,
    meaning_of,
)
from suitecase.figures.gates.metric_sizes import DEEPEST, MOST_FIGURES
from suitecase.figures.gates.parsing import GateProblem, parse_metric
from suitecase.figures.gates.slices import facet_value, selects
from suitecase.figures.quantity import (
    OPPOSITE,
    Counting,
    NotMeasuredError,
    Quantity,
    Share,
    gap_bound,
    merged,
    weighted,
)
from suitecase.format.figure_keys import Slice

_TOO_MUCH = (
    f"it comes to more than {MOST_FIGURES:,} figures, or {DEEPEST} metrics inside one another"
)


class Quantities:
    """Makes quantities of expressions, and keeps the columns that they look at."""

    def __init__(
        self,
        cases: Cases,
        names: FigureNames,
        slices: Mapping[str, Slice],
        metrics: Mapping[str, str],
        before: Cases | None = None,
    ) -> None:
        self.cases = cases
        self.names = names
        self.slices = slices
        self.metrics = metrics
        self.before = before
        self.columns: list[Floats] = []
        #: By what a column says, its number.
        self._known: dict[tuple[bool, bytes], int] = {}
        #: How many figures the term at hand has come to.
        self._figures = 0

    def totals(self) -> Floats:
        """Return what each unit of resampling adds to each column; the columns are not kept after it."""
        unit_of = self.cases.unit_of
        units = int(unit_of.max()) + 1 if len(unit_of) else 0
        totals = np.zeros((units, len(self.columns)))
        for number, column in enumerate(self.columns):
            totals[:, number] = np.bincount(unit_of, weights=column, minlength=units)
        self.columns.clear()
        return totals

    def quantity(self, expression: Expression, counting: Counting = "came") -> Quantity:
        """Return the quantity of an expression; `lower`, `upper` and `corrected` around it are left out.

        Raises:
            NotMeasuredError: a name is unknown, or there is no baseline.
        """
        if isinstance(expression, Call):
            if expression.function.text != "change":
                return self.quantity(expression.of, counting)
            return self._sum(_only_sum(expression.of), counting, None, change=True, within=())
        return self._sum(expression, counting, None, change=False, within=())

    def _sum(
        self,
        sum_: Sum,
        counting: Counting,
        outer: Mask | None,
        *,
        change: bool,
        within: tuple[str, ...],
    ) -> Quantity:
        terms: list[tuple[float, Quantity]] = []
        for term in sum_.terms:
            if not within:
                self._figures = 0
            own = counting if term.weight >= 0 else OPPOSITE[counting]
            figure = term.of.figure if isinstance(term.of, Extreme) else term.of
            meaning = meaning_of(figure, self.names)
            if meaning is None:
                raise NotMeasuredError(
                    f"no evaluator of these results and no metric is called `{figure.name}`"
                )
            mask = self._mask(figure, outer)
            if isinstance(term.of, Extreme):
                found = self._extreme(term.of, meaning, own, mask, change=change, within=within)
            else:
                found = self._figure(meaning, own, mask, change=change, within=within)
            terms.append((term.weight, found))
        if len(terms) == 1 and terms[0][0] == 1.0:
            return terms[0][1]
        return weighted(terms)

    def _figure(
        self,
        meaning: Meaning,
        counting: Counting,
        mask: Mask,
        *,
        change: bool,
        within: tuple[str, ...],
    ) -> Quantity:
        if meaning.kind is FigureKind.METRIC:
            name = meaning.evaluator or ""
            if name in within:
                raise NotMeasuredError(f"the metric `{name}` is defined by itself")
            if len(within) >= DEEPEST:
                raise NotMeasuredError(_TOO_MUCH)
            parsed = parse_metric(self.metrics[name])
            if isinstance(parsed, GateProblem):
                raise NotMeasuredError(f"the metric `{name}` cannot be read: {parsed.message}")
            return self._sum(parsed, counting, mask, change=change, within=(*within, name))
        self._figures += 1
        if self._figures > MOST_FIGURES and within:
            raise NotMeasuredError(_TOO_MUCH)
        if meaning.kind in FROM_FILES:
            raise NotMeasuredError(
                "figures of `human` and `judges` are not computed from the answers of a run: they have no "
                "slices and no change, and cannot be part of a sum"
            )
        if meaning.kind is FigureKind.MACRO_F1:
            return self._macro_f1(meaning, counting, mask, change=change)
        return self._ratio(meaning, counting, mask, change=change)

    def _ratio(self, meaning: Meaning, counting: Counting, mask: Mask, *, change: bool) -> Quantity:
        """Return the mean over cases; of a change, the mean of the differences by case."""
        cell = self.cases.cell(meaning)
        values, missing = _counted(cell, counting, mask), cell.missing
        bounds = (0.0, 1.0) if meaning.unit is Unit.SHARE else None
        if change:
            earlier, lost, comparable = self._before(meaning, OPPOSITE[counting])
            values = values - earlier
            # A case that has no part in one of the runs is not compared.
            comparable &= ~np.isnan(cell.lowest)
            missing = np.where(comparable, missing + lost, 0)
            bounds = (-1.0, 1.0) if bounds is not None else None
        used = mask & ~np.isnan(values)
        top = self._column(np.where(used, values, 0.0))
        count = self._column(used.astype(np.float64), counts=True)

        def mean(totals: Floats) -> Floats:
            quotient: Floats = totals[..., top] / totals[..., count]
            return quotient

        return Quantity(
            mean,
            frozenset((top, count)),
            bounds,
            meaning.unit,
            used,
            _within(mask, missing),
            _within(mask, cell.nothing),
            (Share(top, count, bounds),),
            two_valued=meaning.kind in ZERO_OR_ONE and not change and self.cases.table.repeats == 1,
            by_case=values if mask.all() else np.where(mask, values, np.nan),
        )

    def _before(
        self, meaning: Meaning, counting: Counting
    ) -> tuple[Floats, NDArray[np.int64], Mask]:
        """Return values and missing answers of the baseline, and which cases it has, in this run's order."""
        before = self._compared
        cell = before.cell(meaning)
        everything = np.ones(len(before.ids), dtype=bool)
        values = np.append(_counted(cell, counting, everything), np.nan)
        missing = np.append(cell.missing, 0)
        has = np.append(~np.isnan(cell.lowest), False)
        places = self._places
        return values[places], missing[places], has[places]

    @property
    def _compared(self) -> Cases:
        if self.before is None:
            raise NotMeasuredError(
                "there is no earlier run to compare with; name its results with --baseline"
            )
        return self.before

    @property
    def _places(self) -> NDArray[np.int64]:
        """The number in the baseline of each case; -1 for one that it has not, or with another text."""
        before = self._compared
        places = {case: number for number, case in enumerate(before.ids)}
        earlier = before.table.cases
        return np.array(
            [
                places[case]
                if case in places and _same_text(earlier[case].hash, recorded.hash)
                else -1
                for case, recorded in self.cases.table.cases.items()
            ],
            dtype=np.int64,
        )

    def _extreme(
        self,
        extreme: Extreme,
        meaning: Meaning,
        counting: Counting,
        mask: Mask,
        *,
        change: bool,
        within: tuple[str, ...],
    ) -> Quantity:
        facet = self.slices.get(extreme.facet.text)
        if facet is None or facet.by is None:
            raise NotMeasuredError(f"no facet is called `{extreme.facet.text}`")
        self._require_facts()
        value_of = tuple(
            facet_value(facet, fact) if fact is not None and selects(facet, fact) else None
            for fact in self.cases.facts
        )
        values = sorted({it for it, has in zip(value_of, mask, strict=True) if it and has})
        if not values:
            raise NotMeasuredError(f"no case has a value of the facet `{extreme.facet.text}`")
        if extreme.function.text == "gap" and len(values) < 2:
            raise NotMeasuredError(
                f"all cases have the same value of the facet `{extreme.facet.text}`"
            )
        masks = {value: mask & np.array([own == value for own in value_of]) for value in values}
        function = extreme.function.text

        def each(own: Counting) -> list[Quantity]:
            return [
                self._figure(meaning, own, mask, change=change, within=within)
                for mask in masks.values()
            ]

        if function == "gap" and counting in ("lowest", "highest"):
            return gap_bound(each("lowest"), each("highest"), highest=counting == "highest")
        found = each(counting)
        first = found[0]
        bounds = first.bounds
        if function == "gap" and bounds is not None:
            bounds = (0.0, bounds[1] - bounds[0])

        def of(totals: Floats) -> Floats:
            figures = np.stack([it.of(totals) for it in found])
            if function == "gap":
                gap: Floats = figures.max(axis=0) - figures.min(axis=0)
                return gap
            extreme: Floats = figures.min(axis=0) if function == "min" else figures.max(axis=0)
            return extreme

        return Quantity(
            of,
            frozenset[int]().union(*(it.columns for it in found)),
            bounds,
            first.unit,
            np.logical_or.reduce([it.used for it in found]),
            np.sum([it.missing for it in found], axis=0),
            np.sum([it.nothing for it in found], axis=0),
            tuple(share for it in found for share in it.shares),
            smooth=False,
            exact=all(it.exact for it in found),
            parts={name: it.of for name, it in zip(values, found, strict=True)},
            by_case=merged([it.by_case for it in found]),
            facet=value_of if function == "gap" else None,
        )

    def _macro_f1(
        self, meaning: Meaning, counting: Counting, mask: Mask, *, change: bool
    ) -> Quantity:
        if change:
            raise NotMeasuredError("the change of a macro F1 is not measured")
        rows, values = self.cases.entries(meaning)
        case = self.cases.case_of[rows]
        size = len(self.cases.ids)
        known = np.isfinite(values)
        rows_case, codes = case[known], values[known].astype(int)
        answers = np.bincount(rows_case, minlength=size)
        used = mask & (answers > 0)
        labels = self.cases.table.labels
        tops: list[int] = []
        sizes: list[int] = []
        every = sorted(
            {it for pair in set(codes.tolist()) for it in labels[pair] if it is not None}
        )
        for label in every:
            hit = np.array([it.expected == label == it.predicted for it in labels], dtype=float)
            either = np.array(
                [float(it.expected == label) + float(it.predicted == label) for it in labels]
            )
            for weights, found in ((hit, tops), (either, sizes)):
                total = np.bincount(rows_case, weights=weights[codes], minlength=size)
                # Cases weigh alike, however many answers came.
                found.append(self._column(np.where(used, total / np.maximum(answers, 1), 0.0)))
        hits = np.array([float(it.expected == it.predicted) for it in labels])
        total = np.bincount(rows_case, weights=hits[codes], minlength=size)
        right = self._column(np.where(used, total / np.maximum(answers, 1), 0.0))
        count = self._column(used.astype(np.float64), counts=True)
        cell = self.cases.cell(meaning)
        missing = np.where(mask, cell.missing, 0)

        def of(totals: Floats) -> Floats:
            either = totals[..., sizes]
            occurs = either > 0
            f1 = np.where(occurs, 2 * totals[..., tops] / np.where(occurs, either, 1.0), 0.0)
            mean: Floats = f1.sum(axis=-1) / occurs.sum(axis=-1)
            return mean

        bound = 0.0 if counting == "lowest" else 1.0
        open_ = counting != "came" and bool(missing.any())
        return Quantity(
            (lambda totals: np.full(totals.shape[:-1], bound)) if open_ else of,
            frozenset((*tops, *sizes, right, count)),
            (0.0, 1.0),
            Unit.SHARE,
            used,
            missing,
            np.where(mask, cell.nothing, 0),
            (Share(right, count, (0.0, 1.0), decides=True),),
            exact=not open_,
        )

    def _mask(self, figure: Figure, outer: Mask | None) -> Mask:
        """Return the cases of a figure's slice."""
        size = len(self.cases.ids)
        mask = np.ones(size, dtype=bool) if outer is None else outer
        if figure.slice is None:
            return mask
        self._require_facts()
        own = self.cases.in_slice(figure.slice.text)
        if own is None:
            raise NotMeasuredError(f"no slice and no tag is called `{figure.slice.text}`")
        return np.logical_and(mask, own)

    def _require_facts(self) -> None:
        unknown = self.cases.without_facts
        if unknown:
            raise NotMeasuredError(
                f"{unknown:,} of {len(self.cases.ids):,} cases have neither tags nor metadata in "
                "these results, which an earlier version wrote, so their slices are not known; run "
                "the suite again"
            )

    def _column(self, values: Floats, *, counts: bool = False) -> int:
        """Keep a column. One that sums up and one that counts are two, also where they are equal."""
        key = (counts, blake2b(np.ascontiguousarray(values).data).digest())
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.columns)
            self.columns.append(values)
        return number


def _within(mask: Mask, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of some cases; the others have none."""
    if mask.all():
        return numbers
    if numbers[mask].any():
        return np.where(mask, numbers, 0)
    # Most have none, and there may be very many cases and figures.
    return np.broadcast_to(np.int64(0), numbers.shape)


def _only_sum(expression: Expression) -> Sum:
    while isinstance(expression, Call):
        expression = expression.of
    return expression


def _counted(cell: Cell, counting: Counting, mask: Mask) -> Floats:
    """Return the value of each case with missing answers counted in a way."""
    match counting:
        case "came":
            return cell.value
        case "lowest":
            return cell.lowest
        case "highest":
            return cell.highest
    if counting == "mixed":
        odd = np.cumsum(cell.missing > 0) % 2 == 1
        return np.where(odd, cell.highest, cell.lowest)
    came = cell.value[mask & ~np.isnan(cell.value)]
    likely = float(came.mean()) if len(came) else np.nan
    return np.where(np.isnan(cell.value) & ~np.isnan(cell.lowest), likely, cell.value)


def _same_text(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other
