"""What differences of pairs say: the same questions, asked twice.

The sign test is exact: under "no difference" the number of pairs that rose, of those that changed,
is binomial with probability 1/2 (Dixon and Mood, 1946). The interval of the mean difference is the
percentile bootstrap (Efron, 1979); over many pairs the normal approximation gives the same, faster.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Literal

#: Resampling fewer pairs than this gives intervals that promise too much.
FEWEST = 10
#: From here on the mean of the differences is as good as normal.
MANY = 1_000
RESAMPLES = 2_000
CONFIDENCE = 0.95
#: The same pairs give the same interval.
SEED = 20_260_101
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Paired:
    """How the second of each pair differs from the first."""

    n: int
    mean_before: float
    mean_after: float
    mean_difference: float
    rose: int
    fell: int
    #: 95 %; None where there are too few pairs.
    interval: tuple[float, float] | None
    method: Literal["bootstrap", "normal"] | None
    #: How likely so lopsided a split of rises and falls is by chance; None where nothing changed.
    sign_test_p: float | None


def paired(pairs: Sequence[tuple[float, float]]) -> Paired | None:
    """Return what pairs of scores (before, after) say; None where there are none."""
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
        tail = sum(comb(n, it) for it in range(fewer + 1)) / (1 << n)
    else:
        tail = sum(
            exp(lgamma(n + 1) - lgamma(it + 1) - lgamma(n - it + 1) - n * log(2))
            for it in range(fewer + 1)
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
    draw = random.Random(SEED)  # noqa: S311 - a resampling that is the same each time, no secret
    means = sorted(sum(draw.choices(differences, k=n)) / n for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    return (means[cut], means[-cut - 1]), "bootstrap"
