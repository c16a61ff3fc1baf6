"""Permutation tests against those of scipy."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.figures.statistics.permutation import gap_p, sign_flip_p


def mean(x: np.ndarray[tuple[int, ...], np.dtype[np.float64]], axis: int) -> np.float64:
    return np.float64(np.mean(x, axis=axis))


@pytest.mark.parametrize("n", [1, 2, 5, 10, 13])
def test_sign_flips_of_few_pairs_are_exact_as_by_scipy(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.4, 1, n)
    theirs = (
        scipy.stats.permutation_test(
            (differences,), mean, permutation_type="samples", n_resamples=1_000_000, vectorized=True
        )
        if n > 1
        else None
    )
    expected = 1.0 if theirs is None else theirs.pvalue
    assert sign_flip_p(differences, seed="a") == pytest.approx(expected)


def test_sign_flips_of_many_pairs_are_close_to_the_t_test() -> None:
    differences = np.random.default_rng(2).normal(0.15, 1, 501)
    expected = 2 * scipy.stats.t.sf(differences.mean() / differences.std(ddof=1) * 501**0.5, 500)
    assert 0.001 < expected < 0.2
    assert sign_flip_p(differences, 50_000, seed="a") == pytest.approx(expected, abs=0.006)


def test_pairs_that_do_not_differ_say_nothing() -> None:
    assert sign_flip_p([], seed="a") == 1
    assert sign_flip_p([0.0, 0.0, 0.0], seed="a") == 1
    differences = np.random.default_rng(3).normal(0.2, 1, 40)
    more = np.append(differences, np.zeros(60))
    assert sign_flip_p(more, seed="a") == sign_flip_p(differences, seed="a")


def test_a_p_value_is_never_0() -> None:
    assert sign_flip_p(np.full(100, 0.5), 999, seed="a") == pytest.approx(1 / 1_000)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), max_size=30), st.randoms())
@settings(deadline=None)
def test_the_order_and_the_direction_of_pairs_do_not_matter(
    values: list[float], chance: random.Random
) -> None:
    shuffled = sorted(values, key=lambda _: chance.random())
    found = sign_flip_p(values, 500, seed="a")
    assert sign_flip_p(shuffled, 500, seed="a") == found
    assert 0 < found <= 1


def test_the_gap_of_two_groups_is_close_to_scipys_permutation_test() -> None:
    draw = np.random.default_rng(4)
    first, second = draw.random(40), draw.random(30) + 0.12
    theirs = scipy.stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis)),
        n_resamples=20_000, vectorized=True, alternative="greater", rng=1,
    ).pvalue  # fmt: skip
    values, labels = np.concatenate([first, second]), ["a"] * 40 + ["b"] * 30
    assert gap_p(values, np.ones(70), labels, 20_000, seed="a") == pytest.approx(theirs, abs=0.01)


def test_a_group_that_stands_out_of_three_is_seen() -> None:
    values = np.array([1.0] * 50 + [1.0] * 50 + [0.0] * 20 + [1.0] * 30)
    labels = ["en"] * 50 + ["fr"] * 50 + ["de"] * 50
    assert gap_p(values, np.ones(150), labels, 2_000, seed="a") < 0.01
    shuffled = np.random.default_rng(5).permutation(values)
    assert gap_p(shuffled, np.ones(150), labels, 2_000, seed="a") > 0.05


@pytest.mark.parametrize("units", [60, 1_500])
def test_a_gap_of_verdicts_is_close_to_fishers_exact_test(units: int) -> None:
    """Few units are shuffled; of many with two values, the numbers in each group are drawn."""
    first = units // 3
    passes, more = round(first * 0.75), round(2 * first * 0.8)
    values = np.zeros(3 * first)
    values[:passes] = values[first : first + more] = 1
    labels = ["a"] * first + ["b"] * (2 * first)
    table = [[passes, first - passes], [more, 2 * first - more]]
    chances = scipy.stats.hypergeom.pmf(range(first + 1), 3 * first, passes + more, first)
    gaps = [abs(k / first - (passes + more - k) / (2 * first)) for k in range(first + 1)]
    expected = sum(chances[k] for k, it in enumerate(gaps) if it >= gaps[passes] - 1e-12)
    assert 0.01 < expected < 0.9, table
    assert gap_p(values, np.ones(3 * first), labels, 20_000, seed="a") == pytest.approx(
        expected, abs=0.015
    )


def test_the_order_of_units_does_not_change_the_p_value_of_a_gap() -> None:
    draw = np.random.default_rng(6)
    values, labels = draw.random(90), draw.choice(["de", "en", "fr"], 90)
    order = draw.permutation(90)
    found = gap_p(values, np.ones(90), list(labels), 500, seed="a")
    assert gap_p(values[order], np.ones(90), list(labels[order]), 500, seed="a") == found


def test_one_group_has_no_gap() -> None:
    assert gap_p([0.5, 0.2], [1, 1], ["a", "a"], seed="a") == 1


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        sign_flip_p([0.1, float("nan")], seed="a")
    with pytest.raises(ValueError, match="same units"):
        gap_p([0.1, 0.2], [1, 1], ["a"], seed="a")


def test_sign_flips_of_very_many_pairs_need_no_table_of_each() -> None:
    """The tables of 100,000 pairs, a number for each 256 patterns of 8, would be 26 MB."""
    differences = np.random.default_rng(5).normal(0, 1, 100_000)

    tracemalloc.start()
    try:
        sign_flip_p(differences, 1_000, seed="a")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
