"""The scenarios of the specification of the rubric evaluator, each by its name.

A suite's text goes in, and its record comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from suitecase.run.protocol import Refused
from support.running.site import Site
from support.suites.judged import JudgedSite, checks, ranges, result

HALVES = ranges((0, 4), (5, 10))


@pytest.fixture
def judged(site: Site) -> JudgedSite:
    return JudgedSite(site)


def ranged(name: str = "depth", **more: Any) -> dict[str, Any]:
    return {"id": name, "expected_outcome": "Goes deep", "score_ranges": HALVES, **more}


async def test_checklist_rubrics_continue_to_work(judged: JudgedSite) -> None:
    """With the keys they always had: id, description, weight and required."""
    rubrics = [
        {"id": "city", "description": "Names the city", "weight": 3, "required": True},
        {"id": "tone", "description": "Is polite", "weight": 1, "required": False},
    ]
    evaluator = {"name": "quality", "type": "rubric", "rubrics": rubrics}
    record = await judged.record(
        {"evaluators": [evaluator]}, "Paris", checks(("city", True), ("tone", False))
    )
    assert (record["score"], record["verdict"]) == (0.75, "borderline")
    assert result(record)["details"]["raw_scores"] == {"city": True, "tone": False}
    system = result(record)["evaluator_provider_request"]["system_prompt"]
    assert '"satisfied": true or false' in system
    assert "whole number" not in system


async def test_range_rubrics_constrain_scoring(judged: JudgedSite) -> None:
    record = await judged.record({"rubrics": [ranged()]}, "Paris", checks(("depth", 7)))
    asked = result(record)["evaluator_provider_request"]
    assert '"score": whole number from 0 to 10' in asked["system_prompt"]
    assert "0 to 4: 0 to 4\n  5 to 10: 5 to 10" in asked["user_prompt"]
    assert record["score"] == 0.7
    assert result(record)["details"]["raw_scores"] == {"depth": 7}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (ranges((0, 5), (5, 10)), "overlap"),
        (ranges((0, 4), (6, 10)), "5"),
        (ranges((1, 10)), "0"),
        (ranges((0, 9)), "10"),
        (ranges((0, 11)), "11"),
        (ranges((-1, 10)), "-1"),
        (ranges((4, 0), (5, 10)), "[4, 0]"),
    ],
    ids=["overlap", "a gap", "starts late", "ends early", "above 10", "below 0", "reversed"],
)
@pytest.mark.parametrize("place", ["case", "evaluator"])
async def test_invalid_range_rubrics_are_rejected(
    judged: JudgedSite, place: str, wrong: Sequence[Mapping[str, Any]], told: str
) -> None:
    rubrics = [ranged(score_ranges=wrong)]
    case: dict[str, Any] = {"id": "case", "input": "x", "expected_outcome": "y"}
    if place == "case":
        case["rubrics"] = rubrics
    else:
        case["evaluators"] = [{"name": "q", "type": "llm_judge", "rubrics": rubrics}]
    ran = await judged.run({"evalcases": [case]}, "Paris")
    last = ran.events[-1]
    assert isinstance(last, Refused)
    assert any(told in it["message"] for it in last.findings), last.findings


async def test_range_rubric_output_schema(judged: JudgedSite) -> None:
    rubrics = [ranged("one"), ranged("two")]
    # The reasoning of an entry and of the whole may be left out.
    bare = {"checks": [{"id": "one", "score": 10}, {"id": "two", "score": 5}]}
    record = await judged.record({"rubrics": rubrics}, "Paris", bare)
    assert (record["score"], record["attempts"]) == (0.75, 1)
    told = {
        "checks": [{"id": "one", "score": 0, "reasoning": "Flat."}, {"id": "two", "score": 10}],
        "overall_reasoning": "Half of it.",
    }
    record = await judged.record({"rubrics": rubrics}, "Paris", told)
    assert (record["score"], record["reasoning"]) == (0.5, "Half of it.")
    assert record["misses"] == ["[one] Goes deep: 0 of 10 where 7 is needed: Flat."]


@pytest.mark.parametrize("score", [11, -1, 7.5, "7", None, True])
async def test_range_rubric_output_schema_takes_whole_numbers_from_0_to_10_alone(
    judged: JudgedSite, score: Any
) -> None:
    wrong = {"checks": [{"id": "depth", "score": score}]}
    record = await judged.record({"rubrics": [ranged()]}, "Paris", wrong, checks(("depth", 8)))
    assert (record["score"], record["attempts"]) == (0.8, 2)
    assert "`depth` needs `score`" in result(record)["details"]["reply_problems"][0]


@pytest.mark.parametrize(("score", "verdict"), [(8, "fail"), (9, "pass")])
async def test_required_min_score_gating(judged: JudgedSite, score: int, verdict: str) -> None:
    rubrics = [ranged(required_min_score=9)]
    record = await judged.record({"rubrics": rubrics}, "Paris", checks(("depth", score)))
    assert (record["score"], record["verdict"]) == (score / 10, verdict)


async def test_pass_verdict(judged: JudgedSite) -> None:
    rubrics = [{"id": "city", "expected_outcome": "Names it"}, ranged(required_min_score=6)]
    record = await judged.record(
        {"rubrics": rubrics}, "Paris", checks(("city", True), ("depth", 6))
    )
    assert (record["score"], record["verdict"]) == (0.8, "pass")
    assert record["gate_failed"] is False


async def test_fail_verdict(judged: JudgedSite) -> None:
    record = await judged.record({"rubrics": [ranged()]}, "Paris", checks(("depth", 5)))
    assert (record["score"], record["verdict"], record["gate_failed"]) == (0.5, "fail", False)


@pytest.mark.parametrize("score", [6, 7])
async def test_borderline_verdict(judged: JudgedSite, score: int) -> None:
    record = await judged.record({"rubrics": [ranged()]}, "Paris", checks(("depth", score)))
    assert record["verdict"] == "borderline"
