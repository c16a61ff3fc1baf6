"""Intervals of agreement: that they are about the coefficient, and hold the true value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.agreement import (
    NoValue,
    Ratings,
    Scale,
    Value,
    krippendorff_alpha,
    mean_kappa,
)
from suitecase.figures.statistics.agreement_resampling import (
    agreement_interval,
    alpha_interval,
    kappa_interval,
)
from suitecase.figures.statistics.interval import Interval, Method, NoInterval


def two(pairs: Sequence[tuple[Value, Value]]) -> list[Ratings]:
    return [[("ann", a), ("ben", b)] for a, b in pairs]


# yes/yes, yes/no, no/yes, no/no
COHEN: list[tuple[Value, Value]] = [
    *[(True, True)] * 20, *[(True, False)] * 5, *[(False, True)] * 10, *[(False, False)] * 15,
]  # fmt: skip


@pytest.mark.parametrize("scale", Scale)
def test_values_that_do_not_vary_have_no_interval(scale: Scale) -> None:
    alike = two([(4, 4)] * 30)
    assert isinstance(alpha_interval(alike, scale, seed="1"), NoInterval)
    assert isinstance(kappa_interval(alike, seed="1"), NoInterval)


def test_units_of_one_rater_have_no_interval() -> None:
    alone: list[Ratings] = [[("ann", True)], [("ben", False)]]
    for found in (
        alpha_interval(alone, Scale.NOMINAL, seed="1"),
        kappa_interval(alone, seed="1"),
        agreement_interval(alone, seed="1"),
    ):
        assert isinstance(found, NoInterval)


@pytest.mark.parametrize(
    ("raters", "values"), [(100, [True, False]), (2, [*range(1_200)])], ids=["raters", "values"]
)
def test_more_pairs_than_can_be_drawn_have_no_kappa_interval(
    raters: int, values: list[Value]
) -> None:
    names = [f"r{number}" for number in range(raters)]
    units: list[Ratings] = [[(name, value) for name in names] for value in values]
    found = kappa_interval(units, seed="1")
    assert isinstance(found, NoInterval)
    assert "too many pairs of raters" in found.reason


def test_the_share_of_two_raters_who_agree_has_the_exact_interval() -> None:
    found = agreement_interval(two(COHEN), seed="1")
    assert isinstance(found, Interval)
    assert found.method is Method.EXACT_BINOMIAL
    assert (found.low, found.high) == pytest.approx(
        (0.554, 0.821),
        abs=0.001,  # scipy, of 35 of 50
    )


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=2, max_size=12),
    st.sampled_from(Scale),
)
def test_intervals_are_about_the_coefficient(units: list[list[int]], scale: Scale) -> None:
    rated: list[Ratings] = [[(str(n), it) for n, it in enumerate(unit)] for unit in units]
    alpha = krippendorff_alpha(rated, scale)
    found = alpha_interval(rated, scale, resamples=100, seed="1")
    assert isinstance(alpha, NoValue) == isinstance(found, NoInterval)
    if isinstance(found, Interval):
        assert isinstance(alpha, float)
        assert -1 <= found.low <= found.high <= 1
        if found.units >= 5:
            assert found.low <= alpha + 1e-9
    for quadratic in (False, True):
        kappa = mean_kappa(rated, quadratic=quadratic)
        other = kappa_interval(rated, quadratic=quadratic, resamples=100, seed="1")
        assert isinstance(kappa, NoValue) == isinstance(other, NoInterval)


@pytest.mark.parametrize("scale", Scale)
def test_the_interval_of_equal_groups_is_exactly_about_the_coefficient(scale: Scale) -> None:
    """Draws of equal groups are all equal, so the interval is the exact one, from -1 to alpha."""
    random = np.random.default_rng(3)
    values = [0.0, 0.25, 0.5, 0.75, 1.0]
    first = random.choice(values, 40, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    second = np.where(random.random(40) < 0.7, first, random.choice(values, 40))
    group = two([(float(a), float(b)) for a, b in zip(first, second, strict=True)])
    alpha = krippendorff_alpha(group * 10, scale)
    found = alpha_interval(
        group * 10, scale, groups=[str(unit // len(group)) for unit in range(400)], seed="1"
    )
    assert isinstance(alpha, float)
    assert isinstance(found, Interval)
    assert found.method is Method.EXACT_BINOMIAL
    assert (found.low + 1) / (alpha + 1) == pytest.approx(0.025 ** (1 / 10))


def test_agreement_without_a_single_disagreement_is_not_certain() -> None:
    half = two([(True, True)] * 10 + [(False, False)] * 10)
    found = alpha_interval(half, Scale.NOMINAL, seed="1")
    assert isinstance(found, Interval)
    # 3.1 to 16.8 % of unlike units of 20 may be unseen: with 16.8 %, alpha is about 1 - 2 * 0.168.
    assert found.low == pytest.approx(1 - 2 * 0.1684, abs=0.02)
    assert found.high == 1
    assert found.method is Method.PERCENTILE_WIDENED
    other = kappa_interval(half, seed="1")
    assert isinstance(other, Interval)
    assert other.low == pytest.approx(found.low, abs=0.05)


def test_a_single_disagreement_does_not_make_agreement_unknown() -> None:
    nearly = two([(True, True)] * 9 + [(False, False)] * 6 + [(True, False)])
    for found in (
        alpha_interval(nearly, Scale.NOMINAL, seed="1"),
        kappa_interval(nearly, seed="1"),
    ):
        assert isinstance(found, Interval)
        # Two to thirty of 100 units may differ: with thirty, alpha is about 0.4.
        assert found.low == pytest.approx(0.4, abs=0.05)


def test_the_interval_of_the_mean_kappa_is_near_its_large_sample_error() -> None:
    pairs = COHEN * 4
    found = kappa_interval(two(pairs), seed="1")
    assert isinstance(found, Interval)
    # Fleiss, Cohen and Everitt 1969, of the same table.
    p = np.array([[20, 5], [10, 15]]) / 50
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    kappa, chance = 0.4, float(rows @ columns)
    first = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    second = (1 - kappa) ** 2 * sum(
        p[i, j] * (columns[i] + rows[j]) ** 2 for i, j in product(range(2), repeat=2) if i != j
    )
    third = (kappa - chance * (1 - kappa)) ** 2
    error = ((first + second - third) / (1 - chance) ** 2 / len(pairs)) ** 0.5
    assert (found.low, found.high) == pytest.approx(
        (kappa - 1.96 * error, kappa + 1.96 * error), abs=0.02
    )


@pytest.mark.parametrize("prevalence", [0.5, 0.8])
def test_intervals_of_alpha_hold_the_true_value(prevalence: float) -> None:
    random, inside, suites, error = np.random.default_rng(3), 0, 300, 0.1
    given = prevalence * (1 - error) + (1 - prevalence) * error
    truth = 1 - 2 * error * (1 - error) / (2 * given * (1 - given))
    for number in range(suites):
        answers = random.random(40) < prevalence
        raters = [answers ^ (random.random(40) < error) for _ in range(2)]
        units = two([(bool(a), bool(b)) for a, b in zip(*raters, strict=True)])
        found = alpha_interval(units, Scale.NOMINAL, resamples=1_000, seed=str(number))
        assert isinstance(found, Interval)
        inside += found.low <= truth <= found.high
    assert inside / suites > 0.93


def test_items_of_one_answer_are_drawn_together() -> None:
    alone = kappa_interval(two(COHEN), seed="1")
    same = kappa_interval(two(COHEN * 4), groups=[str(it % 50) for it in range(200)], seed="1")
    assert isinstance(alone, Interval)
    assert isinstance(same, Interval)
    assert (same.low, same.high) == pytest.approx((alone.low, alone.high))
    assert same.units == 50
    shares = agreement_interval(
        two(COHEN * 4), groups=[str(it % 50) for it in range(200)], seed="1"
    )
    assert shares == agreement_interval(two(COHEN), seed="1")
