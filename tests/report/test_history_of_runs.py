"""The past runs of a workspace: what a file says about its run, and the index of a folder."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from suitecase.report import history
from suitecase.report.history import INDEX_NAME, ResultsFolder, past_runs
from suitecase.report.past_run import PastRun, RunScan
from suitecase_evaluators.answers.records.status import Status
from support.report_pages import record, write_results

FOLDER = Path(".suitecase", "results")


def at(second: int, **fields: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-02T03:04:{second:02}.000Z", **fields}


def test_a_run_has_counts_times_models_and_cost(tmp_path: Path) -> None:
    free = {"trace_summary": {"cost_usd": 0}}
    path = write_results(
        tmp_path / FOLDER / "a.jsonl",
        record("one", **at(5), trace_summary={"duration_ms": 2000, "cost_usd": 0.25}),
        record("two", 0.7, **at(9), reported_model="gpt-x", judge_cost_usd=0.5, **free),
        record("three", 0.0, **at(7), reported_model="gpt-x", **free),
        record("four", None, **at(8), **free),
    )
    (run,) = past_runs(tmp_path)
    assert run.path == path
    assert (run.suite, run.name, run.targets) == ("suites/a.eval.yaml", "a", ("bot",))
    assert run.models == ("gpt-x",)
    assert (run.cases, run.answers, run.graded, run.passed) == (4, 4, 3, 1)
    assert run.statuses == {
        Status.PASS: 1,
        Status.BORDERLINE: 1,
        Status.FAIL: 1,
        Status.ERROR: 1,
    }
    assert run.mean_score == pytest.approx((1.0 + 0.7) / 3)
    assert run.cost_usd == 0.75
    assert run.began is not None
    assert run.ended == run.began + timedelta(seconds=6)
    assert run.seconds == 6
    assert run.planned is None
    assert not run.unfinished


def test_the_cost_of_a_run_is_unknown_if_that_of_an_answer_is(tmp_path: Path) -> None:
    write_results(
        tmp_path / FOLDER / "a.jsonl", record("one", trace_summary={"cost_usd": 1}), record("two")
    )
    (run,) = past_runs(tmp_path)
    assert run.cost_usd is None


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    for name, second in (("b", 30), ("a", 10), ("c", 20)):
        write_results(tmp_path / FOLDER / f"{name}.jsonl", record("one", **at(second)))
    assert [it.path.stem for it in past_runs(tmp_path)] == ["b", "c", "a"]


def test_of_several_records_of_a_case_the_last_one_counts(tmp_path: Path) -> None:
    write_results(
        tmp_path / FOLDER / "a.jsonl", record("one", 0.0), record("two"), record("one", 1.0)
    )
    (run,) = past_runs(tmp_path)
    assert (run.answers, dict(run.statuses)) == (2, {Status.PASS: 2})


def test_a_run_with_fewer_answers_than_planned_is_unfinished(tmp_path: Path) -> None:
    write_results(tmp_path / FOLDER / "a.jsonl", record("one", planned=3))
    write_results(tmp_path / FOLDER / "b.jsonl", record("one", planned=1))
    write_results(tmp_path / FOLDER / "c.jsonl", record("one"), tail='{"schema_version": 1, "ev')
    runs = {it.path.stem: it for it in past_runs(tmp_path)}
    assert {name: it.unfinished for name, it in runs.items()} == {"a": True, "b": False, "c": True}
    assert runs["a"].missing == 2


def test_a_run_that_holds_its_file_is_live(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = write_results(tmp_path / FOLDER / "a.jsonl", record("one", planned=3))
    folder = ResultsFolder(path.parent)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        (run,) = folder.history().runs
        assert run.live
        assert not run.unfinished
    (run,) = folder.history().runs
    assert (run.live, run.unfinished) == (False, True)


def test_a_run_without_a_model_says_so(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"answered_by": "echo", "target": "mock", "evaluator_results": []}
    write_results(tmp_path / FOLDER / "a.jsonl", record("one", **fields))
    (run,) = past_runs(tmp_path)
    assert run.no_model
    assert run.remark is not None
    assert "`mock`" in run.remark


def test_other_files_are_not_runs_and_are_named(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    write_results(folder / "good.jsonl", record("one"))
    (folder / "empty.jsonl").touch()
    (folder / "rows.jsonl").write_text('{"question": "?"}\n' * 200)
    (folder / "bytes.jsonl").write_bytes(bytes(range(256)) * 40)
    (folder / "good.figures.jsonl").write_text('{"kind": "run"}\n')
    (folder / "folder.jsonl").mkdir()
    (folder / "link.jsonl").symlink_to("good.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    found = ResultsFolder(folder).history()
    assert [it.path.name for it in found.runs] == ["good.jsonl"]
    assert {it.path.name: it.why for it in found.others} == {
        "empty.jsonl": "no results yet",
        "rows.jsonl": "not a results file",
        "bytes.jsonl": "not a results file",
    }


def test_a_folder_without_results_has_no_runs(tmp_path: Path) -> None:
    assert past_runs(tmp_path) == []
    assert past_runs(tmp_path / "nowhere") == []
    assert not (tmp_path / FOLDER).exists()


def test_a_file_is_read_once_by_all_that_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_results(tmp_path / FOLDER / "a.jsonl", record("one"), record("two", 0.1))
    first = past_runs(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(history, "RunScan", None)
        assert past_runs(tmp_path) == first
    write_results(path, record("one"))
    (changed,) = past_runs(tmp_path)
    assert changed.answers == 1


@pytest.mark.parametrize(
    "index",
    [
        "",
        "{",
        "[]",
        '{"version": 1}',
        '{"version": 99, "files": {}}',
        '{"version": 2, "files": []}',
        '{"version": 2, "files": {"a.jsonl": {"size": "x"}}}',
        "[" * 100_000,
    ],
)
def test_an_unusable_index_is_written_again(tmp_path: Path, index: str) -> None:
    path = write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    (path.parent / INDEX_NAME).write_text(index)
    assert len(past_runs(tmp_path)) == 1
    assert json.loads((path.parent / INDEX_NAME).read_text())["files"].keys() == {"a.jsonl"}


def test_a_run_comes_back_from_the_index_as_it_went_in(tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        "answered_by": "echo",
        "target": "mock",
        "planned": 7,
        "reported_model": "m",
    }
    write_results(tmp_path / FOLDER / "a.jsonl", record("\ud800", **fields), record("b", None))
    assert past_runs(tmp_path) == past_runs(tmp_path)


def test_a_folder_that_may_not_be_written_is_read(tmp_path: Path) -> None:
    path = write_results(tmp_path / FOLDER / "a.jsonl", record("one"))
    (path.parent / INDEX_NAME).mkdir()  # so that nobody can write the index, whoever runs this test
    assert len(past_runs(tmp_path)) == 1


def test_nothing_is_written_into_other_folders(tmp_path: Path) -> None:
    write_results(tmp_path / "runs" / "a.jsonl", record("one"))
    assert len(past_runs(tmp_path / "runs")) == 1
    assert [it.name for it in (tmp_path / "runs").iterdir()] == ["a.jsonl"]


def test_a_link_out_of_the_workspace_is_followed_only_if_it_is_named(tmp_path: Path) -> None:
    outside = write_results(tmp_path / "outside" / "a.jsonl", record("one")).parent
    (tmp_path / "work" / ".suitecase").mkdir(parents=True)
    (tmp_path / "work" / FOLDER).symlink_to(outside)
    assert past_runs(tmp_path / "work") == []
    assert len(past_runs(tmp_path / "work" / FOLDER)) == 1
    assert [it.name for it in outside.iterdir()] == ["a.jsonl"]


def test_what_is_appended_is_counted_without_reading_the_rest_again(tmp_path: Path) -> None:
    path = write_results(tmp_path / "a.jsonl", record("one"))
    scan = RunScan(path)
    scan.read_on()
    line = json.dumps(record("two", 0.0)) + "\n"
    text = path.read_bytes()
    # Nobody would notice that the first record changes, if it is not read again.
    path.write_bytes(text.replace(b'"one"', b'"uno"'))
    for half in (line[:40], line[40:]):
        with path.open("a") as file:
            file.write(half)
        scan.read_on()
    run = scan.past_run()
    assert run is not None
    assert run.answers == 2
    assert run.mean_score == 0.5
    assert not run.truncated


def test_a_last_record_without_a_newline_counts(tmp_path: Path) -> None:
    path = write_results(tmp_path / "a.jsonl", record("one"), tail=json.dumps(record("two")))
    scan = RunScan(path)
    scan.read_on()
    run = scan.past_run()
    assert run is not None
    assert (run.answers, run.truncated) == (2, False)


def test_a_file_that_is_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    path = write_results(tmp_path / "a.jsonl", record("one"), record("two"))
    scan = RunScan(path)
    scan.read_on()
    write_results(tmp_path / "b", *(record(f"case {it}", 0.0) for it in range(5))).replace(path)
    scan.read_on()
    run = scan.past_run()
    assert run is not None
    assert (run.answers, run.mean_score) == (5, 0)


def test_a_change_of_cases_texts_or_settings_changes_what_runs_are_compared_by(
    tmp_path: Path,
) -> None:
    def run(*records: dict[str, Any]) -> PastRun:
        scan = RunScan(write_results(tmp_path / "a.jsonl", *records))
        scan.read_on()
        found = scan.past_run()
        assert found is not None
        return found

    base = run(record("a"), record("b"))
    again = run(record("b", 0.0), record("a"))
    assert (again.case_ids, again.case_texts, again.inputs) == (
        base.case_ids,
        base.case_texts,
        base.inputs,
    )
    fewer = run(record("a"))
    assert fewer.case_ids != base.case_ids
    reworded = run(record("a", case_hash="1" * 64), record("b"))
    assert (reworded.case_ids == base.case_ids, reworded.case_texts == base.case_texts) == (
        True,
        False,
    )
    other_prompt = run(record("a", effective_hash="1" * 64), record("b"))
    assert other_prompt.case_texts == base.case_texts
    assert other_prompt.inputs != base.inputs
