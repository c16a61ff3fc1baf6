"""`suitecase show` prints exactly what a run grades by."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from suitecase.run.protocol import Finished, RunRequest
from support.running.commands import CommandSite
from support.running.runs import run_here
from support.suites.every_evaluator import PROMPTS, TARGETS, case_differences, suites


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> CommandSite:
    site = CommandSite(tmp_path_factory.mktemp("shown"))
    site.write("targets.yaml", json.dumps(TARGETS))
    for prompts in PROMPTS.values():
        for name, text in prompts.items():
            site.write(name, text)
    return site


@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(suite=suites())
def test_a_run_grades_by_what_is_shown(workspace: CommandSite, suite: dict[str, Any]) -> None:
    path: Path = workspace.write("a.eval.yaml", json.dumps(suite))
    printed = workspace.run("show", "a.eval.yaml", "--format", "json")
    request = RunRequest(suite_path=str(path), workspace_root=str(workspace.root))
    ran = asyncio.run(run_here(request))
    last = ran.events[-1]
    assert printed.code == 0, printed.err
    assert isinstance(last, Finished), last
    cases = json.loads(printed.out)["cases"]
    assert {it["id"] for it in cases} == set(ran.records)
    for case in cases:
        record = ran.records[case["id"]]
        assert list(case_differences(case, record)) == [], json.dumps([case, record])
    # And so does the form for people: each evaluator has its line, with its weight.
    text = workspace.run("show", "a.eval.yaml").out
    for case in cases:
        for line in lines_of(case["evaluators"]):
            assert line in text


def lines_of(evaluators: list[dict[str, Any]]) -> Iterator[str]:
    for entry in evaluators:
        weight = "" if entry["weight"] == 1 else f", weight {entry['weight']:g}"
        yield f"evaluator  {entry['name']} ({entry['type']}{weight})"
        for rubric in entry.get("rubrics", ()):
            yield f"- [{rubric['id']}] {rubric['expected_outcome']} (weight {rubric['weight']:g}"
        for key in ("value", "criteria"):
            if key in entry:
                value = entry[key]
                shown = value if isinstance(value, str) else json.dumps(value)
                yield f"{key:<10} {shown}"
        if entry["type"] == "composite":
            yield f"aggregator {entry['aggregator']['type']}"
            yield from lines_of(entry["evaluators"])
