"""Failed judges are counted, wherever they are in a suite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from suitecase.run.protocol import Finished
from support.running.runs import RanHere, run_here
from support.running.site import Ran, Site

VERDICT = json.dumps({"reasoning": "Fine.", "hits": [], "misses": [], "score": 1})
PARTLY = json.dumps({"checks": [{"id": "rubric-1", "satisfied": True}]})
FREE = {"type": "llm_judge", "target": "babbler"}
SETTLE = {"type": "llm_judge", "prompt": "Settle. {{ EVALUATOR_RESULTS_JSON }}"}
MEAN = {"type": "weighted_average"}


def named(**entries: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, **entry} for name, entry in entries.items()]


def composite(aggregator: Mapping[str, Any], **members: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "composite", "aggregator": aggregator, "evaluators": named(**members)}


def put(site: Site, evaluators: Sequence[Mapping[str, Any]], judge: str | None = VERDICT) -> None:
    """Write a suite of one case that these evaluators grade.

    Args:
        judge: what the judge replies; None for one that cannot be asked.
    """
    targets = [
        {"name": "writer", "provider": "mock", "response": "Hello", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": judge or {"another case": "Hm"}},
        {"name": "babbler", "provider": "mock", "response": "I would rather not say."},
        {"name": "half", "provider": "mock", "response": PARTLY},
        {"name": "away", "provider": "mock", "response": {"another case": "Hm"}},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    case = {"id": "case", "input": "Hi", "expected_outcome": "Greets."}
    suite = {
        "execution": {"target": "writer"},
        "evalcases": [{**case, "evaluators": evaluators}],
    }
    site.write("a.eval.yaml", json.dumps(suite))


async def run(site: Site, **evaluators: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the record and the summary."""
    put(site, named(**evaluators))
    ran: RanHere = await run_here(site.request())
    last = ran.events[-1]
    assert isinstance(last, Finished), last
    return ran.records["case"], last.summary


async def test_members_of_composites_whose_judges_cannot_be_read_are_counted_each(
    site: Site,
) -> None:
    inner = composite(MEAN, a=FREE, b=FREE)
    record, summary = await run(site, outer=composite(MEAN, inner=inner, c=FREE), d=FREE)
    assert (summary["judge_parse_failures"], summary["judge_errors"]) == (4, 0)
    assert record["parse_failed"] is True
    members = record["evaluator_results"][0]["details"]["members"]
    assert [(it["parse_failed"], it["attempts"]) for it in members] == [(True, 6), (True, 3)]


async def test_an_aggregating_judge_that_cannot_be_read_is_counted_beside_its_members(
    site: Site,
) -> None:
    outer = composite(SETTLE, a=FREE, b={"type": "contains", "value": "Hello"})
    put(site, named(outer=outer), judge="I settle for nothing.")
    ran = await run_here(site.request())
    last = ran.events[-1]
    assert isinstance(last, Finished)
    assert last.summary["judge_parse_failures"] == 2
    details = ran.records["case"]["evaluator_results"][0]["details"]
    assert details["aggregator"] == {"attempts": 3, "parse_failed": True, "error": None}


async def test_a_rubric_reply_that_leaves_items_out_for_ever_is_a_judge_that_failed(
    site: Site,
) -> None:
    rubrics = [
        {"expected_outcome": "greets", "required": False},
        {"expected_outcome": "is warm", "required": False},
    ]
    entry = {"type": "llm_judge", "target": "half", "rubrics": rubrics}
    record, summary = await run(site, outer=composite(MEAN, a=entry))
    assert (record["score"], record["parse_failed"]) == (0.5, True)
    assert summary["judge_parse_failures"] == 1
    assert summary["mean_score"] is None


@pytest.mark.parametrize(
    "aggregator",
    [MEAN, SETTLE, {"type": "code_judge", "path": "echo '{\"score\": 0.75}'"}],
    ids=lambda it: it["type"],
)
async def test_a_judge_of_a_member_that_cannot_be_asked_is_an_error_of_the_case(
    site: Site, aggregator: Mapping[str, Any]
) -> None:
    away = {"type": "llm_judge", "target": "away"}
    words = {"type": "contains", "value": "Hello"}
    record, summary = await run(site, outer=composite(aggregator, a=away, b=words))
    assert (record["verdict"], record["score"]) == ("error", None)
    assert "has no response for the case `case`" in record["error"]
    assert (summary["judge_errors"], summary["judge_parse_failures"]) == (1, 0)


async def test_a_judge_that_failed_behind_a_failed_gate_is_counted_still(site: Site) -> None:
    away = {"type": "llm_judge", "target": "away"}
    gated = {"type": "llm_judge", "target": "half", "rubrics": ["greets", "is warm"]}
    record, summary = await run(site, outer=composite(MEAN, a=away, b=gated))
    assert record["verdict"] == "fail"
    assert (summary["judge_errors"], summary["judge_parse_failures"]) == (1, 1)


ASKS = """
import json, os, urllib.request
request = urllib.request.Request(
    os.environ["SUITECASE_TARGET_PROXY_URL"] + "/ask",
    json.dumps({"prompt": "Well?"}).encode(),
    {"Authorization": "Bearer " + os.environ["SUITECASE_TARGET_PROXY_TOKEN"]},
)
try:
    urllib.request.urlopen(request).read()
except OSError:
    pass
print(json.dumps({"score": 0.75, "details": {"members": [{"attempts": 3, "parse_failed": True}]}}))
"""


@pytest.mark.parametrize(("judge", "failed"), [(VERDICT, 0), (None, 2)])
@pytest.mark.parametrize(
    "aggregator", [MEAN, {"type": "code_judge", "path": "echo '{\"score\": 0.75}'"}]
)
async def test_a_judge_that_a_script_asks_in_vain_is_counted(
    site: Site, judge: str | None, failed: int, aggregator: Mapping[str, Any]
) -> None:
    script = {"type": "code_judge", "script": site.program("asks.py", ASKS), "target": True}
    inner = composite(MEAN, script=script)
    put(site, named(outer=composite(aggregator, inner=inner, script=script)), judge)
    ran = await run_here(site.request())
    last = ran.events[-1]
    assert isinstance(last, Finished)
    assert ran.records["case"]["score"] == 0.75
    assert (last.summary["judge_errors"], last.summary["judge_parse_failures"]) == (failed, 0)


def test_the_end_of_a_run_says_how_many_judges_failed(site: Site) -> None:
    away = {"type": "llm_judge", "target": "away"}
    half = {"type": "llm_judge", "target": "half", "rubrics": ["greets", "is warm"]}
    put(site, named(outer=composite(MEAN, a=FREE, b=FREE, c=away, d=half)))
    ran: Ran = site.run("a.eval.yaml")
    assert "the judge's replies could not be read in full" in ran.out
    assert "2 of 4 gave no verdict that could be read" in ran.out
    assert "1 of 4 left rubric items out" in ran.out
    assert "1 of 4 could not be called" in ran.out
    assert "1 judge could not be asked" in ran.out
