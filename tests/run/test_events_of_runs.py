"""Events between a worker and its client: lines of JSON, in which a record is as in the results file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.run.event_lines import event_from_json, event_line
from suitecase.run.protocol import CaseFinished, CaseKept
from suitecase_evaluators.answers.records.record import ResultRecord
from support.running.runs import run_here
from support.running.site import Site


async def test_a_record_is_in_its_event_as_it_is_in_the_file(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    site = Site(tmp_path)
    site.suite(
        "- {id: a, input: Hé, expected_outcome: Hi, evaluators: [{name: x, type: contains, value: H}]}"
    )
    ran = await run_here(site.request(results_path=str(results)))
    (finished,) = (it for it in ran.events if isinstance(it, CaseFinished))
    line = results.read_bytes().rstrip(b"\n")
    text = event_line(finished, 7)
    assert text.endswith(b', "record": %b}\n' % line)
    told = json.loads(text)
    assert (told["id"], told["event"]) == (7, "case_finished")
    again = event_from_json(told)
    assert isinstance(again, CaseFinished)
    assert again.seconds == pytest.approx(finished.seconds, abs=1e-6)


@pytest.mark.parametrize(
    "fields",
    [
        {"eval_id": "a", "suite_path": "of\udcff.eval.yaml"},
        {"eval_id": "a", "score": float("inf")},
        {"eval_id": "a", "details": {"text": "line\nline\u2028line"}},
    ],
    ids=["a path that is not UTF-8", "a number that is not JSON", "several lines"],
)
def test_odd_records_of_a_resumed_file_reach_the_client(fields: dict[str, Any]) -> None:
    line = event_line(CaseKept(record=ResultRecord(fields)), 1)
    assert line.count(b"\n") == 1
    kept = event_from_json(json.loads(line))
    assert isinstance(kept, CaseKept)
    assert kept.record.fields == fields
