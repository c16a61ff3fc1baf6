"""The distributions that intervals are computed from, against scipy."""

from __future__ import annotations

from math import inf

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.beta import (
    beta_quantile,
    binomial_cdf,
    binomial_quantile,
    incomplete_beta,
)
from suitecase.figures.statistics.student import normal_cdf, normal_quantile, t_quantile

parameters = st.floats(0.5, 20_000)


@given(st.floats(0, 1), parameters, parameters)
def test_the_incomplete_beta_function_is_that_of_scipy(x: float, a: float, b: float) -> None:
    assert incomplete_beta(x, a, b) == pytest.approx(
        scipy.special.betainc(a, b, x), rel=1e-8, abs=1e-12
    )


def test_the_incomplete_beta_function_is_accurate_for_a_million_cases() -> None:
    theirs = scipy.special.betainc(900_000, 100_001, 0.9003)
    assert incomplete_beta(0.9003, 900_000, 100_001) == pytest.approx(theirs, rel=1e-7)


@given(st.floats(0.001, 0.999), st.floats(0.5, 500), st.floats(0.5, 500))
def test_quantiles_of_the_beta_distribution(p: float, a: float, b: float) -> None:
    assert incomplete_beta(beta_quantile(p, a, b), a, b) == pytest.approx(p, abs=1e-9)


@given(st.integers(1, 500), st.floats(0.01, 0.99), st.floats(0.001, 0.999))
def test_quantiles_of_the_binomial_distribution(n: int, p: float, level: float) -> None:
    k = binomial_quantile(level, n, p)
    assert binomial_cdf(k - 1, n, p) < level <= binomial_cdf(k, n, p)
    assert binomial_cdf(k, n, p) == pytest.approx(scipy.stats.binom.cdf(k, n, p), abs=1e-10)


@pytest.mark.parametrize("p", [0.001, 0.025, 0.3, 0.4999, 0.6, 0.9, 0.975, 0.9995])
def test_quantiles_of_t_are_those_of_scipy(p: float) -> None:
    degrees = [*range(1, 30), 40, 60, 100, 199, 1_000, 9_999, 1_000_000]
    for df, theirs in zip(degrees, scipy.stats.t.ppf(p, degrees), strict=True):
        assert t_quantile(p, df) == pytest.approx(theirs, rel=1e-9 if df < 10_000 else 1e-7), df


def test_the_median_of_t_is_0() -> None:
    assert t_quantile(0.5, 3) == 0


@pytest.mark.parametrize(("p", "df"), [(0.975, 0), (0.0, 3), (1.0, 3)])
def test_quantiles_of_t_that_do_not_exist_are_refused(p: float, df: int) -> None:
    with pytest.raises(ValueError, match="t "):
        t_quantile(p, df)


def test_the_ends_of_the_normal_distribution() -> None:
    assert normal_quantile(0) == -inf
    assert normal_quantile(1) == inf
    assert normal_cdf(-inf) == 0
    assert normal_cdf(inf) == 1
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)


def test_impossible_parameters_of_a_beta_distribution_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        incomplete_beta(0.5, 0, 1)
