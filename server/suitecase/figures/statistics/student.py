"""Quantiles of Student's t distribution and of the normal distribution."""

from __future__ import annotations

from functools import cache
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from suitecase.figures.statistics.beta import bisect, incomplete_beta

if TYPE_CHECKING:
    from statistics import NormalDist


@cache
def _standard() -> NormalDist:
    """Return the standard normal distribution, whose module is slow to import."""
    from statistics import NormalDist

    return NormalDist()


def normal_cdf(z: float) -> float:
    """Return the probability that a standard normal value is at most `z`."""
    if not isfinite(z):
        return 1.0 if z > 0 else 0.0
    return _standard().cdf(z)


def normal_quantile(p: float) -> float:
    """Return the standard normal value that is not exceeded with probability `p`; infinite at 0 and 1."""
    if p <= 0 or p >= 1:
        return inf if p >= 1 else -inf
    return _standard().inv_cdf(p)


def t_quantile(p: float, df: int) -> float:
    """Return the value that Student's t with `df` degrees of freedom does not exceed with probability `p`.

    With x = df / (df + t^2), the upper tail at t > 0 is I_x(df/2, 1/2) / 2 (NIST Digital Library of
    Mathematical Functions, 8.17); t is found from it by bisection.
    """
    if df < 1:
        raise ValueError(f"Student's t has at least one degree of freedom; got {df!r}")
    if not 0 < p < 1:
        raise ValueError(f"a quantile is asked of a probability between 0 and 1; got {p!r}")
    if p == 0.5:
        return 0.0
    tail = 2 * min(p, 1 - p)
    # In y = 1 - x the tail is 1 - I_y(1/2, df/2), which keeps its digits where t is near 0.
    if tail > 0.5:
        y = bisect(lambda it: incomplete_beta(it, 0.5, df / 2) >= 1 - tail, 0.0, 1.0)
        t = sqrt(df * y / (1 - y))
    else:
        x = bisect(lambda it: incomplete_beta(it, df / 2, 0.5) >= tail, 0.0, 1.0)
        t = sqrt(df * (1 - x) / x)
    return t if p > 0.5 else -t
