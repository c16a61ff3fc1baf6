"""A sidecar is the head of its data set: checking one checks the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

CASE = '{"id": "a", "input": "Hi", "expected_outcome": "x"}\n'
THRESHOLD = "description: Greetings\nthreshold: 0.9\nexecution: {target: mock}\n"


@pytest.mark.parametrize("path", ["set.jsonl", "."])
def test_what_is_wrong_with_a_sidecar_is_found_with_its_data_set(tmp_path: Path, path: str) -> None:
    write(tmp_path, "set.jsonl", CASE)
    write(tmp_path, "set.yaml", THRESHOLD)
    assert [it[0] for it in found(path, cwd=tmp_path)] == ["set.yaml"]
    assert suitecase("run", "set.jsonl", "--no-results", cwd=tmp_path).returncode == 2


def test_a_sidecar_that_is_named_beside_its_data_set_is_checked_once(tmp_path: Path) -> None:
    write(tmp_path, "set.jsonl", CASE)
    write(tmp_path, "set.yaml", f"dataset: greetings\n{THRESHOLD}")
    assert len(found("set.jsonl", "set.yaml", cwd=tmp_path)) == 1
    assert len(found(".", cwd=tmp_path)) == 1


def test_cases_in_a_sidecar_are_not_read_which_is_said(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "input": "Hi", "expected_outcome": "x"}\n')
    (tmp_path / "cases.yaml").write_text(
        "execution: {target: mock}\ntests:\n  - name: r\n    criteria: [x]\n"
    )
    done = suitecase("check", ".", "--format", "concise", cwd=tmp_path)
    said = "the data set has the cases, so those in `tests` are not read"
    assert f"cases.yaml:2:1: error[SC101] {said}" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")
