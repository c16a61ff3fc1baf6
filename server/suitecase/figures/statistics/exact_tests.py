"""Exact tests of verdicts, and the correction for several tests."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, exp, fsum, inf, lgamma

from suitecase.figures.statistics.beta import binomial_cdf
from suitecase.figures.statistics.binomial import clopper_pearson

#: Up to here the tail is a sum of integers; beyond, the incomplete beta function.
_FEW_PAIRS = 1_000


def mcnemar_exact(b: int, c: int) -> float:
    """Return the two-sided p-value of the hypothesis that cases rise as often as they fall.

    `b` cases passed only in the one run, `c` only in the other; cases alike in both do not count.
    Given b + c, b is binomial with probability 1/2 (McNemar, Psychometrika 12 (1947), in its exact
    form). 1 if no case differs.
    """
    _check(b, c)
    n, fewer = b + c, min(b, c)
    if n == 0:
        return 1.0
    if n <= _FEW_PAIRS:
        tail = sum(comb(n, k) for k in range(fewer + 1)) / (1 << n)
    else:
        tail = binomial_cdf(fewer, n, 0.5)
    return min(1.0, 2 * tail)


def odds_ratio(b: int, c: int, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return the odds b/c that a case that differs is one of the `b`, and their exact interval.

    The interval of Clopper and Pearson of b/(b + c), as odds. Not a number where no case differs.
    """
    _check(b, c)
    low, high = clopper_pearson(b, b + c, confidence)
    return _odds(b, c), low / (1 - low), _odds(high, 1 - high)


def _odds(yes: float, no: float) -> float:
    if no == 0:
        return inf if yes else float("nan")
    return yes / no


def _check(b: int, c: int) -> None:
    if b < 0 or c < 0:
        raise ValueError(f"numbers of cases are not negative; got {b!r} and {c!r}")


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """Return the two-sided p-value of the hypothesis that two shares, a/(a+b) and c/(c+d), are equal.

    The sum of the probabilities of all tables with these margins that are no likelier (Fisher,
    Statistical Methods for Research Workers (1934), section 21.02).
    """
    _check(min(a, b), min(c, d))
    first, second, chosen = a + b, c + d, a + c
    least, most = max(0, chosen - second), min(first, chosen)
    logs = [_log_comb(first, k) + _log_comb(second, chosen - k) for k in range(least, most + 1)]
    highest = max(logs)
    chances = [exp(log - highest) for log in logs]
    # Equally likely tables differ by rounding errors.
    limit = chances[a - least] * (1 + 1e-7)
    return min(1.0, fsum(chance for chance in chances if chance <= limit) / fsum(chances))


def _log_comb(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for their number, in the order given.

    Each is at most alpha where Holm's step-down procedure rejects at alpha (Scandinavian Journal of
    Statistics 6 (1979)), which bounds the chance of any false rejection.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
