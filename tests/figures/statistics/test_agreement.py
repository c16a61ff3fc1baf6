"""How far raters agree, against published values and by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from suitecase.figures.statistics.agreement import (
    NO_PAIRS,
    NO_VARIATION,
    Ratings,
    Scale,
    Value,
    agreeing_share,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_kappa,
)

# Krippendorff 2011, section C: four observers, twelve units, missing ratings.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
PUBLISHED: list[Ratings] = [
    [(str(rater), it) for rater, it in enumerate(unit) if it is not None]
    for unit in zip(*OBSERVERS, strict=True)
]


def two(pairs: Sequence[tuple[Value, Value]]) -> list[Ratings]:
    return [[("ann", a), ("ben", b)] for a, b in pairs]


# yes/yes, yes/no, no/yes, no/no
COHEN: list[tuple[Value, Value]] = [
    *[(True, True)] * 20, *[(True, False)] * 5, *[(False, True)] * 10, *[(False, False)] * 15,
]  # fmt: skip


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (Scale.NOMINAL, 0.743421),
        (Scale.ORDINAL, 0.815388),
        (Scale.INTERVAL, 0.849107),
        (Scale.RATIO, 0.797403),
    ],
)
def test_alpha_is_that_of_krippendorff(scale: Scale, expected: float) -> None:
    assert krippendorff_alpha(PUBLISHED, scale) == pytest.approx(expected, abs=5e-7)


def test_kappa_is_that_of_cohen() -> None:
    assert cohen_kappa(COHEN) == pytest.approx(0.4)
    assert mean_kappa(two(COHEN)) == pytest.approx(0.4)


def test_quadratic_kappa_is_that_of_a_table_of_weights() -> None:
    random = np.random.default_rng(2)
    a = random.integers(0, 6, 80)
    b = np.clip(a + random.integers(-2, 3, 80), 0, 5)
    table = np.zeros((6, 6))
    np.add.at(table, (a, b), 1)
    weights = (np.arange(6)[:, None] - np.arange(6)) ** 2
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / 80
    by_hand = 1 - (weights * table).sum() / (weights * expected).sum()
    pairs = [(int(one), int(other)) for one, other in zip(a, b, strict=True)]
    assert cohen_kappa(pairs, quadratic=True) == pytest.approx(by_hand)


def test_kappa_is_that_of_fleiss() -> None:
    # The table of 10 subjects, 14 raters and 5 categories.
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert fleiss_kappa(table) == pytest.approx(0.20993, abs=5e-6)
    assert fleiss_kappa([[3, 0], [3, 0]]) == NO_VARIATION
    assert fleiss_kappa([[1, 0], [0, 1]]) == NO_PAIRS


def test_shares_of_pairs_that_agree() -> None:
    units: list[Ratings] = [
        [("ann", 8), ("ben", 8), ("cem", 7)],
        [("ann", 3), ("ben", 5)],
        [("ann", 3)],
    ]
    assert agreeing_share(units) == pytest.approx(1 / 4)
    assert agreeing_share(units, within=1) == pytest.approx(3 / 4)
    assert agreeing_share(units[2:]) == NO_PAIRS


def test_the_mean_kappa_weighs_raters_by_what_they_share() -> None:
    with_cem: list[Ratings] = [*two(COHEN), [("ann", True), ("cem", False)]]
    assert mean_kappa(with_cem) == pytest.approx(0.4 * 50 / 51)


@pytest.mark.parametrize("scale", Scale)
def test_values_that_do_not_vary_have_no_coefficient(scale: Scale) -> None:
    alike = two([(4, 4)] * 30)
    assert krippendorff_alpha(alike, scale) == NO_VARIATION
    assert mean_kappa(alike) == NO_VARIATION


def test_units_of_one_rater_have_no_coefficient() -> None:
    alone: list[Ratings] = [[("ann", True)], [("ben", False)]]
    assert krippendorff_alpha(alone, Scale.NOMINAL) == NO_PAIRS
    assert mean_kappa(alone) == NO_PAIRS
