"""The levels of an expanded BCa interval, and how far unseen units may move a figure.

BCa (bias-corrected and accelerated): Efron, Better bootstrap confidence intervals, JASA 82 (1987).
Expanded: Hesterberg, What teachers should know about the bootstrap, The American Statistician 69
(2015), section 5.3. Both shares the computed intervals of 0/1 values and those of resampling.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from suitecase.figures.statistics.student import normal_cdf, normal_quantile, t_quantile

#: Where fewer units than this differ from the most common value, resampling sees too little.
FEW = 5


@lru_cache(maxsize=1_024)
def expanded_deviate(units: int, confidence: float) -> float:
    """Return s: what stands in the place of the normal quantile, so that few units widen the interval.

    sqrt(U / (U-1)) makes up for the bootstrap's variance, which divides by U, and the t quantile for
    a variance that is itself estimated. `units` is at least 2.
    """
    return sqrt(units / (units - 1)) * t_quantile((1 + confidence) / 2, units - 1)


def bca_levels(deviate: float, share_below: float, acceleration: float) -> tuple[float, float]:
    """Return which quantiles of the draws are the bounds: Phi(z0 + (z0 ± s) / (1 - a (z0 ± s))).

    `share_below` is the share of draws below the estimate, ties counted half; z0 is its normal
    quantile. `deviate` is s, or the normal quantile for an interval that is not expanded.
    """
    z0 = normal_quantile(share_below)
    return _level(z0, -deviate, acceleration), _level(z0, deviate, acceleration)


def _level(z0: float, s: float, acceleration: float) -> float:
    divisor = 1 - acceleration * (z0 + s)
    if divisor <= 0:  # the transformation has no value beyond its pole: everything on that side
        return 1.0 if z0 + s > 0 else 0.0
    return normal_cdf(z0 + (z0 + s) / divisor)


def unseen_share(units: int, confidence: float) -> float:
    """Return the largest share of unlike units of which `units` units show none, 1 - (alpha/2)^(1/U).

    The exact binomial bound of Clopper and Pearson (1934) at no success; with one side only it is
    known as the rule of three.
    """
    return float(1 - ((1 - confidence) / 2) ** (1 / units))


def widened(
    estimate: float, units: int, confidence: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of an estimate that a share of units unlike those seen could move to a bound."""
    share = unseen_share(units, confidence)
    low, high = bounds
    return estimate - (estimate - low) * share, estimate + (high - estimate) * share
