"""Tests of paired runs, effect sizes, and the number of cases they take."""

from __future__ import annotations

from math import inf, isnan, sqrt

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.exact_tests import fisher_exact, holm, mcnemar_exact, odds_ratio
from suitecase.figures.statistics.paired import detectable_difference, hedges_dz, n_for_difference

counts = st.integers(0, 700)


@given(counts, counts)
def test_mcnemar_is_the_binomial_test_of_scipy(b: int, c: int) -> None:
    theirs = scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(theirs, rel=1e-8)


def test_eleven_rose_and_four_fell() -> None:
    assert mcnemar_exact(11, 4) == pytest.approx(0.1185, abs=5e-5)
    ratio, low, high = odds_ratio(11, 4)
    assert (ratio, low, high) == pytest.approx((2.75, 0.81, 11.8), abs=0.05)


def test_odds_where_cases_differ_one_way_only_or_not_at_all() -> None:
    assert odds_ratio(5, 0)[0] == inf
    assert odds_ratio(5, 0)[1] > 0.9
    assert odds_ratio(0, 5)[::2] == pytest.approx((0.0, 1.09), abs=0.01)
    ratio, low, high = odds_ratio(0, 0)
    assert isnan(ratio)
    assert (low, high) == (0, inf)


def test_negative_numbers_of_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 2)


def test_holm_as_in_the_example_of_his_procedure() -> None:
    """p = 0.01, 0.04, 0.03, 0.005 at 0.05: the first and fourth are rejected, the others not."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_of_none_and_of_one() -> None:
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values_keep_their_order_and_are_not_smaller(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for before, after in zip(p_values, adjusted, strict=True):
        assert before <= after <= 1
    ranked = [it for _, it in sorted(zip(p_values, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def test_the_effect_size_of_hedges() -> None:
    differences = [0.1, 0.3, -0.1, 0.2, 0.4, 0.0]
    mean, sd = 0.15, sqrt(sum((it - 0.15) ** 2 for it in differences) / 5)
    assert hedges_dz(differences) == pytest.approx(mean / sd * (1 - 3 / (4 * 5 - 1)), rel=0.003)


@pytest.mark.parametrize("differences", [[], [0.5], [0.1, 0.3], [0.1, 0.1, 0.1, 0.1]])
def test_too_few_or_equal_differences_have_no_effect_size(differences: list[float]) -> None:
    assert hedges_dz(differences) is None


def test_what_difference_cases_can_show() -> None:
    found = detectable_difference(0.25, 198)
    assert found == pytest.approx(2.8016 * 0.25 / sqrt(198), rel=1e-4)
    assert n_for_difference(0.25, found * 1.0000001) == 198
    assert n_for_difference(0.25, -found / 2) == pytest.approx(4 * 198, abs=1)


def test_what_no_number_of_cases_shows_is_refused() -> None:
    with pytest.raises(ValueError, match="difference of 0"):
        n_for_difference(0.2, 0)
    with pytest.raises(ValueError, match="pair"):
        detectable_difference(0.2, 0)
    with pytest.raises(ValueError, match="power"):
        detectable_difference(0.2, 10, power=80)


@given(*[st.integers(0, 60)] * 4)
def test_fisher_is_that_of_scipy(a: int, b: int, c: int, d: int) -> None:
    theirs = scipy.stats.fisher_exact([[a, b], [c, d]])[1]
    assert fisher_exact(a, b, c, d) == pytest.approx(theirs, rel=1e-8)


def test_fishers_lady_tasting_tea() -> None:
    assert fisher_exact(3, 1, 1, 3) == pytest.approx(34 / 70)


def test_fisher_of_many_cases() -> None:
    theirs = scipy.stats.fisher_exact([[700, 2300], [900, 6100]])[1]
    assert fisher_exact(700, 2300, 900, 6100) == pytest.approx(theirs, rel=1e-6)
