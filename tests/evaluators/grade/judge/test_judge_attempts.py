"""When a judge is asked again: each attempt differs from those before, or is not made."""

from __future__ import annotations

import pytest

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.grade.judge.attempts import before_its_loop
from suitecase_evaluators.targets.target import CUT_OFF, Reply, TargetError
from support.evaluators.scripted_judge import ScriptedJudge, judged, verdict

LOOP = '{"reasoning": "It is right. ' + "It is the capital of France. " * 40


def cut_off(text: str, written: int = 100) -> Reply:
    return Reply(text=text, finish_reason=CUT_OFF, token_usage=TokenUsage(input=10, output=written))


async def test_a_judge_that_repeats_its_reply_is_asked_in_another_way() -> None:
    judge = ScriptedJudge("I think so.", "I think so.", verdict())
    score = await judged(judge)
    assert (score.verdict, score.attempts) == (Verdict.PASS, 3)
    first, second, third = (question.turns for question in judge.asked)
    assert second[: len(first)] == third[: len(first)] == first
    assert [turn.role for turn in second] == [turn.role for turn in third]
    assert "I think so." in second[-2].text
    assert "I think so." not in third[-2].text
    assert "the reply holds no JSON object" in third[-1].text


async def test_replies_that_differ_are_asked_for_three_times() -> None:
    judge = ScriptedJudge("I think so.", "Yes.", "I think so.", verdict())
    score = await judged(judge)
    assert (score.attempts, score.parse_failed) == (3, True)
    assert len({question.turns for question in judge.asked}) == 3


async def test_a_loop_gets_no_more_tokens_and_is_not_shown_in_full() -> None:
    judge = ScriptedJudge(cut_off(LOOP), verdict())
    score = await judged(judge, max_output_tokens=100)
    assert (score.verdict, score.attempts) == (Verdict.PASS, 2)
    assert [question.max_output_tokens for question in judge.asked] == [100, 100]
    shown, correction = (turn.text for turn in judge.asked[1].turns[-2:])
    assert shown == '{"reasoning": "It is right. It is the capital of France ...'
    assert "in a loop" in correction


async def test_a_judge_whose_replies_loop_is_not_asked_a_third_time() -> None:
    judge = ScriptedJudge(cut_off(LOOP), cut_off(f"Sorry. {LOOP}"), verdict())
    score = await judged(judge)
    assert (score.parse_failed, score.attempts) == (True, 2)
    assert score.reasoning.endswith(
        "it was cut off after 100 tokens before it was complete, in a loop."
    )


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("a" * 200, "a"),
        ("So: " + "and so on, " * 30, "So: and so on,"),
        ("The end. " + "\n" * 150, "The end. \n"),
        ("So: " + "yes " * 20, None),
        ("So: " + ", ".join(f"item-{number}" for number in range(10, 60)), "So: item-10,"),
        ("An answer that says a thing, and then another thing about it. " * 2, None),
    ],
)
def test_a_loop_is_told_from_a_text(text: str, before: str | None) -> None:
    assert before_its_loop(text) == before


def test_a_long_text_without_a_loop_is_none() -> None:
    words = " ".join(f"word{chr(97 + number % 26)}{chr(97 + number % 7)}x" for number in range(90))
    assert before_its_loop(words) is None


TOO_LONG = TargetError("the question is longer than the model can read", of_request=True)


async def test_a_retry_that_is_refused_leaves_the_reply_that_was_given() -> None:
    judge = ScriptedJudge("I think so.", TOO_LONG)
    score = await judged(judge)
    assert (score.verdict, score.score, score.error) == (Verdict.FAIL, 0.0, None)
    assert (score.parse_failed, score.attempts) == (True, 1)
    assert score.reasoning == (
        "The judge gave no readable verdict: the reply holds no JSON object."
    )
    assert score.details["not_retried"] == TOO_LONG.message


async def test_a_first_question_that_is_refused_is_an_error() -> None:
    score = await judged(ScriptedJudge(TOO_LONG))
    assert (score.verdict, score.error) == (Verdict.ERROR, TOO_LONG.message)


async def test_a_judge_that_goes_down_before_its_retry_is_an_error() -> None:
    down = TargetError("too many requests", kind="rejected")
    score = await judged(ScriptedJudge("I think so.", down))
    assert (score.verdict, score.error) == (Verdict.ERROR, "too many requests")
