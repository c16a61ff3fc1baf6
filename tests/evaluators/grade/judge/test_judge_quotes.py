"""`quotes: required`: an item that is met has to be quoted for, in words that are in the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Quote, Score, Verdict
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.grade.judge.quotes import is_quote, quotable_texts
from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.mock import MockTarget
from support.evaluators.scripted_judge import (
    Judges,
    ScriptedJudge,
    checks,
    config,
    judged,
    satisfied,
    scored,
    subject,
)

ANSWER = "We are sorry, Ann.\nYour “parcel” arrives\u00a0tomorrow, and it's free. 你好世界"


def answered(text: str = ANSWER) -> Subject:
    message = Message(role="assistant", content=text)
    return subject(candidate_answer=text, output_messages=(message,))


@pytest.mark.parametrize(
    ("quote", "valid"),
    [
        ("We are sorry", True),
        ("sorry, Ann. Your", True),
        ('"We are sorry, Ann."', True),
        ('Your "parcel" arrives tomorrow', True),
        ("and it\u2019s free", True),
        ("We are sorry ... arrives tomorrow", True),
        ("… arrives tomorrow [...] free.", True),
        ("世界", True),
        # In another order, in other words, in another case.
        ("arrives tomorrow ... We are sorry", False),
        ("We're sorry", False),
        ("we are sorry", False),
        ("", False),
        ("...", False),
        (".", False),
        ('""', False),
    ],
)
def test_a_quote_is_what_the_answer_says(quote: str, valid: bool) -> None:
    assert is_quote(quote, quotable_texts(answered())) is valid


def test_an_answer_that_is_a_sign_can_be_quoted() -> None:
    assert is_quote("👍", quotable_texts(answered("👍")))


def test_an_empty_answer_cannot_be_quoted() -> None:
    nothing = quotable_texts(subject(candidate_answer="", output_messages=()))
    assert not is_quote("", nothing)


def quoted(entry: dict[str, Any], quote: str | None) -> dict[str, Any]:
    return entry if quote is None else {**entry, "quote": quote}


async def graded(*replies: str, rubrics: Any = ("Says sorry",)) -> tuple[Score, ScriptedJudge]:
    judge = ScriptedJudge(*replies)
    score = await judged(judge, answered(), rubrics=list(rubrics), quotes="required")
    return score, judge


async def test_the_judge_is_asked_for_quotes_by_prompt_and_schema() -> None:
    _, judge = await graded(checks(quoted(satisfied("rubric-1"), "We are sorry")))
    (question,) = judge.asked
    assert '"reasoning": "...", "quote": "...", "satisfied"' in question.turns[0].text
    schema: Any = question.response_schema
    entry = schema["properties"]["checks"]["properties"]["rubric-1"]
    assert entry["required"] == ["reasoning", "quote", "satisfied"]


async def test_a_valid_quote_is_kept_and_marked() -> None:
    score, judge = await graded(checks(quoted(satisfied("rubric-1"), "We are sorry")))
    assert score.verdict is Verdict.PASS
    assert score.quotes == (Quote("rubric-1", "We are sorry", True),)
    assert len(judge.asked) == 1


@pytest.mark.parametrize("quote", [None, "", "We apologise"])
async def test_an_invalid_quote_is_asked_for_again_with_the_reason(quote: str | None) -> None:
    score, judge = await graded(
        checks(quoted(satisfied("rubric-1"), quote)),
        checks(quoted(satisfied("rubric-1"), "We are sorry")),
    )
    assert score.verdict is Verdict.PASS
    again = judge.asked[1].turns[-1].text
    reason = "is not in the answer: We apologise" if quote else "is met, but has no `quote`"
    assert reason in again
    assert "only the form was wrong" not in again
    assert score.details["reply_problems"]


async def test_after_three_attempts_the_item_is_not_met_and_says_why() -> None:
    wrong = checks(
        quoted(satisfied("rubric-1"), "We apologise"),
        quoted(scored("tone", 8), "Ann"),
    )
    tone = {"id": "tone", "score_ranges": {"0": "cold", "5": "warm"}}
    score, judge = await graded(wrong, wrong, wrong, rubrics=["Says sorry", tone])
    assert len(judge.asked) == 3
    assert (score.verdict, score.score, score.parse_failed) == (Verdict.FAIL, 0.4, False)
    (miss,) = (it for it in score.misses if it.startswith("[rubric-1]"))
    assert "not met: the `quote` of `rubric-1` is not in the answer: We apologise" in miss
    assert score.quotes == (Quote("rubric-1", "We apologise", False), Quote("tone", "Ann", True))
    assert score.details["raw_scores"] == {"rubric-1": False, "tone": 8}


async def test_items_that_are_not_met_need_no_quote() -> None:
    tone = {"id": "tone", "score_ranges": {"0": "cold", "5": "warm"}}
    reply = checks(satisfied("rubric-1", False), scored("tone", 0))
    score, judge = await graded(reply, rubrics=["Says sorry", tone])
    assert (len(judge.asked), score.quotes) == (1, ())


async def test_without_the_key_nothing_is_asked_or_kept() -> None:
    judge = ScriptedJudge(checks(satisfied("rubric-1")))
    score = await judged(judge, answered(), rubrics=["Says sorry"])
    assert score.quotes is None
    assert "quote" not in judge.asked[0].turns[0].text


async def test_the_embedded_judge_quotes_the_sentence_with_the_words() -> None:
    judge = MockTarget(MockConfig(name="scripted", provider="mock"))
    entry = config(rubrics=["Sorry, Ann", "Names a refund"], quotes="required")
    score = await Judges(judge).grade(entry, answered())
    assert score.quotes == (Quote("rubric-1", "We are sorry, Ann.", True),)
    assert score.details["raw_scores"] == {"rubric-1": True, "rubric-2": False}


async def test_a_judge_without_items_quotes_nothing() -> None:
    judge = ScriptedJudge(json.dumps({"score": 1}))
    score = await judged(judge, answered(), quotes="required")
    assert (score.verdict, score.quotes) == (Verdict.PASS, None)
