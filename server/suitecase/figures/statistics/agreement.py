"""How far raters agree: Krippendorff's alpha, kappa, and shares of pairs.

A unit is what several raters have judged, such as an answer: its ratings are pairs of a rater and a
value. Raters may be missing. A coefficient of values that do not vary does not exist; it is not 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

#: Truth values, numbers or names; those of one call are of one kind.
Value = bool | int | float | str
#: What raters say about one unit: (rater, value), each rater once.
Ratings = Sequence[tuple[str, Value]]


class Scale(StrEnum):
    """What the difference of two values means."""

    #: Values are the same or they are not: truth values, labels.
    NOMINAL = "nominal"
    #: Values have an order.
    ORDINAL = "ordinal"
    #: Differences of values count.
    INTERVAL = "interval"
    #: Differences count in proportion to the values, which have a true zero.
    RATIO = "ratio"


@dataclass(frozen=True, slots=True)
class NoValue:
    """A coefficient does not exist; `reason` says why."""

    reason: str


NO_PAIRS = NoValue("no answer was rated by two raters")
NO_VARIATION = NoValue("all values are the same, so agreement by chance cannot be told apart")


@dataclass(frozen=True, slots=True)
class Coincidences:
    """How often two values meet in a unit, each unit weighing as many as it has ratings.

    Attributes:
        values: all values that were paired, in their order.
        counts: `counts[c][k]` for the values at these places; symmetric.
    """

    values: tuple[Value, ...]
    counts: tuple[tuple[float, ...], ...]


def coincidences(units: Iterable[Ratings]) -> Coincidences:
    """Return the coincidence matrix of some units; a unit with one rating has no part in it."""
    weights: dict[tuple[Value, Value], float] = {}
    for unit in units:
        found = Counter(value for _, value in unit)
        m = sum(found.values())
        if m < 2:
            continue
        for c, of_c in found.items():
            for k, of_k in found.items():
                pairs = of_c * (of_k - (c == k)) / (m - 1)
                weights[c, k] = weights.get((c, k), 0.0) + pairs
    values = in_order({it for pair in weights for it in pair})
    counts = tuple(tuple(weights.get((c, k), 0.0) for k in values) for c in values)
    return Coincidences(values, counts)


def krippendorff_alpha(units: Iterable[Ratings], scale: Scale) -> float | NoValue:
    """Return Krippendorff's alpha, 1 - observed / expected disagreement.

    Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), from the coincidence matrix.
    """
    found = coincidences(units)
    totals = [sum(row) for row in found.counts]
    n = sum(totals)
    if not n:
        return NO_PAIRS
    places = range(len(totals))
    values: Sequence[Value] = found.values
    if scale is Scale.ORDINAL:
        values, scale = _middle_ranks(totals), Scale.INTERVAL
    differ = [[squared_difference(c, k, scale) for k in values] for c in values]
    observed = sum(found.counts[c][k] * differ[c][k] for c in places for k in places)
    expected = sum(totals[c] * totals[k] * differ[c][k] for c in places for k in places)
    if not expected:
        return NO_VARIATION
    return 1 - (n - 1) * observed / expected


def _middle_ranks(totals: Sequence[float]) -> list[float]:
    """Return the mean rank of all ratings with a value, for each of the values in their order.

    The ordinal difference of two values is the number of ratings from one to the other, each of the
    two counted half: the difference of these.
    """
    below, found = 0.0, []
    for total in totals:
        found.append(below + total / 2)
        below += total
    return found


def squared_difference(c: Value, k: Value, scale: Scale) -> float:
    """Return the squared difference of two values; of ordinal ones, given as ranks."""
    if scale is Scale.NOMINAL:
        return float(c != k)
    one, other = as_number(c), as_number(k)
    if scale is Scale.RATIO:
        both = one + other
        return ((one - other) / both) ** 2 if both else 0.0
    return (one - other) ** 2


def cohen_kappa(
    pairs: Sequence[tuple[Value, Value]], *, quadratic: bool = False
) -> float | NoValue:
    """Return Cohen's kappa of two raters' values of the same units.

    Cohen, Educational and Psychological Measurement 20 (1960). With `quadratic`, disagreements count
    by their square (Cohen, Psychological Bulletin 70 (1968)): values are numbers then.
    """
    n = len(pairs)
    if not n:
        return NO_PAIRS
    if quadratic:
        numbers = [(as_number(a), as_number(b)) for a, b in pairs]
        observed = sum((a - b) ** 2 for a, b in numbers) / n
        squares = sum(a * a + b * b for a, b in numbers) / n
        expected = squares - 2 * sum(a for a, _ in numbers) * sum(b for _, b in numbers) / n**2
    else:
        first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
        observed = sum(a != b for a, b in pairs) / n
        expected = 1 - sum(count * second[value] for value, count in first.items()) / n**2
    if expected <= 1e-12:
        return NO_VARIATION
    return 1 - observed / expected


def pairs_of_raters(
    units: Iterable[Ratings],
) -> dict[tuple[str, str], list[tuple[Value, Value]]]:
    """Return for each two raters, in the order of their names, their values of what both have rated."""
    found: dict[tuple[str, str], list[tuple[Value, Value]]] = {}
    for unit in units:
        for (a, first), (b, second) in combinations(sorted(unit, key=lambda it: it[0]), 2):
            found.setdefault((a, b), []).append((first, second))
    return dict(sorted(found.items()))


def mean_kappa(units: Iterable[Ratings], *, quadratic: bool = False) -> float | NoValue:
    """Return the mean of Cohen's kappa over all pairs of raters.

    Light, Psychological Bulletin 76 (1971). A pair weighs as many units as both have rated, so that
    a pair with few of them says little; where all rate all, this is the plain mean. Pairs whose kappa
    does not exist are left out.
    """
    total = weight = 0.0
    raters = pairs_of_raters(units)
    for pairs in raters.values():
        kappa = cohen_kappa(pairs, quadratic=quadratic)
        if not isinstance(kappa, NoValue):
            total += kappa * len(pairs)
            weight += len(pairs)
    if not weight:
        return NO_VARIATION if raters else NO_PAIRS
    return total / weight


def fleiss_kappa(table: Sequence[Sequence[int]]) -> float | NoValue:
    """Return Fleiss's kappa of units x categories, each unit with the same number of ratings.

    Fleiss, Psychological Bulletin 76 (1971).
    """
    ratings = {sum(row) for row in table}
    if len(ratings) != 1 or (n := ratings.pop()) < 2:
        return NO_PAIRS
    observed = sum(sum(it * (it - 1) for it in row) for row in table) / (len(table) * n * (n - 1))
    shares: list[float] = [sum(column) / (len(table) * n) for column in zip(*table, strict=True)]
    expected = sum(share * share for share in shares)
    if expected >= 1:
        return NO_VARIATION
    return (observed - expected) / (1 - expected)


def agreeing_share(units: Iterable[Ratings], *, within: float = 0) -> float | NoValue:
    """Return the share of pairs of ratings that are equal, or differ by `within` at most."""
    counts = [agreeing_pairs(unit, within=within) for unit in units]
    total = sum(both for _, both in counts)
    return sum(agree for agree, _ in counts) / total if total else NO_PAIRS


def agreeing_pairs(unit: Ratings, *, within: float = 0) -> tuple[int, int]:
    """Return how many pairs of a unit's ratings agree, and of how many pairs."""
    values = [value for _, value in unit]
    pairs = list(combinations(values, 2))
    if not within:
        return sum(a == b for a, b in pairs), len(pairs)
    return sum(abs(as_number(a) - as_number(b)) <= within for a, b in pairs), len(pairs)


def as_number(value: Value) -> float:
    """Return a value that has differences from others."""
    if isinstance(value, str):
        raise TypeError(f"only numbers have differences; got {value!r}")
    return float(value)


def in_order(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return values sorted: numbers by size, names by letters."""
    return tuple(sorted(values, key=_order))


def _order(value: Value) -> tuple[bool, float, str]:
    return (True, 0.0, value) if isinstance(value, str) else (False, float(value), "")
