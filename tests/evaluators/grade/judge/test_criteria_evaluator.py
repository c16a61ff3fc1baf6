"""Mode `llm` of the evaluation modes: criteria in words, judged by a model."""

from __future__ import annotations

import pytest

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.criteria import CRITERIA, CriteriaConfig
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.targets.target import TargetError
from support.evaluators.scripted_judge import Judges, ScriptedJudge, subject, verdict


async def judged_by(criteria: str, judge: ScriptedJudge, of: Subject | None = None) -> Score:
    config = CriteriaConfig(name="criteria", type="criteria", criteria=criteria)
    return await CRITERIA.evaluate(config, of or subject(), Judges(judge))


@pytest.mark.parametrize("criteria", ["", " \n"])
async def test_empty_criteria_are_not_evaluated(criteria: str) -> None:
    judge = ScriptedJudge()
    score = await judged_by(criteria, judge)
    assert (score.verdict, score.score, score.error) == (Verdict.NOT_EVALUATED, None, None)
    assert score.reasoning
    assert judge.asked == []


async def test_criteria_are_judged_with_prompt_and_input_for_context() -> None:
    judge = ScriptedJudge(verdict(0.65), name="gpt")
    score = await judged_by("Answers in one word.", judge, subject(system_prompt="Be brief."))
    assert (score.score, score.verdict) == (0.65, Verdict.BORDERLINE)
    assert score.hits == ("names Paris",)
    system, user = judge.asked[0].turns
    places = [
        user.text.index(it)
        for it in ("Be brief.", "What is the capital", "It is Paris.", "Answers in one word.")
    ]
    assert places == sorted(places)
    # The criteria alone say what is good, not the case's outcome.
    assert "Names Paris." not in user.text
    assert score.request == {
        "user_prompt": user.text,
        "system_prompt": system.text,
        "target": "gpt",
    }
    assert judge.asked[0].judging is not None
    (criterion,) = judge.asked[0].judging.criteria
    assert (criterion.mode, criterion.text) == ("free", "Answers in one word.")


async def test_an_empty_answer_is_judged_by_the_criteria() -> None:
    silent = subject(candidate_answer="\n", output_messages=())
    judge = ScriptedJudge(verdict(1.0))
    score = await judged_by("Says nothing.", judge, silent)
    assert (score.score, score.verdict) == (1.0, Verdict.PASS)
    assert "The answer is empty" in judge.asked[0].turns[1].text


async def test_unreadable_replies_give_zero_and_unreachable_judges_an_error() -> None:
    unread = await judged_by("Is kind.", ScriptedJudge("a", "b", "c"))
    assert (unread.score, unread.parse_failed, unread.attempts) == (0.0, True, 3)
    broken = await judged_by("Is kind.", ScriptedJudge(TargetError("down")))
    assert (broken.verdict, broken.error) == (Verdict.ERROR, "down")
