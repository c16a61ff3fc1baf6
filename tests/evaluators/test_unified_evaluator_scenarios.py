"""What the specification of the unified evaluator proposes, section by section.

A suite's text goes in, and its record comes out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.running.commands import CommandSite
from support.running.site import Site
from support.suites.judged import JudgedSite, checks, result, verdict

RUBRICS = [
    {"id": "city", "expected_outcome": "Names the city", "weight": 3},
    {"id": "tone", "expected_outcome": "Is polite", "weight": 1},
]


@pytest.fixture
def judged(site: Site) -> JudgedSite:
    return JudgedSite(site)


def judge(**more: Any) -> dict[str, Any]:
    return {"evaluators": [{"name": "quality", "type": "llm_judge", **more}]}


async def test_rubric_mode_prompt_lists_all_rubrics(judged: JudgedSite) -> None:
    record = await judged.record(
        judge(rubrics=RUBRICS), "Paris", checks(("city", True), ("tone", True))
    )
    asked = result(record)["evaluator_provider_request"]
    assert "[city] (weight 3, REQUIRED)\nNames the city" in asked["user_prompt"]
    assert "[tone] (weight 1, REQUIRED)\nIs polite" in asked["user_prompt"]
    for name in ("city", "tone"):
        assert (
            f'{{"id": "{name}", "reasoning": "...", "satisfied": true or false}}'
            in (asked["system_prompt"])
        )


async def test_rubric_mode_scores_by_weights(judged: JudgedSite) -> None:
    record = await judged.record(
        judge(rubrics=RUBRICS), "Paris", checks(("city", True), ("tone", False))
    )
    assert record["score"] == 0.75
    assert (record["hits"], record["misses"]) == (["[city] Names the city"], ["[tone] Is polite"])
    assert record["verdict"] == "fail"


async def test_freeform_mode_takes_the_prompt_of_the_user(judged: JudgedSite) -> None:
    prompt = "Compare {{ candidate_answer }} with {{ expected_outcome }}"
    record = await judged.record(judge(prompt=prompt), "Paris", verdict(0.9))
    asked = result(record)["evaluator_provider_request"]
    assert asked["user_prompt"] == "Compare Paris with Names Paris."
    assert "exactly one JSON object" in asked["system_prompt"]
    assert (record["score"], record["hits"], record["misses"]) == (0.9, ["hit"], ["miss"])
    assert record["reasoning"] == "Because."


@pytest.mark.parametrize(
    ("score", "expected"), [(0.8, "pass"), (0.7, "borderline"), (0.6, "borderline"), (0.5, "fail")]
)
@pytest.mark.parametrize("mode", ["freeform", "rubric"])
async def test_verdict_standardization(
    judged: JudgedSite, mode: str, score: float, expected: str
) -> None:
    if mode == "freeform":
        record = await judged.record({}, "Paris", verdict(score))
    else:
        rubrics = [
            {"id": "a", "expected_outcome": "A", "weight": score},
            {"id": "b", "expected_outcome": "B", "weight": 1 - score, "required": False},
        ]
        record = await judged.record({"rubrics": rubrics}, "x", checks(("a", True), ("b", False)))
    assert (record["score"], record["verdict"]) == (pytest.approx(score), expected)
    assert result(record)["verdict"] == expected


@pytest.mark.parametrize("usable", [1, 2, 3, 4])
@pytest.mark.parametrize("mode", ["freeform", "rubric"])
async def test_run_with_retry_makes_3_attempts_in_both_modes(
    judged: JudgedSite, mode: str, usable: int
) -> None:
    """The first reply that can be used is the `usable`-th."""
    good = verdict(1) if mode == "freeform" else checks(("city", True), ("tone", True))
    case = {} if mode == "freeform" else {"rubrics": RUBRICS}
    record = await judged.record(case, "Paris", *["hm"] * (usable - 1), good)
    assert record["attempts"] == min(usable, 3)
    assert record["score"] == (1.0 if usable <= 3 else 0.0)
    assert record["parse_failed"] == (usable > 3)


async def test_type_rubric_is_an_llm_judge_with_rubrics(judged: JudgedSite) -> None:
    legacy = {"name": "quality", "type": "rubric", "rubrics": RUBRICS}
    record = await judged.record(
        {"evaluators": [legacy]}, "Paris", checks(("city", True), ("tone", True))
    )
    assert (result(record)["type"], record["score"]) == ("llm_judge", 1.0)


def test_type_rubric_is_migrated(tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    entry = "[{name: quality, type: rubric, rubrics: [Names the city]}]"
    case = f"{{id: a, input: x, expected_outcome: y, evaluators: {entry}}}"
    site.write("a.eval.yaml", f"evalcases:\n  - {case}\n")
    assert site.run("migrate", "a.eval.yaml").code == 0
    assert "type: llm_judge, rubrics: [Names the city]" in site.read("a.eval.yaml")
