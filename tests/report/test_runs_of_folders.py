"""Which results commands take from a folder, and without any argument."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from support.report_pages import record, write_results
from support.running.processes import suitecase

RESULTS = Path(".suitecase", "results")


class Workspace:
    """A workspace with results, of which a later one is newer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir()
        self._made = 0

    def results(self, name: str, *records: dict[str, Any], folder: Path = RESULTS) -> Path:
        """Write a results file, newer than those before; without records it is empty."""
        path = self.root / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_results(path, *records)
        self._made += 1
        os.utime(path, (1_000_000 + self._made, 1_000_000 + self._made))
        return path

    def compared(self, *arguments: str) -> tuple[str, str]:
        """Return the names of the files that `compare` compares."""
        done = suitecase("compare", *arguments, cwd=self.root)
        assert done.returncode in (0, 1), done.stderr
        before, after = re.findall(r"^(?:Before|After): +(.*)", done.stdout, re.MULTILINE)
        return Path(before).name, Path(after).name


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def of(suite: str, target: str = "bot") -> dict[str, Any]:
    return record("a", suite_path=suite, target=target)


@pytest.mark.parametrize("argument", [(), (".",), ("suites",)])
def test_the_newest_results_of_the_workspace_are_reported(
    workspace: Workspace, argument: tuple[str, ...]
) -> None:
    workspace.results("old.jsonl", of("suites/x.eval.yaml"))
    workspace.results("new.jsonl", of("suites/x.eval.yaml"))
    (workspace.root / "suites").mkdir()
    done = suitecase("report", *argument, cwd=workspace.root)
    assert done.returncode == 0, done.stderr
    assert "new.html (1 answer" in done.stdout


def test_of_a_folder_with_suites_only_their_results_count(workspace: Workspace) -> None:
    workspace.results("of-a.jsonl", of("a/x.eval.yaml"))
    workspace.results("of-b.jsonl", of("b/x.eval.yaml"))
    (workspace.root / "a").mkdir()
    assert "of-a.html" in suitecase("report", "a", cwd=workspace.root).stdout
    assert "of-a.html" in suitecase("report", cwd=workspace.root / "a").stdout


def test_an_older_file_in_the_folder_hides_no_newer_run(workspace: Workspace) -> None:
    workspace.results("old.jsonl", of("x.eval.yaml"), folder=Path())
    workspace.results("new.jsonl", of("x.eval.yaml"))
    done = suitecase("report", cwd=workspace.root)
    assert "new.html (1 answer" in done.stdout
    assert workspace.compared() == ("old.jsonl", "new.jsonl")
    listed = json.loads(suitecase("list", "--format", "json", cwd=workspace.root).stdout)
    assert {Path(run["file"]).name for run in listed["runs"]} == {"old.jsonl", "new.jsonl"}


def test_a_gate_is_decided_by_the_run_and_not_by_a_file_of_the_checkout(
    workspace: Workspace,
) -> None:
    (workspace.root / "x.eval.yaml").write_text(
        "execution: {target: mock}\n"
        "gates: [pass_rate >= 90%]\nevalcases:\n"
        "  - {id: a, input: Hi, expected_outcome: Greets, expected_output: Hello}\n"
    )
    passed = record("a", suite_path="x.eval.yaml", target="mock", verdict="pass", score=1.0)
    checked_in = workspace.results("a.jsonl", passed, folder=Path())
    assert suitecase("gate", cwd=workspace.root).returncode == 0  # the only one there is
    failed = record("a", suite_path="x.eval.yaml", target="mock", verdict="fail", score=0.0)
    workspace.results("b.jsonl", failed)
    done = suitecase("gate", cwd=workspace.root)
    assert done.returncode == 1, done.stdout
    named = suitecase("gate", str(checked_in), cwd=workspace.root)
    assert named.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
@pytest.mark.parametrize("linked", [RESULTS, Path("linked.jsonl")])
def test_results_behind_a_link_out_of_the_workspace_are_read_only_if_it_is_named(
    tmp_path: Path, linked: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    write_results(outside / "private.jsonl", of("x.eval.yaml"))
    root = tmp_path / "work"
    (root / ".git").mkdir(parents=True)
    (root / ".suitecase").mkdir()
    is_folder = linked == RESULTS
    (root / linked).symlink_to(outside if is_folder else outside / "private.jsonl")
    for command in ("report", "gate", "metrics", "compare"):
        done = suitecase(command, cwd=root)
        assert done.returncode == 2, (command, done.stdout)
        assert "no results in this folder" in done.stderr
    listed = suitecase("list", cwd=root)
    assert "x.eval.yaml" not in listed.stdout
    assert ("No runs yet" in listed.stdout) is not is_folder
    assert not list(root.glob("*.html"))
    named = suitecase("compare", str(linked), str(outside / "private.jsonl"), cwd=root)
    assert named.returncode == 0, named.stderr


def test_empty_files_and_data_sets_are_not_results(workspace: Workspace) -> None:
    workspace.results("run.jsonl", of("x.eval.yaml"))
    workspace.results("empty.jsonl")
    (workspace.root / "cases.jsonl").write_text('{"id": "a", "input": "Hi"}\n', "utf-8")
    assert "run.html" in suitecase("report", cwd=workspace.root).stdout


def test_a_folder_without_results_is_refused(workspace: Workspace) -> None:
    workspace.results("empty.jsonl")
    done = suitecase("report", cwd=workspace.root)
    assert done.returncode == 2
    assert "no results in this folder and its `.suitecase/results`" in done.stderr


def test_the_two_newest_runs_of_a_suite_are_compared(workspace: Workspace) -> None:
    workspace.results("first.jsonl", of("x.eval.yaml"))
    workspace.results("second.jsonl", of("x.eval.yaml"))
    workspace.results("other-suite.jsonl", of("y.eval.yaml"))
    workspace.results("third.jsonl", of("x.eval.yaml"))
    assert workspace.compared() == ("second.jsonl", "third.jsonl")


def test_runs_of_the_same_target_are_compared_if_there_are_two(workspace: Workspace) -> None:
    workspace.results("a-before.jsonl", of("x.eval.yaml", "a"))
    workspace.results("b-before.jsonl", of("x.eval.yaml", "b"))
    workspace.results("a-after.jsonl", of("x.eval.yaml", "a"))
    assert workspace.compared() == ("a-before.jsonl", "a-after.jsonl")
    workspace.results("c.jsonl", of("x.eval.yaml", "c"))
    assert workspace.compared() == ("a-after.jsonl", "c.jsonl")


def test_a_named_run_is_compared_with_the_newest_of_its_suite(workspace: Workspace) -> None:
    base = workspace.results("base.jsonl", of("x.eval.yaml"), folder=Path("kept"))
    workspace.results("now.jsonl", of("x.eval.yaml"))
    workspace.results("other-suite.jsonl", of("y.eval.yaml"))
    assert workspace.compared(str(base)) == ("base.jsonl", "now.jsonl")


def test_a_single_run_has_nothing_to_be_compared_with(workspace: Workspace) -> None:
    workspace.results("only.jsonl", of("x.eval.yaml"))
    done = suitecase("compare", cwd=workspace.root)
    assert done.returncode == 2
    assert "the only run of `x.eval.yaml`" in done.stderr
    named = suitecase("compare", str(RESULTS / "only.jsonl"), cwd=workspace.root)
    assert named.returncode == 2
    assert "no other run of this suite to compare with; name RUN_B" in named.stderr


def test_a_results_file_in_the_folder_hides_no_run(workspace: Workspace) -> None:
    workspace.results("first.jsonl", of("x.eval.yaml"))
    workspace.results("second.jsonl", of("x.eval.yaml"))
    workspace.results("answers.jsonl", of("x.eval.yaml"), folder=Path())
    assert workspace.compared() == ("second.jsonl", "answers.jsonl")
    listed = suitecase("list", cwd=workspace.root).stdout
    assert "The runs are in . and .suitecase/results" in listed
    as_json = json.loads(suitecase("list", "--format", "json", cwd=workspace.root).stdout)
    names = [Path(run["file"]).name for run in as_json["runs"]]
    assert names == ["answers.jsonl", "second.jsonl", "first.jsonl"]


def test_a_baseline_that_was_just_checked_out_is_not_the_newest_run(workspace: Workspace) -> None:
    old = record("a", suite_path="x.eval.yaml", timestamp="2025-01-01T00:00:00Z")
    new = record("a", suite_path="x.eval.yaml", timestamp="2026-01-01T00:00:00Z")
    workspace.results("run.jsonl", new)
    workspace.results("baseline.jsonl", old, folder=Path())
    assert "run.html" in suitecase("report", cwd=workspace.root).stdout
    assert workspace.compared() == ("baseline.jsonl", "run.jsonl")


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59.999Z", "2999-01-01T00:00:00Z"])
def test_a_run_of_the_future_hides_no_newer_run(workspace: Workspace, moment: str) -> None:
    forged = {**record("a", suite_path="x.eval.yaml"), "timestamp": moment}
    workspace.results("forged.jsonl", forged, folder=Path())
    workspace.results("new.jsonl", record("a", suite_path="x.eval.yaml", verdict="fail", score=0.0))
    for command in ("report", "gate", "metrics"):
        done = suitecase(command, cwd=workspace.root)
        assert "new.jsonl" in done.stdout + done.stderr, command
        assert "forged.jsonl" not in done.stdout + done.stderr, command
    _, first, second, *_ = suitecase("list", cwd=workspace.root).stdout.splitlines()
    assert "0.00" in first
    assert "1.00" in second
