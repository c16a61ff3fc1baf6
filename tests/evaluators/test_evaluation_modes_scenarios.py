"""What the specification of the evaluation modes expects, step by step.

A suite's text goes in, and its record comes out.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.site import Site
from support.suites.judged import JudgedSite, result, verdict

SCHEMA = {
    "type": "object",
    "required": ["city"],
    "properties": {"city": {"type": "string"}},
    "additionalProperties": False,
}
LLM = {"evaluation_mode": "llm", "evaluation_criteria": "Is about France"}


@pytest.fixture
def judged(site: Site) -> JudgedSite:
    return JudgedSite(site)


@pytest.mark.parametrize("criteria", ["", "  \n", None])
async def test_llm_mode_without_criteria_is_not_evaluated(
    judged: JudgedSite, criteria: str | None
) -> None:
    head: dict[str, Any] = {"evaluation_mode": "llm"}
    if criteria is not None:
        head["evaluation_criteria"] = criteria
    record = await judged.record({}, "Paris", verdict(1), **head)
    assert (record["verdict"], record["score"]) == ("not_evaluated", None)
    # The answer is there all the same, and nobody was asked for a judgement.
    assert (record["candidate_answer"], record["attempts"]) == ("Paris", 0)


async def test_llm_mode_asks_by_prompt_input_output_and_criteria(judged: JudgedSite) -> None:
    record = await judged.record({}, "It is Paris.", verdict(0.9), prompt="Be brief.", **LLM)
    asked = result(record)["evaluator_provider_request"]["user_prompt"]
    for told in ("Be brief.", "What is the capital of France?", "It is Paris.", "Is about France"):
        assert told in asked
    assert record["input"][0] == {"role": "system", "content": "Be brief.", "tool_calls": None}


async def test_llm_mode_stores_decision_score_and_artifacts(judged: JudgedSite) -> None:
    record = await judged.record({}, "Paris", verdict(0.7), **LLM)
    assert (record["score"], record["verdict"]) == (0.7, "borderline")
    assert (record["hits"], record["misses"], record["reasoning"]) == (
        ["hit"],
        ["miss"],
        "Because.",
    )
    assert (result(record)["name"], result(record)["type"]) == ("evaluation_criteria", "criteria")
    assert json.loads(result(record)["details"]["replies"][0]) == verdict(0.7)


@pytest.mark.parametrize("schema", ["", "{}", {}, None])
async def test_schema_mode_without_a_schema_is_not_evaluated(
    judged: JudgedSite, schema: Any
) -> None:
    case = {} if schema is None else {"evaluation_schema": schema}
    record = await judged.record(case, '{"city": "Paris"}', evaluation_mode="schema")
    assert (record["verdict"], record["score"]) == ("not_evaluated", None)
    assert record["candidate_answer"] == '{"city": "Paris"}'


@pytest.mark.parametrize("form", ["text", "yaml"])
@pytest.mark.parametrize(
    ("answer", "score", "error"),
    [
        ('{"city": "Paris"}', 1.0, None),
        ('{"city": 75}', 0.0, "75 is not of type 'string'"),
        ('{"town": "Paris"}', 0.0, "'city' is a required property"),
        ("Paris", 0.0, "JSON"),
        ("", 0.0, "JSON"),
    ],
    ids=["valid", "another type", "a missing key", "no JSON", "empty"],
)
async def test_schema_mode_scores_1_or_0_and_stores_errors(
    judged: JudgedSite, form: str, answer: str, score: float, error: str | None
) -> None:
    schema = json.dumps(SCHEMA) if form == "text" else SCHEMA
    record = await judged.record({"evaluation_schema": schema}, answer, evaluation_mode="schema")
    assert (record["score"], record["verdict"]) == (score, "pass" if score else "fail")
    told = json.dumps([record["misses"], record["reasoning"], result(record)["details"]])
    assert error is None or error in told


async def test_schema_mode_takes_each_case_by_its_own_schema(judged: JudgedSite) -> None:
    kinds = {"texts": "string", "numbers": "number"}
    cases = [
        {"id": name, "input": "x", "expected_outcome": "y", "evaluation_schema": {"type": kind}}
        for name, kind in kinds.items()
    ]
    ran = await judged.run({"evaluation_mode": "schema", "evalcases": cases}, '"Paris"')
    assert {it: record["score"] for it, record in ran.records.items()} == {
        "texts": 1.0,
        "numbers": 0.0,
    }


async def test_the_expected_schema_shapes_the_output_and_grades_nothing(
    judged: JudgedSite,
) -> None:
    other = {"type": "object", "required": ["country"]}
    record = await judged.record(
        {"evaluation_schema": SCHEMA},
        '{"city": "Paris"}',
        evaluation_mode="schema",
        expected_schema=other,
    )
    assert record["score"] == 1.0
    assert "country" in record["input"][0]["content"]


async def test_an_editors_pair_of_modes_holds_each_its_own_keys(judged: JudgedSite) -> None:
    """Criteria in mode `schema`, and a schema in mode `llm`, are there and grade nothing."""
    record = await judged.record(
        {"evaluation_schema": SCHEMA}, '{"town": "Paris"}', verdict(0.9), **LLM
    )
    assert (record["score"], result(record)["type"]) == (0.9, "criteria")
    head = {**LLM, "evaluation_mode": "schema"}
    record = await judged.record({"evaluation_schema": SCHEMA}, '{"city": "Paris"}', **head)
    assert (record["score"], result(record)["type"]) == (1.0, "json_schema")
