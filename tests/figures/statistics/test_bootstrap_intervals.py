"""Bootstrap intervals: published values, scipy's formula, and what never changes an interval."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from suitecase.figures.statistics.bca import bca_levels
from suitecase.figures.statistics.binomial import clopper_pearson, proportion_interval
from suitecase.figures.statistics.draws import draw_rows
from suitecase.figures.statistics.interval import Interval, Method, NoInterval
from suitecase.figures.statistics.resampling import (
    Statistic,
    acceleration,
    bootstrap,
    mean_of,
    share_below,
)
from suitecase.figures.statistics.student import normal_quantile

Floats = NDArray[np.float64]
CHILDREN = [
    48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
]  # fmt: skip


def with_counts(values: list[float] | Floats) -> Floats:
    """Return totals of one case each: its value, and that it is one case."""
    return np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)


def one(
    totals: Floats, statistic: Statistic, seed: str = "a", confidence: float = 0.95
) -> Interval | NoInterval:
    (found,) = bootstrap(totals, [statistic], seed=seed, confidence=confidence, resamples=4_000)
    return found


def interval(
    totals: Floats, statistic: Statistic, seed: str = "a", confidence: float = 0.95
) -> Interval:
    found = one(totals, statistic, seed, confidence)
    assert isinstance(found, Interval)
    return found


MEAN, UNBOUNDED = mean_of(0, 1), mean_of(0, 1, None)


def variance(totals: Floats) -> Floats:
    found: Floats = totals[..., 1] / totals[..., 2] - (totals[..., 0] / totals[..., 2]) ** 2
    return found


def test_the_26_children_of_efron_and_tibshirani_1993() -> None:
    """Their variance is 171.534 and its BCa interval of 90 % about 115.8 to 259.6."""
    values = np.array(CHILDREN, dtype=float)
    totals = np.stack([values, values**2, np.ones(26)], axis=1)
    together, each = totals.sum(axis=0), np.ones(26, dtype=np.int64)
    assert variance(together) == pytest.approx(171.534, abs=5e-4)
    figures = variance(draw_rows(totals, each, 20_000, "a").T)
    levels = bca_levels(
        normal_quantile(0.95),
        share_below(figures, float(variance(together))),
        acceleration(variance(together - totals), each),
    )
    assert np.quantile(figures, levels) == pytest.approx([115.8, 259.6], abs=4)
    expanded = interval(totals, Statistic(variance), confidence=0.9)
    assert 100 < expanded.low < 115
    assert 260 < expanded.high < 275


def test_the_bounds_are_at_the_ends_of_the_draws_from_the_pole_on() -> None:
    assert bca_levels(1.0, 0.5, 1.0)[1] == bca_levels(2.0, 0.5, 1.0)[1] == 1.0
    assert bca_levels(1.0, 0.5, -1.0)[0] == bca_levels(2.0, 0.5, -1.0)[0] == 0.0


def test_the_levels_are_those_of_scipy_on_its_own_draws() -> None:
    values = np.random.default_rng(3).lognormal(size=40)
    theirs = scipy.stats.bootstrap((values,), np.mean, method="BCa", n_resamples=2_000, rng=1)
    left_out = (values.sum() - values) / (len(values) - 1)
    levels = bca_levels(
        normal_quantile(0.975),
        share_below(theirs.bootstrap_distribution, float(values.mean())),
        acceleration(left_out, np.ones(len(values), dtype=np.int64)),
    )
    ours = np.quantile(theirs.bootstrap_distribution, levels)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=1e-12)


@pytest.mark.parametrize(
    ("k", "n"), [(1, 2), (39, 40), (45, 60), (270, 300), (5, 12), (2_000, 2_100)]
)
def test_of_0_and_1_it_is_the_interval_that_is_computed(k: int, n: int) -> None:
    found, computed = (
        interval(with_counts([1.0] * k + [0.0] * (n - k)), MEAN),
        proportion_interval(k, n),
    )
    assert isinstance(computed, Interval)
    assert (found.low, found.high) == pytest.approx((computed.low, computed.high))
    assert (found.method, found.units) == (computed.method, n)


def test_groups_of_two_kinds_have_the_exact_interval_of_their_share() -> None:
    """Of 12 groups, 8 pass in all of their 5 cases and 4 in none."""
    found = interval(np.array([[5.0, 5.0]] * 8 + [[0.0, 5.0]] * 4), MEAN)
    assert (found.low, found.high) == pytest.approx(clopper_pearson(8, 12))
    assert found.method is Method.EXACT_BINOMIAL


def test_draws_from_rows_and_from_units_are_of_one_distribution() -> None:
    """Nine values among 2,000 units are drawn by row; with a little noise they are drawn by unit."""
    random = np.random.default_rng(5)
    values = random.integers(0, 9, 2_000) / 8
    by_row = interval(with_counts(values), UNBOUNDED)
    by_unit = interval(with_counts(values + random.normal(0, 1e-9, 2_000)), UNBOUNDED)
    width = by_row.high - by_row.low
    assert (by_unit.low, by_unit.high) == pytest.approx((by_row.low, by_row.high), abs=0.05 * width)


def test_of_many_units_it_is_close_to_the_normal_interval() -> None:
    values = np.random.default_rng(6).normal(3, 2, 3_000)
    found = interval(with_counts(values), UNBOUNDED)
    half = 1.96 * values.std() / np.sqrt(3_000)
    assert found.low == pytest.approx(values.mean() - half, abs=0.05 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.05 * half)


def test_more_draws_give_nearly_the_same_interval() -> None:
    totals = with_counts(np.random.default_rng(14).random(80))
    (few,), (many,) = (bootstrap(totals, [MEAN], seed="a", resamples=it) for it in (9_000, 200_001))
    assert isinstance(few, Interval)
    assert isinstance(many, Interval)
    assert (few.low, few.high) == pytest.approx((many.low, many.high), abs=0.004)


def test_groups_are_resampled_whole() -> None:
    """Five answers that are always alike are one unit, however many they are."""
    values = np.random.default_rng(7).random(40)
    grouped = interval(np.stack([5 * values, np.full(40, 5.0)], axis=1), MEAN)
    assert grouped.units == 40
    assert (grouped.low, grouped.high) == pytest.approx(
        (interval(with_counts(values), MEAN).low, interval(with_counts(values), MEAN).high)
    )


def test_units_without_the_figure_have_no_part_in_it() -> None:
    values = np.random.default_rng(8).random(30)
    some, more = with_counts(values), np.vstack([with_counts(values), np.zeros((50, 2))])
    assert one(more, MEAN) == one(some, MEAN)


def test_the_order_of_units_and_columns_and_other_figures_change_nothing() -> None:
    random = np.random.default_rng(9)
    totals = np.column_stack([random.random(300), np.ones(300), random.random(300), np.ones(300)])
    both = bootstrap(totals, [mean_of(0, 1), mean_of(2, 3)], seed="a", resamples=1_000)
    shuffled = random.permutation(totals)[:, [2, 3, 0, 1]]
    (alone,) = bootstrap(shuffled, [mean_of(2, 3)], seed="a", resamples=1_000)
    assert isinstance(alone, Interval)
    assert isinstance(both[0], Interval)
    assert (alone.low, alone.high) == pytest.approx((both[0].low, both[0].high), rel=1e-12)


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    totals = with_counts(np.random.default_rng(10).random(200))
    assert one(totals, MEAN, "a") == one(totals, MEAN, "a")
    assert one(totals, MEAN, "a") != one(totals, MEAN, "b")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=90))
@settings(max_examples=60, deadline=None)
def test_bounds_are_in_order_and_within_the_figures_own(values: list[float]) -> None:
    found = interval(with_counts(values), MEAN)
    assert 0 <= found.low <= found.high <= 1
    assert found.units == len(values)


def test_one_unit_or_equal_units_have_the_exact_bound() -> None:
    single, equal = interval(with_counts([1.0]), MEAN), interval(with_counts([0.5] * 20), MEAN)
    assert single.method is equal.method is Method.EXACT_BINOMIAL
    assert (single.low, single.high) == pytest.approx((0.025, 1))
    assert (equal.low, equal.high) == pytest.approx((0.5 - 0.0842, 0.5842), abs=5e-5)


def test_no_interval_says_why() -> None:
    assert one(np.zeros((0, 2)), MEAN) == NoInterval("there are no units", 0)
    assert one(with_counts([7.0]), UNBOUNDED) == NoInterval("all units are equal", 1)
    assert one(with_counts([7.0] * 9), UNBOUNDED) == NoInterval("all units are equal", 9)
    few = one(with_counts([7.0, 8.0, 9.0, 12.0]), UNBOUNDED)
    assert few == NoInterval("there are fewer than 5 units", 4)
    alike = one(with_counts([7.0] * 40 + [8.0, 9.0, 12.0, 15.0]), UNBOUNDED)
    assert alike == NoInterval("nearly all units are equal", 44)
    assert isinstance(one(with_counts([7.0, 8.0, 9.0, 12.0, 15.0]), UNBOUNDED), Interval)


def test_few_units_that_differ_widen_the_interval() -> None:
    """Of 30 units, a share of 0.116 may be unlike those seen, and score 0."""
    few = interval(with_counts([1.0] * 28 + [0.8, 0.9]), MEAN)
    estimate = 29.7 / 30
    assert few.method is Method.BCA_WIDENED
    assert few.low == pytest.approx(estimate * (0.025 ** (1 / 30)))
    many = interval(with_counts([1.0] * 20 + [0.1 * it for it in range(10)]), MEAN)
    assert many.method is Method.BCA


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_totals_that_are_no_numbers_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        one(with_counts([1.0, value]), MEAN)


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(ValueError, match="resamples"):
        bootstrap(with_counts([1.0, 0.0]), [MEAN], seed="a", resamples=10)
    with pytest.raises(ValueError, match="columns"):
        bootstrap(np.ones(5), [MEAN], seed="a")
    with pytest.raises(ValueError, match="confidence"):
        one(with_counts([1.0, 0.0]), MEAN, confidence=95)


def test_a_gap_has_a_percentile_interval_within_its_bounds() -> None:
    random = np.random.default_rng(11)
    first = np.arange(80) % 2 == 0
    values = random.random(80)
    totals = np.column_stack([values * first, first, values * ~first, ~first])

    def gap(totals: Floats) -> Floats:
        means = totals[..., [0, 2]] / totals[..., [1, 3]]
        found: Floats = means.max(axis=-1) - means.min(axis=-1)
        return found

    found = interval(totals, Statistic(gap, (0, 1), smooth=False))
    assert found.method is Method.PERCENTILE
    assert 0 <= found.low < found.high < 0.4


def test_an_interval_of_a_gap_between_equal_groups_holds_0() -> None:
    first = np.arange(100) % 2 == 0
    held = 0
    for number in range(100):
        values = np.random.default_rng(number).normal(0.5, 0.1, 100)
        totals = np.column_stack([values * first, first, values * ~first, ~first])

        def gap(totals: Floats) -> Floats:
            return np.abs(totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3])

        held += interval(totals, Statistic(gap, (0, 1), smooth=False)).low == 0
    assert held >= 90


def test_parts_of_a_weighted_sum_share_their_draws() -> None:
    """The sum of a figure and its complement never varies, so its interval has no width."""
    values = np.random.default_rng(12).random(50)
    totals = np.column_stack([values, np.ones(50), 1 - values])
    both = Statistic(lambda it: it[..., 0] / it[..., 1] + it[..., 2] / it[..., 1], (0, 2))
    found = interval(totals, both)
    assert found.high - found.low < 1e-9


def test_draws_in_which_a_part_has_no_units_count_against_both_bounds() -> None:
    values = np.random.default_rng(13).random(60)
    rare = (np.arange(60) < 1).astype(float)
    totals = np.column_stack([values, np.ones(60), rare * values, rare])
    difference = Statistic(lambda it: it[..., 0] / it[..., 1] - it[..., 2] / it[..., 3], (-1, 1))
    found = interval(totals, difference)
    assert (found.low, found.high) == (-1, 1)
    unbounded = Statistic(difference.of, None)
    assert one(totals, unbounded) == NoInterval("too many draws of units have no value", 60)
