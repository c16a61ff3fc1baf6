"""The gates of a data set are in its sidecar, and are checked with its cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

CASE = '{"id": "a", "input": "Hi", "expected_outcome": "x", "tags": ["critical"]}\n'
HEAD = "execution: {target: mock}\ngates:\n  - pass_rate[%s] >= 90%%\n"


@pytest.mark.parametrize("path", ["set.jsonl", "set.yaml", "."])
def test_a_gate_names_a_tag_of_the_cases(tmp_path: Path, path: str) -> None:
    write(tmp_path, "set.jsonl", CASE)
    write(tmp_path, "set.yaml", HEAD % "critical")
    assert [it for it in found(path, cwd=tmp_path) if it[3] != "info"] == []

    write(tmp_path, "set.yaml", HEAD % "critcal")
    assert [it[:3] for it in found(path, cwd=tmp_path)] == [("set.yaml", 3, "SC803")]


def test_a_fix_changes_the_sidecar(tmp_path: Path) -> None:
    write(tmp_path, "set.jsonl", CASE)
    write(tmp_path, "set.yaml", HEAD % "critcal")

    suitecase("check", "--fix", "--unsafe-fixes", ".", cwd=tmp_path)

    assert (tmp_path / "set.yaml").read_text() == HEAD % "critical"


def test_a_wrong_gate_prevents_the_run_of_a_data_set(tmp_path: Path) -> None:
    write(tmp_path, "set.jsonl", CASE)
    write(tmp_path, "set.yaml", HEAD % "critcal")

    ended = suitecase("run", "set.jsonl", "--no-results", cwd=tmp_path)

    assert ended.returncode == 2
    assert "critcal" in ended.stdout + ended.stderr
