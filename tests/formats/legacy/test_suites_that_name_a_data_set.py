"""A suite that names a data set in the place of its cases is its sidecar: `tests: ./cases.jsonl`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

HEAD = """\
execution: {target: mock}
assertions:
  - {type: icontains, value: hi}
tests: ./cases.jsonl
"""
CASES = """\
{"id": "greet", "input": "Hi", "expected_output": "Hi"}
{"id": "leave", "input": "Bye, hi", "criteria": "Says goodbye"}
"""


@pytest.mark.parametrize("path", [".", "suite.eval.yaml", "cases.jsonl"])
def test_findings_in_the_cases_are_in_the_data_set(path: str, tmp_path: Path) -> None:
    write(tmp_path, "suite.eval.yaml", HEAD)
    write(tmp_path, "cases.jsonl", CASES + '{"id": "greet", "input": 3}\n')
    errors = [it for it in found(path, cwd=tmp_path) if it[3] == "error"]
    assert {it[:2] for it in errors} == {("cases.jsonl", 3)}
    assert {it[2] for it in errors} == {"SC102", "SC103", "SC111"}


def test_the_suite_grades_the_cases_of_the_data_set(tmp_path: Path) -> None:
    write(tmp_path, "suite.eval.yaml", HEAD)
    write(tmp_path, "cases.jsonl", CASES)
    assert not [it for it in found(".", cwd=tmp_path) if it[3] == "error"]
    ran = suitecase("run", "suite.eval.yaml", "--no-results", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 rehearsed" in ran.stdout
    shown = suitecase("show", "suite.eval.yaml", cwd=tmp_path)
    assert "icontains" in shown.stdout


@pytest.mark.parametrize(
    "written", ["cases.jsonl", "'./cases.jsonl'  # here", "file://cases.jsonl"]
)
def test_the_name_may_be_written_in_any_way(written: str, tmp_path: Path) -> None:
    write(tmp_path, "suite.yaml", HEAD.replace("./cases.jsonl", written))
    write(tmp_path, "cases.jsonl", CASES)
    listed = found(".", cwd=tmp_path)
    assert {it[0] for it in listed} == {"suite.yaml", "cases.jsonl"}
    assert "SC618" not in {it[2] for it in listed}


@pytest.mark.parametrize("name", ["./none.jsonl", "./data/cases.jsonl", "./cases.yaml"])
def test_cases_that_are_not_read_are_an_error(name: str, tmp_path: Path) -> None:
    write(tmp_path, "suite.eval.yaml", HEAD.replace("./cases.jsonl", name))
    write(tmp_path, "data/cases.jsonl", CASES)
    write(tmp_path, "cases.yaml", "- {id: a, input: Hi, criteria: x}\n")
    assert ("suite.eval.yaml", 4, "SC618", "error") in found("suite.eval.yaml", cwd=tmp_path)
    assert suitecase("run", "suite.eval.yaml", "--no-results", cwd=tmp_path).returncode == 2


def test_a_data_set_has_one_sidecar(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", HEAD)
    write(tmp_path, "b.eval.yaml", HEAD)
    write(tmp_path, "cases.jsonl", CASES)
    report = suitecase("check", "b.eval.yaml", cwd=tmp_path)
    assert "the cases of `./cases.jsonl` are read with `a.eval.yaml`" in report.stdout


@pytest.mark.parametrize("name", ["promptfooconfig.yaml", "greetings.yaml"])
def test_the_tests_of_another_tool_are_no_data_set(name: str, tmp_path: Path) -> None:
    write(tmp_path, name, "prompts: ['{{q}}']\nproviders: [echo]\ntests: ./cases.jsonl\n")
    write(tmp_path, "cases.jsonl", '{"vars": {"q": "Hi"}, "assert": [{"type": "is-json"}]}\n')
    assert "cases.jsonl" not in {it[0] for it in found(".", cwd=tmp_path)}


def test_a_link_out_of_the_workspace_names_no_data_set(tmp_path: Path) -> None:
    root = tmp_path / "project"
    outside = write(tmp_path, "outside/suite.yaml", HEAD)
    write(root, "suitecase.toml", "")
    write(root, "cases.jsonl", CASES)
    (root / "suite.yaml").symlink_to(outside)
    assert {it[0] for it in found("cases.jsonl", cwd=root)} <= {"cases.jsonl"}
