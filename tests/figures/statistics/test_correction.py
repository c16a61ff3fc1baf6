"""The rate that a judge measures, corrected for its errors, against published values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.correction import (
    Corrected,
    JudgeErrors,
    corrected_rate,
    more_labels,
)
from suitecase.figures.statistics.interval import Method, NoInterval

#: Sensitivity 0.9, specificity 0.7, each of 200 labels.
PUBLISHED = JudgeErrors(good=200, good_passed=180, bad=200, bad_failed=140)


def test_the_corrected_rate_is_that_of_the_paper() -> None:
    found = corrected_rate(0.4, 1_000, PUBLISHED)
    assert isinstance(found, Corrected)
    assert found.rate == pytest.approx(1 / 6)
    assert found.interval.low == pytest.approx(0.056, abs=5e-4)
    assert found.interval.high == pytest.approx(0.263, abs=5e-4)
    assert found.interval.method is Method.CORRECTED


def test_a_judge_without_errors_leaves_the_rate_as_it_is() -> None:
    found = corrected_rate(0.8, 100, JudgeErrors(50, 50, 50, 50))
    assert isinstance(found, Corrected)
    assert found.rate == pytest.approx(0.8)
    assert found.interval.low < 0.75


def test_bounds_of_sensitivity_and_specificity_are_exact() -> None:
    for bounds, k in ((PUBLISHED.sensitivity_bounds(), 180), (PUBLISHED.specificity_bounds(), 140)):
        exact = scipy.stats.binomtest(k, 200).proportion_ci(0.95, method="exact")
        assert bounds == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize(
    ("errors", "units", "reason"),
    [
        (JudgeErrors(50, 40, 0, 0), 100, "people have labelled no bad answer"),
        (JudgeErrors(0, 0, 9, 9), 100, "people have labelled no good answer"),
        (JudgeErrors(50, 30, 50, 30), 100, "hardly tells good from bad"),
        (JudgeErrors(50, 10, 50, 10), 100, "hardly tells good from bad"),
        (JudgeErrors(50, 45, 50, 45), 0, "there are no units"),
        # A coin that 24 people's labels happen to agree with.
        (
            JudgeErrors(13, 10, 11, 5),
            100,
            "24 labels do not show that the judge tells good from bad",
        ),
        (JudgeErrors(3, 3, 3, 2), 100, "6 labels do not show"),
    ],
)
def test_what_cannot_be_corrected_has_a_reason(
    errors: JudgeErrors, units: int, reason: str
) -> None:
    found = corrected_rate(0.7, units, errors)
    assert isinstance(found, NoInterval)
    assert reason in found.reason


counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(st.integers(1, 2_000), st.floats(0, 1), counts, counts)
def test_the_corrected_rate_lies_in_its_interval(
    n: int, rate: float, good: tuple[int, int], bad: tuple[int, int]
) -> None:
    found = corrected_rate(rate, n, JudgeErrors(*good, *bad))
    if isinstance(found, Corrected):
        assert 0 <= found.interval.low <= found.rate <= found.interval.high <= 1


def test_more_labels_are_asked_for_where_less_is_known() -> None:
    errors = JudgeErrors(good=116, good_passed=110, bad=4, bad_failed=3)
    found = more_labels(errors)
    assert found is not None
    assert found.kind == "bad"
    assert found.text == "20 more bad answers would narrow the specificity to 0.53-0.90"
    before, after = errors.specificity_bounds(), (found.low, found.high)
    assert after[1] - after[0] <= (before[1] - before[0]) / 2


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_intervals_of_the_corrected_rate_hold_the_true_value(rate: float) -> None:
    random, inside, suites = np.random.default_rng(4), 0, 1_000
    for _ in range(suites):
        errors = JudgeErrors(60, random.binomial(60, 0.9), 40, random.binomial(40, 0.8))
        passed = random.binomial(150, rate * 0.9 + (1 - rate) * 0.2)
        found = corrected_rate(passed / 150, 150, errors)
        assert isinstance(found, Corrected)
        inside += found.interval.low <= rate <= found.interval.high
    assert inside / suites > 0.93
