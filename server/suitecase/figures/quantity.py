"""What is made of an expression: a function of totals over cases, and how such functions combine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from suitecase.figures.cells import Floats, Mask
from suitecase.figures.gates.meaning import Unit

#: How missing answers count: not at all, as the lowest or highest value, or as what is most likely.
#: `mixed`: in turn as the lowest and the highest one.
Counting = Literal["came", "lowest", "highest", "likely", "mixed"]
OPPOSITE: Mapping[Counting, Counting] = {
    "came": "came",
    "lowest": "highest",
    "highest": "lowest",
    "likely": "likely",
    "mixed": "mixed",
}
Of = Callable[[Floats], Floats]


class NotMeasuredError(Exception):
    """An expression cannot be measured; `message` says why to users, as a clause, `needed` what to do."""

    def __init__(self, message: str, needed: str = "") -> None:
        self.message = message
        self.needed = needed
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Share:
    """A quotient of two columns within a quantity, of which few units may differ.

    Attributes:
        decides: whether the quantity is not a function of it, but as uncertain: of macro F1 it is the
            share of answers with the right label.
    """

    top: int
    count: int
    bounds: tuple[float, float] | None
    decides: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """An expression as a function of totals.

    Attributes:
        used: the cases that it is computed from.
        missing: how many answers of each case should count and are missing.
        exact: whether it is what the answers would come to, and no bound of it.
        by_case: the value of each case, of a figure that is the mean of these.
        parts: of `min`, `max` and `gap`: the figure of each value of the facet.
        shares: the quotients that it is made of.
        two_valued: whether it is the mean of cases of which each can only be 0 or 1.
    """

    of: Of
    columns: frozenset[int]
    bounds: tuple[float, float] | None
    unit: Unit
    used: Mask
    missing: NDArray[np.int64]
    nothing: NDArray[np.int64]
    shares: tuple[Share, ...]
    smooth: bool = True
    exact: bool = True
    two_valued: bool = False
    by_case: Floats | None = None
    parts: Mapping[str, Of] = field(default_factory=dict)
    #: Of a gap: the slice that each case of it belongs to.
    facet: tuple[str | None, ...] | None = None


def weighted(terms: list[tuple[float, Quantity]]) -> Quantity:
    units = {it.unit for _, it in terms}
    if len(units) > 1:
        names = " and ".join(sorted(unit.value for unit in units))
        raise NotMeasuredError(f"{names} cannot be added up")

    def of(totals: Floats) -> Floats:
        total: Floats = sum((weight * it.of(totals) for weight, it in terms), np.zeros(()))
        return total

    bounds: tuple[float, float] | None = (0.0, 0.0)
    for weight, it in terms:
        if it.bounds is None or bounds is None:
            bounds = None
        else:
            ends = sorted((weight * it.bounds[0], weight * it.bounds[1]))
            bounds = (bounds[0] + ends[0], bounds[1] + ends[1])
    return Quantity(
        of,
        frozenset[int]().union(*(it.columns for _, it in terms)),
        bounds,
        terms[0][1].unit,
        np.logical_or.reduce([it.used for _, it in terms]),
        np.max([it.missing for _, it in terms], axis=0),
        np.max([it.nothing for _, it in terms], axis=0),
        tuple(share for _, it in terms for share in it.shares),
        smooth=all(it.smooth for _, it in terms),
        exact=all(it.exact for _, it in terms),
    )


def gap_bound(low: list[Quantity], high: list[Quantity], *, highest: bool) -> Quantity:
    """Return a bound of a gap: no value of the missing answers makes it lower, or higher."""

    def of(totals: Floats) -> Floats:
        lowest = np.stack([it.of(totals) for it in low])
        greatest = np.stack([it.of(totals) for it in high])
        upper, lower = (greatest, lowest) if highest else (lowest, greatest)
        gap = np.zeros(upper.shape[1:])
        for one in range(len(low)):
            for other in range(len(low)):
                if one != other:
                    gap = np.fmax(gap, upper[one] - lower[other])
        undefined = np.isnan(upper).any(axis=0) | np.isnan(lower).any(axis=0)
        return np.where(undefined, np.nan, gap)

    first = high[0]
    bounds = None if first.bounds is None else (0.0, first.bounds[1] - first.bounds[0])
    return Quantity(
        of,
        frozenset[int]().union(*(it.columns for it in (*low, *high))),
        bounds,
        first.unit,
        np.logical_or.reduce([it.used for it in high]),
        np.sum([it.missing for it in high], axis=0),
        np.sum([it.nothing for it in high], axis=0),
        tuple(share for it in (*low, *high) for share in it.shares),
        smooth=False,
        exact=not any(it.missing.any() for it in high),
    )


def merged(columns: list[Floats | None]) -> Floats | None:
    found: Floats | None = None
    for column in columns:
        if column is None:
            return None
        found = column if found is None else np.where(np.isnan(found), column, found)
    return found
