"""`votes`: a judge is asked several times about an answer, and the majority counts."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.criteria import CRITERIA, CriteriaConfig
from suitecase_evaluators.grade.registry import judge_calls
from suitecase_evaluators.targets.target import TargetError
from support.evaluators.scripted_judge import (
    Judges,
    ScriptedJudge,
    checks,
    config,
    judged,
    satisfied,
    scored,
    subject,
    verdict,
)

TONE = {"id": "tone", "score_ranges": {"0": "cold", "5": "warm"}}


async def voted(*replies: str | TargetError, **fields: Any) -> Score:
    return await judged(ScriptedJudge(*replies), subject(seed=17), votes=len(replies), **fields)


@pytest.mark.parametrize(
    ("votes", "met", "confidence"),
    [
        ([True], True, None),
        ([True, True, False], True, 2 / 3),
        ([True, False, False], False, 2 / 3),
        # A tie is not met.
        ([True, False], False, 0.5),
        ([True, True, False, False], False, 0.5),
        ([True] * 15, True, 1.0),
    ],
)
async def test_the_majority_decides_a_check(
    votes: list[bool], met: bool, confidence: float | None
) -> None:
    score = await voted(
        *(checks(satisfied("rubric-1", it, f"said {it}")) for it in votes), rubrics=["Says Paris"]
    )
    assert score.verdict is (Verdict.PASS if met else Verdict.FAIL)
    assert score.confidence == confidence
    # The reason is that of a vote that agrees.
    assert f"said {met}" in (*score.hits, *score.misses)[0]


@pytest.mark.parametrize(
    ("votes", "median"), [([2, 9, 7], 7), ([2, 9], 2), ([2, 6, 7, 9], 6), ([10, 10, 0], 10)]
)
async def test_the_median_decides_a_range(votes: list[int], median: int) -> None:
    score = await voted(*(checks(scored("tone", it)) for it in votes), rubrics=[TONE])
    assert score.details["raw_scores"] == {"tone": median}
    assert score.score == median / 10


async def test_free_form_scores_are_the_median_vote() -> None:
    score = await voted(verdict(0.9), verdict(0.1, reasoning="Bad."), verdict(0.8))
    assert (score.score, score.verdict, score.confidence) == (0.8, Verdict.PASS, 2 / 3)
    assert score.reasoning == "Right."
    assert [it["verdict"] for it in score.details["votes"]] == ["pass", "fail", "pass"]


async def test_each_vote_has_a_seed_of_its_own() -> None:
    judge = ScriptedJudge(*[verdict(1.0)] * 3)
    await judged(judge, subject(seed=17), votes=3)
    assert [(it.vote, it.seed) for it in judge.asked] == [(1, 17), (2, 18), (3, 19)]
    alone = ScriptedJudge(verdict(1.0))
    await judged(alone, subject(seed=17))
    assert [(it.vote, it.seed) for it in alone.asked] == [(1, None)]


async def test_a_vote_that_cannot_be_read_agrees_with_nobody() -> None:
    # The second vote is asked again twice.
    judge = ScriptedJudge(verdict(1.0), "?", "?", "?", verdict(0.9))
    score = await judged(judge, subject(), votes=3)
    assert (score.verdict, score.parse_failed) == (Verdict.PASS, False)
    assert (score.confidence, score.attempts) == (2 / 3, 5)
    assert score.details["votes"][1] is None


async def test_with_half_of_the_votes_unreadable_there_is_no_verdict() -> None:
    score = await judged(
        ScriptedJudge(verdict(1.0), "?", "?", "?"), subject(), votes=2, rubrics=None
    )
    assert (score.score, score.parse_failed, score.confidence) == (0.0, True, None)


async def test_a_judge_that_cannot_be_reached_for_a_vote_gives_no_grade() -> None:
    score = await voted(verdict(1.0), TargetError("it is down"), verdict(1.0))
    assert (score.verdict, score.error) == (Verdict.ERROR, "it is down")


async def test_an_item_that_a_vote_leaves_out_counts_as_not_met_in_it() -> None:
    both = checks(satisfied("a"), satisfied("b"))
    one = checks(satisfied("a"))
    rubrics = [{"id": "a", "expected_outcome": "A"}, {"id": "b", "expected_outcome": "B"}]
    judge = ScriptedJudge(both, one, one, one, one, one, one)
    score = await judged(judge, subject(), votes=3, rubrics=rubrics)
    assert score.details["raw_scores"] == {"a": True, "b": False}
    assert score.confidence == 2 / 3


async def test_quotes_are_those_of_a_vote_that_agrees() -> None:
    replies = (
        checks(satisfied("rubric-1", False)),
        checks(satisfied("rubric-1") | {"quote": "It is Paris"}),
        checks(satisfied("rubric-1") | {"quote": "Paris"}),
    )
    score = await voted(*replies, rubrics=["Says Paris"], quotes="required")
    assert [it.quote for it in score.quotes or ()] == ["It is Paris"]


async def test_criteria_vote_too() -> None:
    judge = ScriptedJudge(verdict(0.2), verdict(0.9), verdict(0.8))
    entry = CriteriaConfig(name="c", type="criteria", criteria="Is right.", votes=3)
    score = await CRITERIA.evaluate(entry, subject(), Judges(judge))
    assert (score.score, score.confidence) == (0.8, 2 / 3)


def test_estimates_follow_the_votes() -> None:
    (calls,) = judge_calls([config(votes=5)])
    assert (calls.least, calls.most) == (5, 15)


def test_the_number_of_votes_has_limits() -> None:
    for votes in (0, 16):
        with pytest.raises(ValueError, match="votes"):
            config(votes=votes)
