"""Intervals of a share of units that are 0 or 1 each, and what a number of units can show at best.

Standard library only, so that an editor has them at once.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log

from suitecase.figures.statistics.bca import unseen_share
from suitecase.figures.statistics.beta import beta_quantile
from suitecase.figures.statistics.interval import Interval, Method, NoInterval, check_confidence


@lru_cache(maxsize=1_024)
def clopper_pearson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share of which `k` of `n` units were seen.

    Clopper and Pearson, Biometrika 26 (1934); as quantiles of the beta distribution.
    """
    _check_counts(k, n)
    check_confidence(confidence)
    if n == 0:
        return 0.0, 1.0
    if k == 0:
        return 0.0, upper_bound_if_none(n, confidence)
    if k == n:
        return lower_bound_if_all_pass(n, confidence), 1.0
    tail = (1 - confidence) / 2
    return beta_quantile(tail, k, n - k + 1), beta_quantile(1 - tail, k + 1, n - k)


def proportion_interval(k: int, n: int, confidence: float = 0.95) -> Interval | NoInterval:
    """Return the interval of the share k/n of independent units that are 0 or 1 each.

    That of Clopper and Pearson. It is also what a bootstrap by test inversion arrives at (Carpenter,
    Journal of the Royal Statistical Society B 61 (1999)): its bounds are the rates of which draws of
    n units show as few, or as many, as these with probability alpha/2. `resampling.bootstrap`
    returns the same.
    """
    low, high = clopper_pearson(k, n, confidence)
    if n == 0:
        return NoInterval("there are no units", 0)
    return Interval(low, high, Method.EXACT_BINOMIAL, n)


def lower_bound_if_all_pass(n: int, confidence: float = 0.95) -> float:
    """Return the lower bound of a pass rate if each of `n` units passes: (alpha/2)^(1/n).

    No result of `n` units has a higher one.
    """
    check_confidence(confidence)
    _check_some(n)
    return float(((1 - confidence) / 2) ** (1 / n))


def upper_bound_if_none(n: int, confidence: float = 0.95) -> float:
    """Return the upper bound of a rate, of violations for instance, if none of `n` units shows one."""
    check_confidence(confidence)
    _check_some(n)
    return unseen_share(n, confidence)


def cases_for_lower_bound(threshold: float, confidence: float = 0.95) -> int:
    """Return how many units have to pass, all of them, for the lower bound to reach `threshold`."""
    check_confidence(confidence)
    if not 0 < threshold < 1:
        raise ValueError(f"only a threshold between 0 and 1 is reached by cases; got {threshold!r}")
    n = max(1, ceil(log((1 - confidence) / 2) / log(threshold)) - 1)
    while lower_bound_if_all_pass(n, confidence) < threshold:
        n += 1
    return n


def cases_for_upper_bound(limit: float, confidence: float = 0.95) -> int:
    """Return how many units, none of which shows it, bring the upper bound of a rate to `limit`."""
    return cases_for_lower_bound(1 - limit, confidence)


def _check_counts(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"of {n!r} units, {k!r} cannot be counted")


def _check_some(n: int) -> None:
    if n < 1:
        raise ValueError(f"a bound takes at least one unit; got {n!r}")
