"""Intervals of coefficients of agreement, from draws of the units that were rated.

Alpha is a function of how often each value was given and of the disagreement within units, kappa of
how often each two raters agree and how often each gives each value: totals over units, which are
drawn with replacement. Both depend most on two kinds of units: those with a disagreement and, unless
values are scores, those that agree on another value than most do. Of fewer than 5 such units draws
know too little; the interval then also covers what the coefficient would be with as many of them as
the exact binomial interval of their share allows. BCa is not used there: a single unlike unit makes
its lower bound the least of all draws.

`groups` names what is drawn together, for each unit: the items of one answer were rated by people who
have read it once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from suitecase.figures.statistics.agreement import (
    Ratings,
    Scale,
    Value,
    agreeing_pairs,
    as_number,
    in_order,
    pairs_of_raters,
    squared_difference,
)
from suitecase.figures.statistics.bca import FEW
from suitecase.figures.statistics.binomial import clopper_pearson
from suitecase.figures.statistics.draws import Floats
from suitecase.figures.statistics.interval import Interval, Method, NoInterval
from suitecase.figures.statistics.resampling import Statistic, bootstrap, mean_of

_BOUNDS = (-1.0, 1.0)
#: Ordinal values need a column for each two of them.
_MOST_VALUES = 40
#: Kappa needs columns for each two raters: so many numbers are drawn in a second and 200 MB.
_MOST_NUMBERS = 10_000_000
_NO_PAIRS = NoInterval("no answer was rated by two raters", 0)


def alpha_interval(
    units: Sequence[Ratings],
    scale: Scale,
    *,
    groups: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: str,
) -> Interval | NoInterval:
    """Return the interval of Krippendorff's alpha."""
    rated, groups = _rated(units, groups)
    if not rated:
        return _NO_PAIRS
    values = in_order({value for unit in rated for _, value in unit})
    size = len(values)
    if size > _MOST_VALUES:
        return NoInterval(f"there are more than {_MOST_VALUES} different values", len(rated))
    place = {value: number for number, value in enumerate(values)}
    pairs = list(combinations(range(size), 2))
    table = np.zeros((len(rated), size + len(pairs)))
    for row, unit in zip(table, rated, strict=True):
        for _, value in unit:
            row[place[value]] += 1
        given = row[:size]
        for column, (c, k) in enumerate(pairs, size):
            row[column] = 2 * given[c] * given[k] / (len(unit) - 1)
    total = float(table[:, :size].sum())
    of = _alpha_of(values, pairs, scale, (total - 1) / total)
    ratings = total / len(rated)
    unlike = np.zeros((len(pairs), table.shape[1]))
    for row, (number, (c, k)) in zip(unlike, enumerate(pairs, size), strict=True):
        row[[c, k]] = ratings / 2
        row[number] = ratings
    alike = None
    if scale is Scale.NOMINAL:
        alike = np.zeros((size, table.shape[1]))
        alike[:, :size] = ratings * np.eye(size)
    sample = _Units(table, _agreed(rated, place), unlike, alike, of).together(groups)
    return sample.interval(confidence, resamples, seed)


def _alpha_of(
    values: Sequence[Value], pairs: Sequence[tuple[int, int]], scale: Scale, correction: float
) -> Callable[[Floats], Floats]:
    """Return alpha as a function of totals; a draw is corrected as a sample of its size is."""
    size = len(values)
    fixed = np.zeros(len(pairs))
    if scale is not Scale.ORDINAL:
        for number, (c, k) in enumerate(pairs):
            fixed[number] = squared_difference(values[c], values[k], scale)
    first = [c for c, _ in pairs]
    second = [k for _, k in pairs]

    def of(totals: Floats) -> Floats:
        given, meet = totals[..., :size], totals[..., size:]
        differ: Floats = fixed
        if scale is Scale.ORDINAL:
            rank = np.cumsum(given, axis=-1) - given / 2
            differ = (rank[..., first] - rank[..., second]) ** 2
        observed = (meet * differ).sum(axis=-1)
        expected = (2 * given[..., first] * given[..., second] * differ).sum(axis=-1)
        expected = np.where(expected > 0, expected, np.nan)
        alpha: Floats = 1 - correction * given.sum(axis=-1) * observed / expected
        return alpha

    return of


def kappa_interval(
    units: Sequence[Ratings],
    *,
    quadratic: bool = False,
    groups: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: str,
) -> Interval | NoInterval:
    """Return the interval of the mean of Cohen's kappa over pairs of raters."""
    rated, groups = _rated(units, groups)
    if not rated:
        return _NO_PAIRS
    raters = {names: number for number, names in enumerate(pairs_of_raters(rated))}
    values = in_order({value for unit in rated for _, value in unit})
    weigh = _quadratic_columns if quadratic else _nominal_columns
    width = len(weigh(values, values[0], values[0]))
    if len(raters) * width * max(resamples, len(values) ** 2) > _MOST_NUMBERS:
        numbers = f"pairs of raters ({len(raters):,}) and different values ({len(values):,})"
        return NoInterval(f"there are too many {numbers}", len(rated))
    columns = {pair: weigh(values, *pair) for pair in [*permutations(values, 2)]}
    columns |= {(value, value): weigh(values, value, value) for value in values}
    table = np.zeros((len(rated), len(raters), width))
    for row, unit in zip(table, rated, strict=True):
        for (a, first), (b, second) in combinations(sorted(unit, key=lambda it: it[0]), 2):
            row[raters[a, b]] += columns[first, second]
    share = (table[:, :, 0] > 0).mean(axis=0)
    imagined = {pair: np.outer(share, it).ravel() for pair, it in columns.items()}
    unlike = np.array([imagined[permutation] for permutation in permutations(values, 2)]).reshape(
        -1, table[0].size
    )
    alike = None if quadratic else np.array([imagined[value, value] for value in values])
    kappa = _quadratic_kappa if quadratic else _nominal_kappa

    def of(totals: Floats) -> Floats:
        split = totals.reshape((*totals.shape[:-1], len(raters), width))
        each = kappa(split)
        counts = np.where(np.isnan(each), 0.0, split[..., 0])
        mean: Floats = np.nansum(each * counts, axis=-1) / np.where(
            counts.any(axis=-1), counts.sum(axis=-1), np.nan
        )
        return mean

    agreed = _agreed(rated, {value: number for number, value in enumerate(values)})
    sample = _Units(table.reshape(len(rated), -1), agreed, unlike, alike, of).together(groups)
    return sample.interval(confidence, resamples, seed)


def _nominal_columns(values: Sequence[Value], first: Value, second: Value) -> Floats:
    """Count, agreement, and which value each of two raters gives."""
    given = [float(value == first) for value in values] + [
        float(value == second) for value in values
    ]
    return np.array([1.0, float(first == second), *given])


def _nominal_kappa(totals: Floats) -> Floats:
    n, agree, given = totals[..., 0], totals[..., 1], totals[..., 2:]
    size = given.shape[-1] // 2
    expected = 1 - (given[..., :size] * given[..., size:]).sum(axis=-1) / n**2
    kappa: Floats = 1 - (1 - agree / n) / np.where(expected > 1e-12, expected, np.nan)
    return kappa


def _quadratic_columns(values: Sequence[Value], first: Value, second: Value) -> Floats:
    a, b = as_number(first), as_number(second)
    return np.array([1.0, (a - b) ** 2, a, b, a * a + b * b])


def _quadratic_kappa(totals: Floats) -> Floats:
    n, observed, first, second, squares = (totals[..., number] for number in range(5))
    expected = squares - 2 * first * second / n
    kappa: Floats = 1 - observed / np.where(expected > 1e-9 * n, expected, np.nan)
    return kappa


def agreement_interval(
    units: Sequence[Ratings],
    *,
    within: float = 0,
    groups: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: str,
) -> Interval | NoInterval:
    """Return the interval of the share of pairs that agree."""
    rated, groups = _rated(units, groups)
    if not rated:
        return _NO_PAIRS
    pairs = np.array([agreeing_pairs(it, within=within) for it in rated], dtype=np.float64)
    (found,) = bootstrap(
        _together(pairs, groups),
        [mean_of(0, 1)],
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    return found


def _rated(
    units: Sequence[Ratings], groups: Sequence[str] | None
) -> tuple[list[Ratings], list[str]]:
    """Return the units that two raters have rated, and the group of each."""
    named = groups if groups is not None else [str(number) for number in range(len(units))]
    found = [(it, group) for it, group in zip(units, named, strict=True) if len(it) > 1]
    return [it for it, _ in found], [group for _, group in found]


def _together(rows: Floats, groups: Sequence[str]) -> Floats:
    """Return the sums of rows of the same group."""
    names, place = np.unique(np.array(groups), return_inverse=True)
    found = np.zeros((len(names), rows.shape[1]))
    np.add.at(found, place, rows)
    return found


def _agreed(units: Sequence[Ratings], place: Mapping[Value, int]) -> NDArray[np.int64]:
    """Return the place of the value that each unit's raters agree on; -1 if they do not agree."""
    given = [{place[value] for _, value in unit} for unit in units]
    return np.array([it.pop() if len(it) == 1 else -1 for it in given], dtype=np.int64)


class _Units:
    """What was rated, as rows of totals, and the rows that units would have that were not seen."""

    def __init__(
        self,
        table: Floats,
        agreed: NDArray[np.int64],
        unlike: Floats,
        alike: Floats | None,
        of: Callable[[Floats], Floats],
    ) -> None:
        """Take the rows of all units.

        Args:
            table: what each unit adds to each column.
            agreed: the value on which a unit agrees, or -1.
            unlike: the row of a unit with a disagreement, for each that is possible.
            alike: the row of a unit that agrees on a value, for each value; None of scores, which vary
                without agreeing.
            of: the coefficient.
        """
        self.table = table
        self.of = of
        #: Of each kind of rare units: which they are, and the rows of imagined ones.
        self.rare = [(agreed < 0, unlike)]
        if alike is not None:
            common = int(np.bincount(agreed[agreed >= 0], minlength=len(alike)).argmax())
            others = (agreed >= 0) & (agreed != common)
            self.rare.append((others, np.delete(alike, common, axis=0)))

    def together(self, groups: Sequence[str]) -> _Units:
        """Join units of the same group."""
        units = len(self.table)
        self.table = _together(self.table, groups)
        per_group = units / len(self.table)
        self.rare = [
            (_together(rare[:, None].astype(np.float64), groups)[:, 0] > 0, per_group * imagined)
            for rare, imagined in self.rare
        ]
        return self

    def interval(self, confidence: float, resamples: int, seed: str) -> Interval | NoInterval:
        """Return the interval from draws, widened for units of which too few were seen to draw from."""
        few = any(int(rare.sum()) < FEW for rare, _ in self.rare)
        (found,) = bootstrap(
            self.table,
            [Statistic(self.of, _BOUNDS, smooth=not few)],
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        if not isinstance(found, Interval):
            return found
        ends = [found.low, found.high]
        units = len(self.table)
        for rare, imagined in self.rare:
            number = int(rare.sum())
            if number >= FEW or number == units:
                continue
            seen = self.table[rare].mean(axis=0)[None, :] if number else imagined
            rest = self.table[~rare].mean(axis=0)
            shares = np.array(clopper_pearson(number, units, confidence))[:, None, None]
            with np.errstate(invalid="ignore", divide="ignore"):
                figures = self.of(units * ((1 - shares) * rest + shares * seen))
            ends += figures[~np.isnan(figures)].tolist()
        low, high = max(_BOUNDS[0], min(ends)), min(_BOUNDS[1], max(ends))
        if (low, high) == (found.low, found.high):
            return found
        method = Method.PERCENTILE_WIDENED if few else Method.BCA_WIDENED
        return Interval(low, high, method, found.units)
