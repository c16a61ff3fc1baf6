"""Thousands of equal mistakes in one file: once for people, all of them for programs, within limits of hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job
from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check import sarif
from suitecase.cli.output.formatter import Aside
from support.running.processes import found, report_of, suitecase, write

MANY = 1_200
HINT = "`suitecase check --format concise d.jsonl` lists each"
HEAD = "execution: {target: mock}\n"


def data_set(folder: Path, number: int, key: str = "criteira") -> None:
    """Write a data set with the same mistake in each case."""
    lines = (
        json.dumps({"id": f"c{at}", "input": "Hi", "expected_outcome": "x", key: f"x{at}"}) + "\n"
        for at in range(number)
    )
    write(folder, "d.jsonl", "".join(lines))
    write(folder, "d.yaml", HEAD)


def test_people_read_one_finding_with_its_number_and_three_places(tmp_path: Path) -> None:
    data_set(tmp_path, MANY)
    done = suitecase("check", "d.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "d.jsonl:1:54: error[SC101] unknown key `criteira`",
        "   |",
        ' 1 | {"id": "c0", "input": "Hi", "expected_outcome": "x", "criteira": "x0"}',
        "   |                                                      ^^^^^^^^^^",
        f"   = 1,200 like this in the file, at 1:54, 2:54, 3:54 and 1,197 more places; {HINT}",
        "",
        "Found 1,200 errors in 1 suite, 1,200 cases, 1 other file.",
    ]
    for form in ("concise", "jsonl"):
        lines = suitecase("check", "d.jsonl", "--format", form, cwd=tmp_path).stdout.splitlines()
        assert len(lines) == MANY + 1


def test_annotations_are_few(tmp_path: Path) -> None:
    data_set(tmp_path, 30)
    done = suitecase("check", "d.jsonl", "--format", "github", cwd=tmp_path)
    annotation, summary = done.stdout.splitlines()
    assert annotation.startswith("::error title=suitecase (SC101 unknown-key),file=d.jsonl,line=1,")
    assert (
        "unknown key `criteira` (30 like this in the file, at 1:54, 2:54, 3:54 and " in annotation
    )
    assert summary == "Found 30 errors in 1 suite, 30 cases, 1 other file."


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "gitlab"])
def test_programs_get_each(tmp_path: Path, form: str) -> None:
    data_set(tmp_path, 30)
    done = suitecase("check", "d.jsonl", "--format", form, cwd=tmp_path)
    assert done.returncode == 1
    listed = {
        "json": '"code":',
        "sarif": '"ruleId":',
        "junit": "<failure",
        "gitlab": '"check_name"',
    }
    assert done.stdout.count(listed[form]) == 30


def test_other_commands_say_it_as_short(tmp_path: Path) -> None:
    data_set(tmp_path, 30)
    for command in (("run", "--no-results"), ("show",)):
        done = suitecase(*command, "d.jsonl", cwd=tmp_path)
        assert done.stderr.count("unknown key `criteira`") == 1
        assert "30 like this in the file, at 1:54, 2:54, 3:54" in done.stderr


def test_few_are_each_shown(tmp_path: Path) -> None:
    data_set(tmp_path, 5)
    done = suitecase("check", "d.jsonl", cwd=tmp_path)
    assert done.stdout.count("unknown key `criteira`") == 5
    assert "like this" not in done.stdout


def test_messages_that_differ_in_names_are_few_only_where_they_are_many(tmp_path: Path) -> None:
    def suite(number: int) -> str:
        keys = "".join(f"    unlike{at}thing: 1\n" for at in range(number))
        return f"{HEAD}evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n{keys}"

    write(tmp_path, "few.eval.yaml", suite(10))
    write(tmp_path, "many.eval.yaml", suite(11))
    few, many = (
        suitecase("check", it, cwd=tmp_path).stdout for it in ("few.eval.yaml", "many.eval.yaml")
    )
    assert few.count("error[SC101]") == 10
    assert many.count("error[SC101]") == 1
    assert "11 like this in the file" in many


def test_each_file_and_each_message_is_shown(tmp_path: Path) -> None:
    cases = "".join(
        f"  - id: c{at}\n    input: Hi\n    expected_outcome: x\n    {key}: 1\n"
        for at, key in enumerate(["first_typo"] * 8 + ["second_typo"] * 7 + ["third_typo"])
    )
    for name in ("a", "b"):
        write(tmp_path, f"{name}.eval.yaml", f"{HEAD}evalcases:\n{cases}")
    shown = suitecase("check", ".", cwd=tmp_path).stdout
    for key, number in (("first_typo", 8), ("second_typo", 7)):
        assert shown.count(f"unknown key `{key}`") == 2
        assert shown.count(f"{number} like this in the file") == 2
    assert shown.count("unknown key `third_typo`") == 2
    assert len(found(".", cwd=tmp_path)) == 32
    assert report_of(".", cwd=tmp_path)["summary"]["errors"] == 32


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """A report of 40 findings, of which 10 are errors and come last."""
    monkeypatch.chdir(tmp_path)
    lines = [
        {"id": f"c{at}", "input": "Hi", "expected_outcome": "x"}
        | ({"criteira": "x"} if at >= 30 else {"outcome": "x"})
        for at in range(40)
    ]
    for line in lines[:30]:
        line.pop("expected_outcome")
    write(tmp_path, "d.jsonl", "".join(f"{json.dumps(it)}\n" for it in lines))
    write(tmp_path, "d.yaml", HEAD)
    file = FileChecker(FileCheckOptions()).check(Job(tmp_path / "d.jsonl", tmp_path))
    assert isinstance(file, FileFindings)
    assert len(file.findings) == 40
    return Report([file], [])


def printed(report: Report) -> tuple[dict[str, Any], list[str]]:
    """Return the run of a SARIF log, and what is printed beside it."""
    *beside, log = sarif.SarifFormatter().finish(report)
    assert all(isinstance(it, Aside) for it in beside)
    (run,) = json.loads(log)["runs"]
    return run, beside


def notifications(run: dict[str, Any]) -> list[tuple[str, str]]:
    (invocation,) = run["invocations"]
    return [(it["level"], it["message"]["text"]) for it in invocation["toolExecutionNotifications"]]


def test_sarif_within_the_limits_says_nothing(report: Report) -> None:
    run, beside = printed(report)
    assert (len(run["results"]), notifications(run), beside) == (40, [], [])


def test_sarif_has_the_gravest_and_says_what_it_leaves_out(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = printed(report)
    monkeypatch.setattr(sarif, "MOST_RESULTS", 15)
    run, beside = printed(report)
    assert [it["level"] for it in run["results"]].count("error") == 10
    assert len(run["results"]) == 15
    ((level, text),) = notifications(run)
    assert level == "warning"
    assert text.startswith(
        "SARIF has the 15 gravest of 40 findings, since GitHub rejects more than"
    )
    assert beside == [f"warning: {text}"]
    # What is kept is recognized as the same.
    assert all(
        it["partialFingerprints"] in [other["partialFingerprints"] for other in whole["results"]]
        for it in run["results"]
    )


def test_sarif_says_what_the_host_will_not_store(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "STORED_RESULTS", 20)
    run, beside = printed(report)
    assert len(run["results"]) == 40
    assert notifications(run) == [
        ("warning", "SARIF has 40 results, of which GitHub stores and shows 20, the gravest first")
    ]
    assert len(beside) == 1


def test_sarif_is_not_larger_than_the_host_accepts(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MOST_BYTES", 2_600)
    run, beside = printed(report)
    assert 0 < len(run["results"]) < 40
    assert "gravest of 40 findings" in beside[0]
    assert notifications(run) == [("warning", beside[0].removeprefix("warning: "))]
