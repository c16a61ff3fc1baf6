"""The scenarios of the specification of the judge's JSON contract, each by its name.

A suite's text goes in, and its record comes out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from support.running.site import Site
from support.suites.judged import JudgedSite, checks, result, verdict

RUBRICS: list[Mapping[str, Any]] = [
    {"id": "city", "expected_outcome": "Names the city", "weight": 4},
    {"id": "tone", "expected_outcome": "Is polite", "required": False},
]


@pytest.fixture
def judged(site: Site) -> JudgedSite:
    return JudgedSite(site)


async def test_enforce_json_prompt_contract(judged: JudgedSite) -> None:
    record = await judged.record(
        {"expected_output": "Paris, of course."}, "It is Paris.", verdict(1)
    )
    asked = result(record)["evaluator_provider_request"]
    for told in (
        "Names Paris.",
        "What is the capital of France?",
        "Paris, of course.",
        "It is Paris.",
    ):
        assert told in asked["user_prompt"]
    system = asked["system_prompt"]
    assert "exactly one JSON object" in system
    assert all(f'"{key}"' in system for key in ("score", "hits", "misses", "reasoning"))
    assert "hits: at most 4" in system
    assert "misses: at most 4" in system


@pytest.mark.parametrize(
    "around",
    ["{}", "Sure:\n```json\n{}\n```\nThere.", "I thought of {{a}} set. {} Yes."],
    ids=["directly", "fenced", "in prose"],
)
async def test_parse_json_evaluator_response_extracts_the_first_valid_object(
    judged: JudgedSite, around: str
) -> None:
    reply = around.replace("{{", "{").replace("}}", "}")
    reply = reply.replace("{}", json.dumps(verdict(0.7)) + json.dumps(verdict(0.1)))
    record = await judged.record({}, "Paris", reply)
    # It is asked again first, since the verdicts differ.
    assert (record["score"], record["attempts"]) == (0.7, 3)
    assert result(record)["details"]["ambiguous_reply"] is True


@pytest.mark.parametrize(("said", "score"), [(1.7, 1.0), (-3, 0.0), (0.25, 0.25)])
async def test_parse_json_evaluator_response_clamps_the_score(
    judged: JudgedSite, said: float, score: float
) -> None:
    assert (await judged.record({}, "Paris", verdict(said)))["score"] == score


async def test_parse_json_evaluator_response_trims_hits_and_misses(judged: JudgedSite) -> None:
    many = [" one ", "", "  ", "two", "three", "four", "five"]
    record = await judged.record({}, "Paris", verdict(1, hits=many, misses=[*many, 7]))
    assert record["hits"] == ["one", "two", "three", "four"]
    assert record["misses"] == ["one", "two", "three", "four"]


async def test_parse_json_evaluator_response_falls_back_to_0(judged: JudgedSite) -> None:
    record = await judged.record({}, "Paris", "It is a very good answer.")
    assert (record["score"], record["hits"], record["misses"]) == (0.0, [], [])
    assert "no readable verdict" in record["reasoning"]


async def test_record_evaluator_request_metadata(judged: JudgedSite) -> None:
    case = {"id": "case", "input": "x", "expected_outcome": "y"}
    ran = await judged.run({"evalcases": [case]}, "Paris", "no JSON at all")
    record = ran.records["case"]
    asked = result(record)["evaluator_provider_request"]
    assert "[begin candidate_answer" in asked["user_prompt"]
    assert asked["system_prompt"].startswith("You grade an answer")
    assert asked["target"] == "judge"
    # A reply that cannot be read is no warning: the score of 0 says it, and beside it the record.
    assert ran.warnings == ""
    assert (record["score"], record["verdict"], record["error"]) == (0.0, "fail", None)
    assert (record["parse_failed"], record["attempts"]) == (True, 3)


async def test_rubric_mode_trigger(judged: JudgedSite) -> None:
    evaluator = {"name": "q", "type": "llm_judge", "rubrics": RUBRICS}
    # A free-form verdict is no verdict on items.
    record = await judged.record(
        {"evaluators": [evaluator]}, "Paris", verdict(1), checks(("city", True), ("tone", False))
    )
    assert (record["score"], record["attempts"]) == (0.8, 2)


async def test_freeform_mode_trigger(judged: JudgedSite) -> None:
    evaluator = {"name": "q", "type": "llm_judge"}
    record = await judged.record(
        {"evaluators": [evaluator]}, "Paris", checks(("city", True)), verdict(0.7)
    )
    assert (record["score"], record["attempts"]) == (0.7, 2)
    assert (record["hits"], record["misses"]) == (["hit"], ["miss"])


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (1, "pass"),
        (0.8, "pass"),
        (0.799, "borderline"),
        (0.6, "borderline"),
        (0.599, "fail"),
        (0, "fail"),
    ],
)
async def test_verdict_calculation_freeform(
    judged: JudgedSite, score: float, expected: str
) -> None:
    record = await judged.record({}, "Paris", verdict(score))
    assert (record["verdict"], result(record)["verdict"]) == (expected, expected)


@pytest.mark.parametrize(
    ("city", "tone", "weight", "expected"),
    [
        (True, True, 4, "pass"),
        (True, False, 4, "pass"),
        (True, False, 1.5, "borderline"),
        (True, False, 1, "fail"),
        (False, True, 0.01, "fail"),
    ],
    ids=["all met", "0.8", "0.6", "0.5", "a required one unmet at 0.99"],
)
async def test_verdict_calculation_rubric(
    judged: JudgedSite, city: bool, tone: bool, weight: float, expected: str
) -> None:
    rubrics = [{**RUBRICS[0], "weight": weight}, RUBRICS[1]]
    record = await judged.record(
        {"rubrics": rubrics}, "Paris", checks(("city", city), ("tone", tone))
    )
    assert record["verdict"] == expected
    assert record["gate_failed"] is not city


async def test_hits_and_misses_rubric(judged: JudgedSite) -> None:
    record = await judged.record(
        {"rubrics": RUBRICS}, "Paris", checks(("city", True), ("tone", False))
    )
    assert record["hits"] == ["[city] Names the city"]
    assert record["misses"] == ["[tone] Is polite"]
