"""A page of records that are in several results files, such as the editor's report of last results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suitecase.report.results_file import Run
from suitecase.report.run_page import run_page
from suitecase_evaluators.answers.records.joined_records import JoinedRecords
from suitecase_evaluators.answers.records.record_file import RecordFile, lines_with_offsets
from suitecase_evaluators.answers.records.tally import Tally
from support.packed_pages import unpacked
from support.report_pages import Page, record, write_results


@pytest.fixture
def joined(tmp_path: Path) -> JoinedRecords:
    """1,100 records in three files, one of which has none."""
    files = []
    for name, numbers in (("a", range(530)), ("none", range(0)), ("b", range(530, 1_100))):
        lines = (record(f"case-{it}", position=it + 1) for it in numbers)
        path = write_results(tmp_path / f"{name}.jsonl", *lines)
        files.append(RecordFile(path, [offset for offset, _ in lines_with_offsets(path)]))
    return JoinedRecords(files)


def test_records_are_found_by_their_place(joined: JoinedRecords) -> None:
    ids = [it.eval_id for it in joined]
    assert ids == [f"case-{it}" for it in range(1_100)]
    assert len(joined) == 1_100
    for place in (0, 529, 530, 1_099, -1, -1_100):
        assert joined[place].eval_id == ids[place]
    for start, stop in ((0, 50), (500, 550), (530, 531), (1_090, 2_000), (50, 20), (None, None)):
        assert [it.eval_id for it in joined[start:stop]] == ids[start:stop]
    for place in (1_100, -1_101):
        with pytest.raises(IndexError):
            joined[place]


def test_a_page_has_the_records_of_all_files(joined: JoinedRecords) -> None:
    pieces = run_page(Run(Path("last.jsonl"), joined, Tally.of(joined), ()))
    page = Page(b"".join(pieces).decode())
    lines = unpacked(page, "r0-10").split(b"\n")
    assert [json.loads(it)["eval_id"] for it in lines] == [f"case-{it}" for it in range(500, 550)]
