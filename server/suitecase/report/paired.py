"""Statistics of paired scores: the same cases in two runs.

The sign test is exact: under the null hypothesis, the number of pairs that rose, of those that
changed, is binomial with probability 1/2 (Dixon and Mood, 1946). The interval of the mean difference
is the percentile bootstrap (Efron, 1979); for many pairs the normal approximation is used, which
gives the same result faster.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Literal

#: Bootstrap intervals of fewer pairs than this are too narrow.
FEWEST = 10
#: From this number of pairs on, the mean difference is close enough to normal.
MANY = 1_000
RESAMPLES = 2_000
CONFIDENCE = 0.95
#: Fixed, so that the same pairs give the same interval.
SEED = 20_260_101
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Paired:
    """Statistics of the differences within pairs."""

    n: int
    mean_before: float
    mean_after: float
    mean_difference: float
    rose: int
    fell: int
    #: 95 %; None for too few pairs.
    interval: tuple[float, float] | None
    method: Literal["bootstrap", "normal"] | None
    #: The two-sided p-value; None if nothing changed.
    sign_test_p: float | None


def paired(pairs: Sequence[tuple[float, float]]) -> Paired | None:
    """Return the statistics of pairs of scores (before, after); None if there are none."""
    if not pairs:
        return None
    differences = [after - before for before, after in pairs]
    rose = sum(it > _SAME for it in differences)
    fell = sum(it < -_SAME for it in differences)
    interval, method = _interval(differences)
    return Paired(
        n=len(pairs),
        mean_before=fmean(before for before, _ in pairs),
        mean_after=fmean(after for _, after in pairs),
        mean_difference=fmean(differences),
        rose=rose,
        fell=fell,
        interval=interval,
        method=method,
        sign_test_p=sign_test(rose, fell) if rose or fell else None,
    )


def sign_test(rose: int, fell: int) -> float:
    """Return the two-sided p-value of the sign test for at least one pair that changed."""
    n, fewer = rose + fell, min(rose, fell)
    if n <= MANY:
        tail = sum(comb(n, k) for k in range(fewer + 1)) / (1 << n)
    else:
        tail = sum(
            exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2))
            for k in range(fewer + 1)
        )
    return min(1.0, 2 * tail)


def _interval(
    differences: Sequence[float],
) -> tuple[tuple[float, float] | None, Literal["bootstrap", "normal"] | None]:
    n = len(differences)
    if n < FEWEST:
        return None, None
    if n >= MANY:
        half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * stdev(differences) / sqrt(n)
        middle = fmean(differences)
        return (middle - half, middle + half), "normal"
    draw = random.Random(SEED)  # noqa: S311 - reproducible resampling, not cryptography
    means = sorted(sum(draw.choices(differences, k=n)) / n for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    return (means[cut], means[-cut - 1]), "bootstrap"
