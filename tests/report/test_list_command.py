"""`suitecase list`: the past runs of a workspace, for people and for programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from suitecase.cli.output.history_text import seconds_text, when_text
from support.report_pages import record, write_results
from support.running.forked import ForkedCommand
from support.running.processes import suitecase
from support.running.site import Site

FOLDER = Path(".suitecase", "results")
NOW = datetime.now().astimezone()


def stamped(hour: int, **fields: Any) -> dict[str, Any]:
    at = NOW.replace(month=1, day=2, hour=hour, minute=4, second=5, microsecond=0)
    return {"timestamp": at.astimezone(UTC).isoformat(), **fields}


def listed(root: Path, *arguments: str, columns: int = 80) -> str:
    ended = suitecase("list", *arguments, cwd=root, env={"COLUMNS": str(columns)})
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_runs_are_in_a_table_with_what_is_special_below(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    write_results(folder / "a.jsonl", record("one", **stamped(9)), record("two", 0.7, **stamped(9)))
    mock: dict[str, Any] = {"target": "mock", "answered_by": "echo", "evaluator_results": []}
    write_results(folder / "b.jsonl", record("one", 0.0, planned=3, **mock, **stamped(10)))
    write_results(
        folder / "c.jsonl",
        record(
            "one",
            trace_summary={"duration_ms": 65_000, "cost_usd": 1.5},
            judge_cost_usd=0.25,
            **stamped(11),
        ),
    )
    assert listed(tmp_path).splitlines() == [
        "When         Suite Target Cases Pass Bord Fail Mean  Cost  Time",
        " 2 Jan 11:03 a     bot        1    1    0    0 1.00 $1.75 1m05s",
        " 2 Jan 10:04 a     mock       1    0    0    1 0.00     -  0.0s",
        "  unfinished: 1 of 3 answers; no model was asked",
        " 2 Jan 09:04 a     bot        2    1    1    0 0.85     -  0.0s",
    ]


def test_long_names_are_cut_and_the_table_has_room_in_80_columns(tmp_path: Path) -> None:
    long: dict[str, Any] = {
        "dataset": "answers-of-the-support-team-",
        "target": "a-target-of-a-long-name-",
        "reported_model": "a-model-of-a-long-name",
        "trace_summary": {"duration_ms": 9e6, "cost_usd": 123.456},
    }
    write_results(tmp_path / FOLDER / "a.jsonl", record("one", **long), record("two", None, **long))
    lines = listed(tmp_path).splitlines()
    assert max(map(len, lines)) <= 80
    assert "answers-of-t…" in lines[1]
    wide = listed(tmp_path, columns=150).splitlines()
    assert long["dataset"] in wide[1]
    assert 80 < max(map(len, wide)) <= 150


def test_runs_of_a_suite_and_the_newest_ones_can_be_listed(tmp_path: Path) -> None:
    for number in range(25):
        write_results(
            tmp_path / FOLDER / f"{number}.jsonl",
            record("one", dataset=f"{'even' if number % 2 == 0 else 'odd'}", suite_path=None),
        )
    lines = listed(tmp_path).splitlines()
    assert len(lines) == 1 + 20 + 2
    assert lines[-1] == "5 more; --limit 25 lists all of them"
    assert len(listed(tmp_path, "--suite", "EVEN").splitlines()) == 1 + 13
    assert len(listed(tmp_path, "--limit", "3").splitlines()) == 1 + 3 + 2
    ended = suitecase("list", "--suite", "prime", cwd=tmp_path)
    assert ended.returncode == 2
    assert "its runs are of" in ended.stderr


def test_programs_get_all_that_is_known(tmp_path: Path) -> None:
    path = write_results(
        tmp_path / FOLDER / "a.jsonl",
        record("one", timestamp="2026-01-02T03:04:05.678Z", planned=2, reported_model="m"),
    )
    (tmp_path / FOLDER / "empty.jsonl").touch()
    whole = json.loads(listed(tmp_path, "--format", "json"))
    assert whole["folder"] == str(tmp_path / FOLDER)
    assert whole["others"] == [
        {"file": str(tmp_path / FOLDER / "empty.jsonl"), "why": "no results yet"}
    ]
    (run,) = whole["runs"]
    assert run == {
        "run_id": None,
        "file": str(path),
        "suites": ["suites/a.eval.yaml"],
        "datasets": ["a"],
        "targets": ["bot"],
        "models": ["m"],
        "began": "2026-01-02T03:04:05.678Z",
        "ended": "2026-01-02T03:04:05.678Z",
        "seconds": 0.0,
        "cases": 1,
        "answers": 1,
        "planned": 2,
        "state": "unfinished",
        "statuses": {
            "pass": 1,
            "rehearsed": 0,
            "borderline": 0,
            "fail": 0,
            "judge_failed": 0,
            "error": 0,
            "not_evaluated": 0,
        },
        "pass_rate": 1.0,
        "mean_score": 1.0,
        "cost_usd": None,
        "no_model": False,
        "remark": None,
    }


def test_a_workspace_without_runs_says_where_they_will_be(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert listed(tmp_path) == (
        "No runs yet: `suitecase run` writes their results to .suitecase/results; the folder has "
        "no suite yet: `suitecase init` writes a first one.\n"
    )
    assert json.loads(listed(tmp_path, "--format", "json"))["runs"] == []


def test_files_that_are_not_runs_are_named(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    (tmp_path / FOLDER / "rows.jsonl").write_text('{"question": "?"}\n')
    last = listed(tmp_path).splitlines()[-1]
    assert last == "1 other file in the folder: rows.jsonl (not a results file)"


@pytest.mark.parametrize("folder", ["nowhere", "a.jsonl"])
def test_what_is_not_a_folder_is_refused(tmp_path: Path, folder: str) -> None:
    write_results(tmp_path / "a.jsonl", record("one"))
    ended = suitecase("list", folder, cwd=tmp_path)
    assert ended.returncode == 2
    assert folder in ended.stderr


def test_names_do_not_steer_the_terminal(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one", dataset="\x1b[31mred\u202e"))
    assert "\x1b" not in listed(tmp_path)


def test_a_folder_of_a_workspace_has_the_runs_of_its_suites(site: Site) -> None:
    case = "- {id: one, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}"
    for name in ("a", "b"):
        site.suite(case, name=f"{name}/{name}.eval.yaml")
        assert site.run(f"{name}/{name}.eval.yaml", "--target", "mock").code == 0
    assert len(json.loads(listed(site.root, "--format", "json"))["runs"]) == 2
    (run,) = json.loads(listed(site.root, "b", "--format", "json"))["runs"]
    assert run["suites"] == ["b/b.eval.yaml"]
    assert (run["state"], run["no_model"]) == ("finished", True)


def test_times_are_short() -> None:
    now = datetime(2026, 11, 23, tzinfo=UTC)
    assert when_text(datetime(2025, 3, 4, 12, tzinfo=UTC), now) == " 4 Mar  2025"
    assert when_text(None) == "-"
    assert [seconds_text(it) for it in (0.04, 9.96, 59.9, 185, 7800, 270_000)] == [
        *("0.0s", "10.0s", "59s"),
        *("3m05s", "2h10m", "3d03h"),
    ]


def test_several_that_index_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    for number in range(20):
        write_results(tmp_path / FOLDER / f"{number}.jsonl", record("one", **stamped(number)))
    started = [ForkedCommand("list", "--format", "json", cwd=tmp_path) for _ in range(6)]
    ended = [(it.communicate(timeout=120), it.returncode) for it in started]
    assert {code for _, code in ended} == {0}
    assert {err for (_, err), _ in ended} == {""}
    assert len({out for (out, _), _ in ended}) == 1
    assert len(json.loads(ended[0][0][0])["runs"]) == 20
    left = {it.name for it in (tmp_path / FOLDER).iterdir() if it.suffix != ".jsonl"}
    assert left == {".history.json"}
