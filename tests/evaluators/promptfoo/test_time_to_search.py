"""The time to look for HTML and for JSON objects grows with an answer's length, not with its square."""

from __future__ import annotations

import time

import pytest

from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.reading import assertion_config
from suitecase_evaluators.registry import grade
from suitecase_evaluators.score import Verdict
from support.running.evaluators import Judges, answer

#: A hundred times what it takes here; the square of the length takes many times as long.
SECONDS = 10.0


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        pytest.param("contains-html", "<a " * 40_000 + ">", id="tags that stay open"),
        pytest.param("contains-json", '{"a": ' + "://" * 30_000 + "}", id="slashes of addresses"),
    ],
)
async def test_long_answers_are_searched_in_time(type_: str, text: str) -> None:
    config = assertion_config({"type": type_}, name="assertion")
    assert isinstance(config, AssertionConfig), config
    started = time.perf_counter()
    score = await grade(config, answer(text), Judges())
    assert score.verdict is Verdict.PASS
    assert time.perf_counter() - started < SECONDS
