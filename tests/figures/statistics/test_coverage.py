"""A quick look at whether intervals hold the true value; `make coverage-of-intervals` looks closely."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from suitecase.figures.statistics.interval import Interval
from suitecase.figures.statistics.resampling import bootstrap, mean_of

SUITES = 300


def scores(random: np.random.Generator) -> NDArray[np.float64]:
    return random.binomial(10, random.beta(4, 1.3, 20)) / 10


def token_f1(random: np.random.Generator) -> NDArray[np.float64]:
    return np.where(random.random(20) < 0.85, 1, random.random(20))


def groups(random: np.random.Generator) -> NDArray[np.float64]:
    return random.binomial(5, random.beta(0.8, 0.2, 10)) / 5


@pytest.mark.parametrize(
    ("units", "truth"),
    [(scores, 4 / 5.3), (token_f1, 0.925), (groups, 0.8)],
    ids=["scores", "F1", "groups"],
)
def test_intervals_hold_the_true_value(
    units: Callable[[np.random.Generator], NDArray[np.float64]], truth: float
) -> None:
    random = np.random.default_rng(1)
    inside = 0
    for number in range(SUITES):
        values = units(random)
        totals = np.stack([values, np.ones(len(values))], axis=1)
        (found,) = bootstrap(totals, [mean_of(0, 1)], resamples=1_000, seed=str(number))
        assert isinstance(found, Interval)
        inside += found.low <= truth <= found.high
    assert inside / SUITES > 0.93
