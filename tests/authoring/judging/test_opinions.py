"""What judges and people say about an answer becomes a verdict in one way."""

from __future__ import annotations

import pytest

from suitecase.authoring.judging.opinion import Opinion, opinion_of, people_pass
from suitecase.evidence.calibration_file import Value
from suitecase_evaluators.answers.rubric import Rubric, written_out
from suitecase_evaluators.answers.score import Quote, Score
from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.grade.judge.reply import Check, Checks, FreeForm
from suitecase_evaluators.grade.judge.scoring import free_form_score, rubric_score, unreadable_score

RUBRICS = [
    Rubric(id="apology", expected_outcome="Says sorry"),
    Rubric(id="extra", expected_outcome="Offers more", required=False, weight=0.2),
    Rubric(id="tone", score_ranges={"0": "Rude", "5": "Kind"}, required_min_score=5, weight=0.2),
]
JUDGE = LlmJudgeConfig(name="rubric", type="llm_judge", rubrics=written_out(RUBRICS))
CRITERIA = CriteriaConfig(name="kind", type="criteria", criteria="Is kind")


@pytest.mark.parametrize(
    ("apology", "extra", "tone", "passed"),
    [
        (True, True, 10, True),
        (True, False, 8, True),
        (False, True, 10, False),  # a required item
        (True, True, 4, False),  # below its minimum
        (True, True, 5, True),
        (True, True, 4.5, False),  # rounded down
        (True, False, 5, False),  # the score is too low: (1 + 0 + 0.1) / 1.4
    ],
)
def test_values_of_people_pass_as_those_of_a_judge_would(
    apology: bool, extra: bool, tone: float, passed: bool
) -> None:
    values: dict[str, Value] = {"apology": apology, "extra": extra, "tone": tone}
    assert people_pass(JUDGE, values) is passed
    checks = {name: Check(int(value)) for name, value in values.items()}
    score = rubric_score(Checks(checks), written(), {})
    assert opinion_of(JUDGE, score).passed is passed


def written() -> list[Rubric]:
    return [it for it in written_out(RUBRICS) if isinstance(it, Rubric)]


def test_a_minimum_of_the_evaluator_counts_for_people_too() -> None:
    strict = JUDGE.model_copy(update={"min_score": 0.95})
    values: dict[str, Value] = {"apology": True, "extra": False, "tone": 10}
    assert people_pass(JUDGE, values)
    assert not people_pass(strict, values)


def test_a_verdict_on_the_whole_is_what_people_say() -> None:
    assert people_pass(CRITERIA, {"verdict": True})
    assert not people_pass(CRITERIA, {"verdict": False})
    assert opinion_of(CRITERIA, free_form_score(FreeForm(0.8), {})) == Opinion(
        {"verdict": True}, True
    )
    assert opinion_of(CRITERIA, free_form_score(FreeForm(0.79), {})).passed is False


def test_each_item_has_its_value() -> None:
    checks = {"apology": Check(True), "extra": Check(False), "tone": Check(7)}
    score = rubric_score(Checks(checks), written(), {})
    assert opinion_of(JUDGE, score).values == {"apology": True, "extra": False, "tone": 7}


def test_quotes_are_counted() -> None:
    quotes = (Quote("apology", "sorry", True), Quote("extra", "a voucher", False))
    score = Score.graded(0.5, quotes=quotes, details={"raw_scores": {}})
    assert opinion_of(JUDGE, score).quotes == (1, 2)


def test_a_reply_that_leaves_items_out_is_not_readable() -> None:
    partly = rubric_score(Checks({"apology": Check(True)}), written(), {})
    for score in (partly, unreadable_score("it is empty", {}, written())):
        assert opinion_of(JUDGE, score) == Opinion()


def test_what_could_not_be_graded_is_no_opinion() -> None:
    assert opinion_of(JUDGE, Score.failed_to_grade("no route")) == Opinion(error="no route")
    assert opinion_of(JUDGE, Score.not_evaluated("Nothing.")) == Opinion(error="Nothing.")
