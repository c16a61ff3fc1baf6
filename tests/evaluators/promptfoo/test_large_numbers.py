"""Large numbers count as in JavaScript, where integers that no double holds are infinite."""

from __future__ import annotations

import json
from typing import Any

import pytest

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.graders.scripts import python_score
from suitecase_evaluators.promptfoo.grading_replies import PassVerdict, read_rubric
from suitecase_evaluators.promptfoo.reading import assertion_config
from suitecase_evaluators.targets.scripting.call import Returned
from suitecase_evaluators.text.written_number import read_float
from support.running.evaluators import Judges, answer

HUGE = 10**400
#: A whole number that JavaScript reads as the one below.
ODD, EVEN = 9007199254740993, 9007199254740992
LONG = read_float("0.12345678901234567891")


def read(assertion: dict[str, Any]) -> AssertionConfig:
    config = assertion_config(assertion, name="assertion")
    assert isinstance(config, AssertionConfig), config
    return config


@pytest.mark.parametrize(
    ("assertion", "text", "verdict"),
    [
        ({"type": "equals", "value": HUGE}, "Infinity", Verdict.PASS),
        ({"type": "contains", "value": -HUGE}, "up to -Infinity", Verdict.PASS),
        ({"type": "word-count", "value": HUGE}, "one two", Verdict.FAIL),
        ({"type": "word-count", "value": {"min": 1, "max": HUGE}}, "one two", Verdict.PASS),
        ({"type": "word-count", "value": f"0x{HUGE:x}"}, "one two", Verdict.FAIL),
        ({"type": "is-json", "value": {"multipleOf": HUGE}}, "3", Verdict.PASS),
        ({"type": "is-json", "value": {"multipleOf": 1}}, "1e20", Verdict.PASS),
        ({"type": "is-json", "value": {"multipleOf": 1}}, "1e21", Verdict.FAIL),
    ],
)
async def test_large_numbers_are_graded_as_in_promptfoo(
    assertion: dict[str, Any], text: str, verdict: Verdict
) -> None:
    score = await grade(read(assertion), answer(text), Judges())
    assert (score.verdict, score.error) == (verdict, None)


@pytest.mark.parametrize(
    ("assertion", "text", "verdict"),
    [
        ({"type": "equals", "value": ODD}, str(EVEN), Verdict.PASS),
        ({"type": "equals", "value": ODD}, str(ODD), Verdict.FAIL),
        ({"type": "equals", "value": str(ODD)}, str(ODD), Verdict.PASS),
        ({"type": "equals", "value": {"a": ODD}}, f'{{"a": {EVEN}}}', Verdict.PASS),
        ({"type": "equals", "value": {"a": [ODD]}}, f'{{"a": [{ODD}]}}', Verdict.PASS),
        ({"type": "equals", "value": {"a": LONG}}, '{"a": 0.12345678901234568}', Verdict.PASS),
        ({"type": "contains", "value": LONG}, "0.12345678901234568", Verdict.PASS),
        ({"type": "is-json", "value": {"const": ODD}}, str(EVEN), Verdict.PASS),
        ({"type": "is-json", "value": f'{{"const": {ODD}}}'}, str(ODD), Verdict.PASS),
        ({"type": "is-json", "value": {"const": LONG}}, "0.12345678901234567", Verdict.FAIL),
        ({"type": "contains-json", "value": {"enum": [{"a": ODD}]}}, f'is {{"a": {EVEN}}}', Verdict.PASS),
    ],
)  # fmt: skip
async def test_numbers_lose_the_digits_that_they_lose_in_javascript(
    assertion: dict[str, Any], text: str, verdict: Verdict
) -> None:
    score = await grade(read(assertion), answer(text), Judges())
    assert (score.verdict, score.error) == (verdict, None), score.reasoning


def test_a_score_that_is_too_large_counts_as_one_or_zero() -> None:
    reply = json.dumps({"pass": True, "score": f"0x{HUGE:x}", "reason": "good"})
    assert read_rubric(reply, cut_off=False) == PassVerdict(True, 1.0, "good")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(HUGE, id="number"),
        pytest.param({"pass": True, "score": HUGE, "reason": ""}, id="score"),
        pytest.param('{"pass":' * 100_000, id="nested"),
    ],
)
def test_a_result_that_cannot_be_read_is_an_error(value: Any) -> None:
    returned = Returned(value, "value", Level.LIMITS)
    score = python_score(read({"type": "python", "value": "1"}), returned)
    assert score.verdict is Verdict.ERROR
    assert score.error is not None
    assert "it has to return true or false" in score.error
