"""Intervals of shares of 0/1 units, against published values and scipy."""

from __future__ import annotations

from itertools import pairwise

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.binomial import (
    cases_for_lower_bound,
    cases_for_upper_bound,
    clopper_pearson,
    lower_bound_if_all_pass,
    proportion_interval,
    upper_bound_if_none,
)
from suitecase.figures.statistics.interval import Interval, Method, NoInterval


def interval(k: int, n: int, confidence: float = 0.95) -> Interval:
    found = proportion_interval(k, n, confidence)
    assert isinstance(found, Interval)
    return found


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_clopper_pearson_as_published_by_newcombe_1998(
    k: int, n: int, low: float, high: float
) -> None:
    assert clopper_pearson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 3_000), st.data(), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_clopper_pearson_is_that_of_scipy(n: int, data: st.DataObject, confidence: float) -> None:
    k = data.draw(st.integers(0, n))
    theirs = scipy.stats.binomtest(k, n).proportion_ci(confidence, method="exact")
    assert clopper_pearson(k, n, confidence) == pytest.approx(
        (theirs.low, theirs.high), rel=1e-9, abs=1e-12
    )


def test_if_all_units_are_alike_the_interval_is_exact() -> None:
    found = interval(59, 59)
    assert found == Interval(lower_bound_if_all_pass(59), 1.0, Method.EXACT_BINOMIAL, 59)
    assert found.low == pytest.approx(clopper_pearson(59, 59)[0])
    assert interval(0, 20).high == pytest.approx(0.1684, abs=5e-5)
    assert interval(1, 1).low == pytest.approx(0.025)


def test_no_units_have_no_interval() -> None:
    assert proportion_interval(0, 0) == NoInterval("there are no units", 0)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 30, 100, 300])
def test_the_bounds_rise_with_every_pass(n: int) -> None:
    found = [interval(k, n) for k in range(n + 1)]
    for fewer, more in pairwise(found):
        assert fewer.low <= more.low
        assert fewer.high <= more.high


@pytest.mark.parametrize("n", [2, 5, 10, 17, 30, 36, 72, 200])
def test_the_true_rate_is_inside_for_at_least_19_of_20_suites(n: int) -> None:
    found = [interval(k, n) for k in range(n + 1)]
    for rate in (0.5, 0.6, 0.75, 0.8, 0.9, 0.95, 0.9675, 0.9725, 0.99):
        chances = scipy.stats.binom.pmf(range(n + 1), n, rate)
        inside = [it.low <= rate <= it.high for it in found]
        assert sum(chances[inside]) >= 0.95, rate


@given(st.integers(1, 2_000), st.data())
def test_bounds_are_in_order_and_mirrored(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    found, mirrored = interval(k, n), interval(n - k, n)
    assert 0 <= found.low <= k / n <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-9)


def test_more_confidence_is_a_wider_interval() -> None:
    narrow, wide = interval(70, 100, 0.8), interval(70, 100, 0.99)
    assert wide.low < narrow.low < 0.7 < narrow.high < wide.high


@pytest.mark.parametrize(
    ("threshold", "cases"), [(0.8, 17), (0.85, 23), (0.9, 36), (0.95, 72), (0.98, 183), (0.99, 368)]
)
def test_how_many_cases_a_lower_bound_takes(threshold: float, cases: int) -> None:
    assert cases_for_lower_bound(threshold) == cases
    assert lower_bound_if_all_pass(cases) >= threshold > lower_bound_if_all_pass(cases - 1)
    assert cases_for_upper_bound(1 - threshold) == cases


def test_what_cases_can_show_at_best() -> None:
    assert lower_bound_if_all_pass(12) == pytest.approx(0.735, abs=5e-4)
    assert lower_bound_if_all_pass(6) == interval(6, 6).low
    assert upper_bound_if_none(60) == interval(0, 60).high


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5)])
def test_counts_that_cannot_be_are_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="cannot be counted"):
        proportion_interval(k, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, float("nan"), 95.0])
def test_confidences_beyond_0_and_1_are_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        proportion_interval(1, 2, confidence)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 90.0])
def test_no_number_of_cases_reaches_a_threshold_of_0_or_1(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        cases_for_lower_bound(threshold)
