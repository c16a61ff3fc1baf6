"""`required` and `min_score` of an evaluator of any type: they fail the case whatever its score is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Verdict
from support.running.evaluators import ENTRY, answer, answering, entry, graded
from support.suites.judged import JudgedSite


@pytest.mark.parametrize(
    ("gate", "score", "failed"),
    [
        ({"required": True}, 0.79, True),
        ({"required": True}, 0.8, False),
        ({"required": True, "min_score": 0.5}, 0.5, False),
        ({"required": True, "min_score": 0.5}, 0.49, True),
        ({"min_score": 0.95}, 0.9, True),
        ({"min_score": 0.9}, 0.9, False),
        ({"min_score": 0.8}, 0.1 + 0.7, False),
        ({"required": False, "min_score": 0.95}, 0.9, False),
        ({"required": False}, 0.0, False),
        ({}, 0.0, False),
    ],
)
async def test_a_score_below_the_gate_fails_and_says_so(
    gate: dict[str, Any], score: float, failed: bool, tmp_path: Path
) -> None:
    command = answering(tmp_path, {"score": score, "misses": ["late"]})
    given = await graded(entry("code_judge", script=command, **gate), answer(folder=tmp_path))
    assert given.score == pytest.approx(score)
    assert given.gate_failed is failed
    if failed:
        assert given.verdict is Verdict.FAIL
        least = gate.get("min_score", 0.8)
        assert given.misses[1] == f"scored {score:.2f}; the case fails below {least}"


async def test_what_could_not_be_graded_fails_no_gate(tmp_path: Path) -> None:
    given = await graded(
        entry("code_judge", script="exit 1", required=True), answer(folder=tmp_path)
    )
    assert (given.verdict, given.gate_failed) == (Verdict.ERROR, False)


async def test_a_gate_of_a_member_fails_the_composite() -> None:
    members = [
        {**entry("contains", value="Rome", required=True), "name": "rome"},
        {**entry("contains", value="Paris", weight=9), "name": "paris"},
    ]
    written = entry("composite", evaluators=members, aggregator={"type": "weighted_average"})
    given = await graded(written, answer("Paris"))
    assert (given.score, given.verdict, given.gate_failed) == (0.9, Verdict.FAIL, True)


@pytest.mark.parametrize("gate", [{"min_score": 1.1}, {"min_score": -1}, {"required": "yes"}])
def test_a_gate_that_is_none_is_refused(gate: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry("contains", value="x", **gate))


@pytest.mark.parametrize("key", ["evalcases", "tests"])
async def test_a_case_fails_by_the_gate_of_an_evaluator_that_counts_nothing(
    key: str, site: Any
) -> None:
    gated = {"name": "rome", "type": "contains", "value": "Rome", "weight": 0, "required": True}
    counted = {"name": "paris", "type": "contains", "value": "Paris"}
    case = {"id": "case", "input": "Where?", "expected_outcome": "x"}
    ran = await JudgedSite(site).run({key: [{**case, "evaluators": [gated, counted]}]}, "Paris")
    record = ran.records["case"]
    assert (record["score"], record["verdict"], record["gate_failed"]) == (1.0, "fail", True)
    assert "scored 0.00; the case fails below 0.8" in record["misses"]


async def test_a_score_just_below_the_gate_is_shown_below_it(tmp_path: Path) -> None:
    command = answering(tmp_path, {"score": 0.94999})
    given = await graded(
        entry("code_judge", script=command, min_score=0.95), answer(folder=tmp_path)
    )
    assert given.misses == ("scored 0.94999; the case fails below 0.95",)
