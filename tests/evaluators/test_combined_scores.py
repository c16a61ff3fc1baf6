"""A case's score and verdict, from those of its evaluators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase_evaluators.answers.score import Score, Verdict, verdict_for
from suitecase_evaluators.grade.combine import case_score, row_score

GATE = Score.graded(0.9, gate_failed=True)
NOTHING = Score.not_evaluated("no criteria")
BROKEN = Score.failed_to_grade("the host is down")


def of(score: float) -> Score:
    return Score.graded(score)


@pytest.mark.parametrize(
    ("results", "score", "verdict"),
    [
        ([(1, of(1.0)), (1, of(0.5))], 0.75, Verdict.BORDERLINE),
        ([(3, of(1.0)), (1, of(0.2))], 0.8, Verdict.PASS),
        ([(1, of(1.0)), (0, of(0.0))], 1.0, Verdict.PASS),
        ([(1, of(0.5)), (5, NOTHING)], 0.5, Verdict.FAIL),
        ([(1, NOTHING)], None, Verdict.NOT_EVALUATED),
        ([], None, Verdict.NOT_EVALUATED),
        ([(0, of(1.0))], None, Verdict.NOT_EVALUATED),
        ([(1, of(1.0)), (1, BROKEN)], 1.0, Verdict.ERROR),
        ([(1, BROKEN), (1, NOTHING)], None, Verdict.ERROR),
        ([(1, GATE), (9, of(1.0))], 0.99, Verdict.FAIL),
        ([(0, GATE), (1, of(1.0))], 1.0, Verdict.FAIL),
        ([(0, GATE)], 0.0, Verdict.FAIL),
        ([(1, GATE), (1, BROKEN)], 0.9, Verdict.FAIL),
        ([(1e308, of(1.0)), (1e308, of(0.5))], 0.75, Verdict.BORDERLINE),
        ([(1e308, of(1.0)), (1, of(0.0))], 1.0, Verdict.PASS),
        ([(5e-324, of(1.0)), (5e-324, of(0.5))], 0.75, Verdict.BORDERLINE),
    ],
)
def test_scores_are_combined(
    results: list[tuple[float, Score]], score: float | None, verdict: Verdict
) -> None:
    combined = case_score(results)
    assert combined.score == (None if score is None else pytest.approx(score))
    assert combined.verdict is verdict
    assert combined.gate_failed is any(it.gate_failed for _, it in results)


WEIGHTS = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20)


@given(st.integers(0, 100), WEIGHTS)
def test_where_all_agree_the_case_agrees(percent: int, weights: list[float]) -> None:
    score = percent / 100
    combined = case_score([(weight, of(score)) for weight in weights])
    assert combined.score == pytest.approx(score)
    assert combined.verdict is verdict_for(score)


@given(st.lists(st.tuples(st.floats(0, allow_infinity=False), st.floats(0, 1)), max_size=20))
def test_a_case_lies_between_its_evaluators(results: list[tuple[float, float]]) -> None:
    combined = case_score([(weight, of(score)) for weight, score in results])
    counted = [score for weight, score in results if weight > 0]
    if combined.score is None:
        assert not counted
    else:
        assert min(counted) - 1e-9 <= combined.score <= max(counted) + 1e-9
        assert 0 <= combined.score <= 1


PASSED = Score(score=1.0, verdict=Verdict.PASS)
HALF = Score(score=0.5, verdict=Verdict.PASS)
FAILED = Score(score=0.0, verdict=Verdict.FAIL)


@pytest.mark.parametrize(
    ("results", "threshold", "score", "verdict"),
    [
        ([], None, None, Verdict.NOT_EVALUATED),
        ([(1, PASSED), (1, HALF)], None, 0.75, Verdict.PASS),
        ([(3, PASSED), (1, FAILED)], None, 0.75, Verdict.FAIL),
        ([(3, PASSED), (1, FAILED)], 0.75, 0.75, Verdict.PASS),
        ([(3, PASSED), (1, FAILED)], 0.8, 0.75, Verdict.FAIL),
        ([(0, PASSED)], None, 0.0, Verdict.PASS),
        ([(1, PASSED), (1, BROKEN)], None, 1.0, Verdict.ERROR),
        ([(1, BROKEN)], 0.5, None, Verdict.ERROR),
    ],
)
def test_a_row_passes_by_the_rule_of_promptfoo(
    results: list[tuple[float, Score]],
    threshold: float | None,
    score: float | None,
    verdict: Verdict,
) -> None:
    combined = row_score(results, threshold)
    assert (combined.score, combined.verdict) == (score, verdict)
