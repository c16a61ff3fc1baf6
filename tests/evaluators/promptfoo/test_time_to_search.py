"""The time to grade a long answer grows with its length, not with the square of it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.reading import assertion_config
from support.running.evaluators import Judges, answer

#: A hundred times what it takes here; the square of the length takes many times as long.
SECONDS = 10.0


@pytest.mark.parametrize(
    ("assertion", "text"),
    [
        pytest.param({"type": "contains-html"}, "<a " * 40_000 + ">", id="tags that stay open"),
        pytest.param(
            {"type": "contains-json"}, '{"a": ' + "://" * 30_000 + "}", id="slashes of addresses"
        ),
        pytest.param(
            {"type": "contains-json"}, '{"a": "b' + " " * 60_000 + 'c"}', id="spaces in a string"
        ),
        pytest.param(
            {"type": "word-count", "value": 2}, "a" + " " * 60_000 + "b", id="spaces between words"
        ),
    ],
)
async def test_long_answers_are_searched_in_time(assertion: dict[str, Any], text: str) -> None:
    config = assertion_config(assertion, name="assertion")
    assert isinstance(config, AssertionConfig), config
    started = time.process_time()
    score = await grade(config, answer(text), Judges())
    assert score.verdict is Verdict.PASS
    assert time.process_time() - started < SECONDS
