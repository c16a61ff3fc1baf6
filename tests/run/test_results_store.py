"""Results files: appending to them, whatever state they are in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from suitecase.run.client import Worker
from suitecase.run.protocol import CaseFinished, CaseStarted, Failed, Started
from suitecase.run.results import ResultsError, ResultsFile, results_path
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import ResultRecord
from support.running.site import Site, events_of, lines_of, records_of

ONE = "- {id: one, expected_outcome: x, input: x}"
NOW = datetime(2026, 2, 1, 12, 30, 15, tzinfo=UTC)


async def test_records_are_appended_and_are_those_that_were_told(
    site: Site, worker: Worker
) -> None:
    site.suite(ONE)
    results = site.root / "deep" / "down" / "results.jsonl"
    first = await records_of(worker, site.request(results_path=str(results)))
    second = await records_of(worker, site.request(results_path=str(results)))
    assert lines_of(results) == [first["one"], second["one"]]


async def test_a_folder_gets_a_file_named_after_the_suite_and_the_time(
    site: Site, worker: Worker
) -> None:
    site.suite(ONE, head="dataset: ../my data")
    folder = site.root / ".suitecase" / "results"
    events = await events_of(worker, site.request(results_path=f"{folder}/"))
    started = events[0]
    assert isinstance(started, Started)
    assert started.results_path is not None
    path = Path(started.results_path)
    assert path.parent == folder
    assert path.name.startswith("my-data-")
    assert [record["eval_id"] for record in lines_of(path)] == ["one"]
    # Answers and prompts are not committed by accident.
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    first = results_path(str(tmp_path), "data", NOW)
    assert first.name == "data-20260201T123015.000Z.jsonl"
    first.touch()
    assert results_path(f"{tmp_path}/", "data", NOW).name == "data-20260201T123015.000Z-2.jsonl"
    assert results_path(str(tmp_path / "mine.jsonl"), "data", NOW) == tmp_path / "mine.jsonl"
    assert results_path(str(tmp_path), "///", NOW).name == "suite-20260201T123015.000Z.jsonl"


def test_a_line_that_a_crash_cut_short_spoils_no_record(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"eval_id": "whole"}\n{"eval_id": "to')
    assert [it.eval_id for it in read_records(path)] == ["whole"]
    results = ResultsFile.open(path)
    results.append(ResultRecord({"eval_id": "next"}))
    results.close()
    assert [it.eval_id for it in read_records(path)] == ["whole", "next"]


async def test_a_place_that_cannot_be_written_is_said_before_anything_is_asked(
    site: Site, worker: Worker
) -> None:
    site.suite(ONE)
    site.write("file", "in the way")
    request = site.request(results_path=str(site.root / "file" / "results.jsonl"))
    (event,) = await events_of(worker, request)
    assert isinstance(event, Failed)
    assert event.kind == "environment"
    assert "cannot be written" in event.message
    assert "--no-results" in event.message


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
async def test_a_full_disk_loses_no_record_for_those_who_look(site: Site, worker: Worker) -> None:
    site.suite("""
        - {id: one, expected_outcome: x, input: x}
        - {id: two, expected_outcome: x, input: x}
    """)
    events = await events_of(worker, site.request(results_path="/dev/full"))
    # What was not asked when the disk was found full is not asked any more.
    finished = sum(isinstance(event, CaseFinished) for event in events)
    assert finished == sum(isinstance(event, CaseStarted) for event in events) > 0
    last = events[-1]
    assert isinstance(last, Failed)
    assert last.kind == "environment"
    number = "1 record is" if finished == 1 else "2 records are"
    assert last.message.startswith(f"{number} not in the file: ")
    assert "No space left" in last.message


def test_a_record_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be written: Is a directory"):
        ResultsFile.open(tmp_path)
