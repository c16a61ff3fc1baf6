"""Draws of units: each is as many units as there are, any of them equally likely."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy

from suitecase.figures.statistics.draws import draw_rows, draw_units

DRAWS = 20_000


@pytest.mark.parametrize("units", [64, 130])
def test_units_are_drawn_as_a_multinomial_draws_them(units: int) -> None:
    """Counts of a unit have mean 1 and variance 1 - 1/U, those of two units covariance -1/U."""
    (counts,) = draw_units([np.eye(units)], DRAWS, "a")
    assert counts.sum(axis=0) == pytest.approx(np.full(DRAWS, units))
    assert counts.mean() == pytest.approx(1)
    assert counts.mean(axis=1) == pytest.approx(np.ones(units), abs=0.03)
    covariances = np.cov(counts)
    variances = np.diag(covariances)
    between = (covariances.sum() - variances.sum()) / (units * (units - 1))
    assert variances.mean() == pytest.approx(1 - 1 / units, abs=0.005)
    assert between == pytest.approx(-1 / units, abs=0.0005)
    shares = [np.mean(counts == it) for it in range(5)]
    expected = scipy.stats.binom.pmf(range(5), units, 1 / units)
    assert shares == pytest.approx(expected, abs=0.002)


def test_a_sample_is_drawn_as_it_is_without_the_others() -> None:
    values = np.random.default_rng(2).random((300, 3))
    together = draw_units([values, values[:280, :1], np.ones((70, 2))], 1_000, "a")
    assert together[0] == pytest.approx(draw_units([values], 1_000, "a")[0])
    assert together[1] == pytest.approx(draw_units([values[:280, :1]], 1_000, "a")[0])
    assert (together[2] == 70).all()


def test_the_number_of_draws_needs_not_be_a_multiple_of_anything() -> None:
    (found,) = draw_units([np.random.default_rng(3).random((90, 1))], 10_003, "a")
    assert found.shape == (1, 10_003)
    assert found.mean() == pytest.approx(45, abs=5)
    assert found.min() > 0


def test_draws_from_rows_stand_for_their_units() -> None:
    rows, counts = np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]]), np.array([5, 10, 25])
    found = draw_rows(rows, counts, DRAWS, "a")
    assert (found[1] == 40).all()
    assert found[0].mean() == pytest.approx(30, abs=0.05)
    assert found[0].var() == pytest.approx(40 * (27.5 / 40 - 0.75**2), rel=0.05)


def test_counts_of_units_are_kept_for_one_seed_only() -> None:
    """What is compared has a seed for each figure and slice."""
    sample = np.arange(1_000.0)[:, None]

    def draw(seeds: int) -> int:
        for seed in range(seeds):
            draw_units([sample], 2_000, str(seed))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        after_one = draw(1)
        assert draw(4) < after_one * 1.1
    finally:
        tracemalloc.stop()
