"""latency, cost and token_usage: the target's own figures against a limit."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.answers.trace import TokenUsage, Trace
from support.running.evaluators import ENTRY, answer, entry, graded

TRACE = Trace(duration_ms=1500.0, cost_usd=0.02, token_usage=TokenUsage(input=300, output=40))


@pytest.mark.parametrize(
    ("type_", "limits", "score", "said"),
    [
        ("latency", {"threshold": 1500}, 1.0, "took 1500 ms, within 1500"),
        ("latency", {"threshold": 1499.9}, 0.0, "took 1500 ms, more than 1499.9"),
        ("cost", {"budget": 0.02}, 1.0, "cost 0.02 USD, within 0.02"),
        ("cost", {"budget": 0.0199}, 0.0, "cost 0.02 USD, more than 0.0199"),
        ("token_usage", {"max_total": 340}, 1.0, "took 340 tokens in all, within 340"),
        ("token_usage", {"max_total": 339}, 0.0, "took 340 tokens in all, more than 339"),
        ("token_usage", {"max_input": 299}, 0.0, "read 300 tokens, more than 299"),
        ("token_usage", {"max_output": 0}, 0.0, "wrote 40 tokens, more than 0"),
    ],
)
async def test_a_figure_keeps_to_its_limit_or_not(
    type_: str, limits: dict[str, Any], score: float, said: str
) -> None:
    found = await graded(entry(type_, **limits), answer(trace=TRACE))
    assert found.score == score
    assert said in (*found.hits, *found.misses)[0]
    assert bool(found.misses) is (score == 0)


async def test_each_limit_of_tokens_is_told_and_all_must_hold() -> None:
    limits = {"max_total": 400, "max_input": 100, "max_output": 50}
    score = await graded(entry("token_usage", **limits), answer(trace=TRACE))
    assert (score.score, len(score.hits), len(score.misses)) == (0.0, 2, 1)
    assert "read 300 tokens" in score.misses[0]


@pytest.mark.parametrize("trace", [None, Trace()])
@pytest.mark.parametrize(
    ("type_", "limits"),
    [("latency", {"threshold": 1}), ("cost", {"budget": 1}), ("token_usage", {"max_total": 1})],
)
async def test_what_the_target_does_not_report_is_an_error_and_not_a_score(
    type_: str, limits: dict[str, Any], trace: Trace | None
) -> None:
    score = await graded(entry(type_, **limits), answer(trace=trace))
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "the target does not report" in (score.error or "")


@pytest.mark.parametrize(
    ("type_", "fields", "error"),
    [
        ("latency", {}, "missing"),
        ("latency", {"threshold": -1}, "greater_than_equal"),
        ("cost", {"budget": "1"}, "float_type"),
        ("token_usage", {}, "token_usage_without_limit"),
        ("token_usage", {"max_total": 1.5}, "int_type"),
    ],
)
def test_limits_are_numbers_of_at_least_0(type_: str, fields: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(entry(type_, **fields))
    assert [it["type"] for it in raised.value.errors()] == [error]
