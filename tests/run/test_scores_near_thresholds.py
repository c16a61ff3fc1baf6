"""A displayed score agrees with its verdict: rounding never lifts it to a threshold."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.editor.run_log import run_log
from suitecase.report.words import score_text
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import Score, Verdict, shown_score, verdict_for
from support.report_pages import record
from support.running.runs import run_here
from support.running.site import Site

CASE = {"id": "near", "input": "Hi", "expected_outcome": "Greets."}


def judged(site: Site, score: float, **case: Any) -> None:
    """Write a suite whose judge gives this score."""
    targets = [
        {"name": "writer", "provider": "mock", "response": "Hello", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": json.dumps({"score": score})},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    suite = {"execution": {"target": "writer"}, "evalcases": [{**CASE, **case}]}
    site.write("a.eval.yaml", json.dumps(suite))


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "json"])
def test_no_format_shows_a_borderline_score_as_one_that_passes(site: Site, form: str) -> None:
    judged(site, 0.7999999)
    ran = site.run("a.eval.yaml", "--no-results", "--format", form)
    assert ran.code == 1
    assert "0.7999999" in ran.out
    assert not re.search(r"0\.80\b", ran.out)


@pytest.mark.parametrize(
    ("score", "verdict", "shown"),
    [
        (0.8, Verdict.PASS, "0.80"),
        (0.79999999999995, Verdict.PASS, "0.80"),
        (0.7999999, Verdict.BORDERLINE, "0.7999999"),
        (0.796, Verdict.BORDERLINE, "0.796"),
        (0.794, Verdict.BORDERLINE, "0.79"),
        (0.5999, Verdict.FAIL, "0.5999"),
        (0.6, Verdict.BORDERLINE, "0.60"),
        (0.1 + 0.7, Verdict.PASS, "0.80"),
        (1, Verdict.PASS, "1.00"),
    ],
)
async def test_a_case_its_only_evaluator_and_what_is_shown_agree(
    site: Site, score: float, verdict: Verdict, shown: str
) -> None:
    mean = {"type": "weighted_average"}
    member = {"name": "judge", "type": "llm_judge"}
    outer = {"name": "outer", "type": "composite", "aggregator": mean, "evaluators": [member]}
    judged(site, score, evaluators=[outer])
    ran = await run_here(site.request())
    record = ran.records["near"]
    (result,) = record["evaluator_results"]
    (inner,) = result["details"]["members"]
    assert {record["score"], result["score"], inner["score"]} == {record["score"]}
    assert {record["verdict"], result["verdict"], inner["verdict"]} == {verdict.value}
    assert shown_score(record["score"]) == score_text(record["score"]) == shown
    heading = run_log(ResultRecord(record)).splitlines()[0]
    assert heading.endswith(f" {shown}: near")


@given(st.floats(0, 1))
def test_what_is_shown_has_the_verdict_of_what_is_recorded(score: float) -> None:
    graded = Score.graded(score)
    assert graded.score is not None
    assert verdict_for(graded.score) is graded.verdict
    assert verdict_for(float(shown_score(graded.score))) is graded.verdict


def test_records_of_other_tools_are_shown_so_too() -> None:
    assert "borderline 0.7999999" in run_log(
        ResultRecord(record("near", 0.7999999, verdict="borderline"))
    )
