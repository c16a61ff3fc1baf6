"""The size of a difference between two runs, and what number of cases could have shown."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, lgamma, sqrt
from statistics import fmean, stdev

from suitecase.figures.statistics.interval import check_confidence
from suitecase.figures.statistics.student import normal_quantile


def hedges_dz(differences: Sequence[float]) -> float | None:
    """Return the mean of paired differences in their standard deviations, corrected for few of them.

    d_z of Cohen (1988) times the exact factor of Hedges (Journal of Educational Statistics 6 (1981)).
    None below three pairs, and where all differences are alike.
    """
    n = len(differences)
    if n < 3:
        return None
    spread = stdev(differences)
    if spread <= 1e-12 * max(abs(difference) for difference in differences):
        return None
    df = n - 1
    factor = exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
    return factor * fmean(differences) / spread


def detectable_difference(
    sd_of_differences: float, n: int, power: float = 0.8, confidence: float = 0.95
) -> float:
    """Return the smallest true mean difference that `n` pairs show with probability `power`.

    (z(1-alpha/2) + z(power)) standard errors of the paired difference: Miller, Adding error bars to
    evals, arXiv 2411.00640, section 5. In the unit of the differences.
    """
    if n < 1:
        raise ValueError(f"a difference takes at least one pair; got {n!r}")
    return _errors(power, confidence) * sd_of_differences / sqrt(n)


def n_for_difference(
    sd_of_differences: float, difference: float, power: float = 0.8, confidence: float = 0.95
) -> int:
    """Return how many pairs show a true mean difference of this size with probability `power`."""
    if difference == 0:
        raise ValueError("no number of pairs shows a difference of 0")
    return max(1, ceil((_errors(power, confidence) * sd_of_differences / difference) ** 2))


def _errors(power: float, confidence: float) -> float:
    check_confidence(confidence)
    if not 0 < power < 1:
        raise ValueError(f"a power lies between 0 and 1; got {power!r}")
    return normal_quantile((1 + confidence) / 2) + normal_quantile(power)
