"""A judge whose reply reached the most tokens it may have is asked again with more of them."""

from __future__ import annotations

import pytest

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.targets.target import CUT_OFF, Reply, TargetError
from support.evaluators.scripted_judge import ScriptedJudge, judged, verdict


def cut_off(written: int | None = 100) -> Reply:
    usage = None if written is None else TokenUsage(input=10, output=written)
    return Reply(text='{"reasoning": "It na', finish_reason=CUT_OFF, token_usage=usage)


async def test_each_attempt_may_write_twice_as_much() -> None:
    judge = ScriptedJudge(cut_off(), cut_off(200), verdict())
    score = await judged(judge, max_output_tokens=100)
    assert (score.verdict, score.attempts) == (Verdict.PASS, 3)
    assert [it.max_output_tokens for it in judge.asked] == [100, 200, 400]
    assert score.details["raised_max_output_tokens"] == [200, 400]
    assert score.details["reply_problems"][0] == (
        "it was cut off after 100 tokens before it was complete"
    )
    assert "cut off after 100 tokens" in judge.asked[1].turns[-1].text


async def test_without_a_limit_of_its_own_it_is_raised_from_what_was_written() -> None:
    judge = ScriptedJudge(cut_off(4096), verdict())
    await judged(judge)
    assert [it.max_output_tokens for it in judge.asked] == [None, 8192]


@pytest.mark.parametrize("reply", [cut_off(None), cut_off(40_000), "not cut off, and no JSON"])
async def test_what_is_not_known_to_help_is_not_tried(reply: str | Reply) -> None:
    judge = ScriptedJudge(reply, verdict())
    score = await judged(judge)
    assert [it.max_output_tokens for it in judge.asked] == [None, None]
    assert "raised_max_output_tokens" not in score.details


async def test_a_limit_the_provider_refuses_is_taken_back() -> None:
    refused = TargetError("max_tokens is too large", kind="rejected")
    judge = ScriptedJudge(cut_off(), refused, "no JSON", "no JSON")
    score = await judged(judge, max_output_tokens=100)
    # By the contract a judge that cannot be read is a score of 0, and no error.
    assert (score.verdict, score.score, score.parse_failed) == (Verdict.FAIL, 0.0, True)
    assert [it.max_output_tokens for it in judge.asked] == [100, 200, 100, 100]


async def test_a_reply_that_is_cut_off_behind_its_verdict_counts() -> None:
    judge = ScriptedJudge(Reply(text=verdict() + " And so on and", finish_reason=CUT_OFF))
    score = await judged(judge)
    assert (score.verdict, score.attempts) == (Verdict.PASS, 1)
