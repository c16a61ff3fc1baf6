"""Scripts start in the folder of their `cwd`, relative to the suite's folder or one above it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Ran, Site

SCORE = 'import json, os; print(json.dumps({"score": 1, "details": {"cwd": os.getcwd()}}))\n'


def suite(site: Site, cwd: str, *, aggregated: bool = False) -> None:
    script = {
        "name": "code",
        "type": "code_judge",
        "script": [sys.executable, "judge.py"],
        "cwd": cwd,
    }
    command = f"{sys.executable} judge.py"
    grouped = {
        "name": "both",
        "type": "composite",
        "evaluators": [{"name": "a", "type": "contains", "value": "h"}],
        "aggregator": {"type": "code_judge", "path": command, "cwd": cwd},
    }
    case: dict[str, Any] = {
        "id": "a",
        "input": "hello",
        "expected_outcome": "hello",
        "evaluators": [grouped if aggregated else script],
    }
    site.write("team/evals/a.eval.yaml", json.dumps({"evalcases": [case]}))


def started_in(ran: Ran) -> Path:
    (result,) = ran.records["a"]["evaluator_results"]
    return Path(result["details"]["cwd"])


@pytest.mark.parametrize(
    ("cwd", "place", "aggregated"),
    [
        (".", "team/evals", False),
        ("checks", "team/evals/checks", False),
        ("tools", "team/tools", True),
        ("shared/judges", "shared/judges", False),
        ("/shared/judges", "shared/judges", True),
        ("../tools", "team/tools", False),
    ],
)
def test_it_is_looked_for_in_each_folder_up_to_the_root(
    site: Site, cwd: str, place: str, aggregated: bool
) -> None:
    for folder in (
        "team/evals",
        "team/evals/checks",
        "checks",
        "team/tools",
        "tools",
        "shared/judges",
    ):
        site.write(f"{folder}/judge.py", SCORE)
    suite(site, cwd, aggregated=aggregated)
    ran = site.run("team/evals/a.eval.yaml", "--format", "jsonl", "--no-results")
    assert ran.code == 0, ran.err
    assert started_in(ran) == (site.root / place).resolve()


@pytest.mark.parametrize(("cwd", "aggregated"), [("../../..", False), ("../../../shared", True)])
def test_outside_the_workspace_it_is_found_and_not_run(
    site: Site, tmp_path: Path, cwd: str, aggregated: bool
) -> None:
    (tmp_path.parent / "shared").mkdir(exist_ok=True)
    suite(site, cwd, aggregated=aggregated)
    ran = site.run("team/evals/a.eval.yaml")
    assert ran.code == 2
    assert "SC535" in ran.err
    assert "outside the workspace" in ran.err


def test_a_folder_that_is_nowhere_is_found_with_the_place_it_counts_from(site: Site) -> None:
    suite(site, "chekcs")
    ran = site.run("team/evals/a.eval.yaml", "--no-results")
    assert ran.code == 3  # it is started, and cannot be
    assert "chekcs" in ran.out


def test_a_case_is_another_one_where_its_script_is_another_one(site: Site) -> None:
    site.write("shared/judge.py", SCORE)
    suite(site, "shared")
    arguments = ("team/evals/a.eval.yaml", "--format", "jsonl", "--no-results")
    hashes = [site.run(*arguments).records["a"]["effective_hash"]]
    site.write("shared/judge.py", SCORE.replace('"score": 1', '"score": 0.9'))
    hashes.append(site.run(*arguments).records["a"]["effective_hash"])
    assert hashes[0] != hashes[1]
