"""Bootstrap intervals of any figure that is a function of totals over units.

Expanded BCa, widened where few units differ, and exact where units are of two kinds; docs/statistics.md has formulas, sources and the
coverage that was measured. A unit is what is resampled: a case with all its answers, or a group of
cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suitecase.figures.statistics.bca import FEW, bca_levels, expanded_deviate, widened
from suitecase.figures.statistics.binomial import clopper_pearson
from suitecase.figures.statistics.draws import (
    Floats,
    draw_rows,
    draw_units,
    multinomial_is_cheaper,
)
from suitecase.figures.statistics.interval import Interval, Method, NoInterval, check_confidence
from suitecase.figures.statistics.student import normal_cdf

#: Draws of which a figure is computed at a time, with all columns: a million at once are too large.
_AT_ONCE = 10_000
#: What stands for the units of a sample that are not needed any more: there may be very many.
_NOTHING: Floats = np.empty((0, 0))


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure as a function of totals.

    `of` maps an array of totals (..., columns) to figures (...), not a number where there is none;
    it sees all columns, those not in `columns` as not a number. It is of ratios: twice the totals
    make the same figure. Units whose `columns` are all 0 have no part in it.
    """

    of: Callable[[Floats], Floats]
    #: Between which values it always lies, (0, 1) for shares; None if it may be any number.
    bounds: tuple[float, float] | None = None
    #: False for minimum, maximum and gap, which are biased where groups differ little.
    smooth: bool = True
    columns: tuple[int, ...] | None = None


def mean_of(
    sum_column: int, count_column: int, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> Statistic:
    """Return the statistic sum / count, each the total of a column."""

    def mean(totals: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            quotient: Floats = totals[..., sum_column] / totals[..., count_column]
        return quotient

    return Statistic(mean, bounds, columns=(sum_column, count_column))


def bootstrap(
    totals: ArrayLike,
    statistics: Sequence[Statistic],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: str,
) -> list[Interval | NoInterval]:
    """Return the interval of each statistic, from draws of units with replacement.

    `totals` (units x columns) is what each unit adds to each column; all of it is finite. An
    interval depends on the units' totals in its own columns, on `resamples` and on `seed`: not on
    the order of units, nor on other statistics.
    """
    table = np.asarray(totals, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"totals have units and columns; got {table.ndim} dimensions")
    if not np.isfinite(table).all():
        raise ValueError("totals are finite numbers; leave out a unit that has none")
    if resamples < 100:
        raise ValueError(f"an interval takes at least 100 resamples; got {resamples!r}")
    check_confidence(confidence)
    samples = [_Sample(table, statistic) for statistic in statistics]
    _draw(samples, resamples, seed)
    return [sample.interval(confidence) for sample in samples]


def mean_interval(
    sums: ArrayLike,
    counts: ArrayLike,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: str,
) -> Interval | NoInterval:
    """Return the interval of a mean over units, each with the sum and the number of its values."""
    (found,) = bootstrap(
        np.column_stack([sums, counts]), [mean_of(0, 1, bounds)],
        confidence=confidence, resamples=resamples, seed=seed,
    )  # fmt: skip
    return found


class _Sample:
    """The units of one statistic, in an order of their own, and the totals of its draws."""

    def __init__(self, totals: Floats, statistic: Statistic) -> None:
        self.statistic = statistic
        self.width = totals.shape[1]
        self.columns = tuple(range(self.width)) if statistic.columns is None else statistic.columns
        values = totals[:, self.columns] + 0.0  # there is no -0.0 then
        values = values[values.any(axis=1)]
        self.values: Floats = values[np.lexsort(values.T)] if len(values) else values
        self.units = len(values)
        #: The totals of all units.
        self.total: Floats = self.values.sum(axis=0)
        self.rows, self.counts = _distinct(self.values)
        #: Totals of draws (columns x draws).
        self.drawn: Floats = np.empty((len(self.columns), 0))

    def interval(self, confidence: float) -> Interval | NoInterval:
        if self.units == 0:
            return NoInterval("there are no units", 0)
        estimate = float(self._of(self.total))
        if not isfinite(estimate):
            return NoInterval("there is no estimate", self.units)
        bounds = self.statistic.bounds
        if bounds is None and (reason := self._unbounded_without()):
            return NoInterval(reason, self.units)
        method = Method.EXACT_BINOMIAL
        if len(self.rows) > 2:
            method = Method.BCA if self.statistic.smooth else Method.PERCENTILE
        low, high = self._bounds(estimate, confidence)
        if bounds is not None:
            low, high = max(low, bounds[0]), min(high, bounds[1])
            if self.units - self.counts.max() < FEW:
                wide = widened(estimate, self.units, confidence, bounds)
                low, high = min(low, wide[0]), max(high, wide[1])
                if method.random:
                    method = Method(f"{method}_widened")
        if not (isfinite(low) and isfinite(high)):
            return NoInterval("too many draws of units have no value", self.units)
        return Interval(low, high, method, self.units)

    def _unbounded_without(self) -> str:
        """Return why there is no interval of a figure that may be any number, or nothing."""
        common = int(self.counts.max())
        if common == self.units:
            return "all units are equal"
        if self.units < FEW:
            return f"there are fewer than {FEW} units"
        if common > 1 and self.units - common < FEW:
            return "nearly all units are equal"
        return ""

    def _bounds(self, estimate: float, confidence: float) -> tuple[float, float]:
        if len(self.rows) == 1:
            return estimate, estimate
        if len(self.rows) == 2:
            return self._of_two_kinds(confidence)
        parts = range(0, self.drawn.shape[1], _AT_ONCE)
        figures = np.concatenate(
            [self._of(self.drawn[:, part : part + _AT_ONCE].T) for part in parts]
        )
        deviate = expanded_deviate(self.units, confidence)
        if self.statistic.smooth:
            share = share_below(figures, estimate)
            levels = bca_levels(deviate, share, self._acceleration())
        else:
            levels = normal_cdf(-deviate), normal_cdf(deviate)
        # A draw without a value may have had any.
        low = _quantile(np.where(np.isnan(figures), -inf, figures), levels[0])
        high = _quantile(np.where(np.isnan(figures), inf, figures), levels[1])
        if self.statistic.smooth:
            return low, high
        # Draws are biased away from the estimate as the estimate is from the truth.
        return min(low, 2 * estimate - high), max(high, 2 * estimate - low)

    def _of_two_kinds(self, confidence: float) -> tuple[float, float]:
        """Return the range of the figure over the exact interval of the share of one kind of unit."""
        low, high = clopper_pearson(int(self.counts[1]), self.units, confidence)
        shares = np.linspace(low, high, 1_001)[:, None]
        figures = self._of((1 - shares) * self.rows[0] + shares * self.rows[1])
        return float(figures.min()), float(figures.max())

    def _acceleration(self) -> float:
        left_out = self._of(self.total - self.rows)
        return acceleration(left_out, self.counts)

    def _of(self, totals: Floats) -> Floats:
        everything = np.full((*totals.shape[:-1], self.width), np.nan)
        everything[..., self.columns] = totals
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.statistic.of(everything), dtype=np.float64)


def share_below(figures: Floats, estimate: float) -> float:
    """Return the share of draws below the estimate, ties counted half; never 0 or 1."""
    known = figures[~np.isnan(figures)]
    slack = 1e-12 * max(1.0, abs(estimate))
    below = np.count_nonzero(known < estimate - slack)
    ties = np.count_nonzero(known <= estimate + slack) - below
    least = 0.5 / max(1, len(known))
    return float(min(max((below + ties / 2) / max(1, len(known)), least), 1 - least))


def _quantile(figures: Floats, level: float) -> float:
    return float(np.quantile(figures, level, method="inverted_cdf"))


def acceleration(left_out: Floats, counts: NDArray[np.int64]) -> float:
    """Return a = sum d^3 / (6 (sum d^2)^1.5) of the jackknife (Efron 1987, equation 7.3).

    `left_out` are the figures without one unit each, and `counts` how many units leave the same one.
    """
    known = np.isfinite(left_out)
    left_out, counts = left_out[known], counts[known]
    if not len(left_out):
        return 0.0
    d = np.average(left_out, weights=counts) - left_out
    squares = float(counts @ d**2)
    return float(counts @ d**3) / (6 * squares**1.5) if squares > 0 else 0.0


def _distinct(ordered: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct rows of rows in order, and how often each occurs."""
    if not len(ordered):
        return ordered, np.zeros(0, dtype=np.int64)
    first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    starts = np.flatnonzero(first)
    if len(starts) == len(ordered):
        return ordered, np.ones(len(ordered), dtype=np.int64)
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def _draw(samples: Sequence[_Sample], resamples: int, seed: str) -> None:
    """Draw for each sample of more than two kinds of units."""
    by_unit: list[_Sample] = []
    for sample in samples:
        if len(sample.rows) > 2 and not multinomial_is_cheaper(len(sample.rows), sample.units):
            by_unit.append(sample)
            continue
        sample.values = _NOTHING
        if len(sample.rows) > 2:  # else it is computed
            sample.drawn = draw_rows(sample.rows, sample.counts, resamples, seed)
    values = [it.values for it in by_unit]
    for sample in by_unit:
        sample.values = _NOTHING
    drawn = draw_units(values, resamples, seed)
    for sample, own in zip(by_unit, drawn, strict=True):
        sample.drawn = own
