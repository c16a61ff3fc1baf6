"""What goes wrong around a run: the disk is full, or another run is at the same file.

Runs that are killed are in `test_resuming.py`, two that share a cache in `test_answer_cache.py`, and
what goes wrong while somebody is asked in `test_fault_table.py`.
"""

from __future__ import annotations

import resource
import subprocess
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from suitecase.run.results import ResultsError, ResultsFile
from suitecase.text.writing.files import ANYTHING, write_pieces
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import ResultRecord
from support.running.forked import ForkedCommand
from support.running.processes import COMMAND_LINE
from support.running.site import Site, lines_of
from support.suites.counted_agent import CountedAgent

#: Of the results file this many bytes fit on the disk: two records, and a part of the third.
ROOM = 32_000


def limit_files(size: int) -> None:
    """Let this process write no file beyond a size, as on a disk that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


def cases(number: int, length: int) -> str:
    """Return cases with long questions, which are answered with what they ask."""
    grading = "evaluators: [{name: has, type: contains, value: x}]"
    return "".join(
        f"- {{id: case-{it}, expected_outcome: x, input: {'x' * length}, {grading}}}\n"
        for it in range(number)
    )


def test_a_disk_that_gets_full_loses_nothing_for_good(site: Site) -> None:
    agent = CountedAgent(site, workers=1)
    site.suite(cases(5, 6_000), head="execution: {target: agent}")
    ran = subprocess.run(
        [*COMMAND_LINE, "run", "a.eval.yaml", "--output", "r.jsonl"],
        cwd=site.root,
        preexec_fn=lambda: limit_files(ROOM),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=120,
    )
    # Nobody pays for more answers than the file takes, and what is not kept is shown and counted.
    assert ran.returncode == 3, ran.stderr
    assert "3 passed, 2 not run" in ran.stdout
    assert "1 record is not in the file: the results file" in ran.stderr
    assert "File too large" in ran.stderr
    results = site.root / "r.jsonl"
    recorded = {it.eval_id for it in read_records(results)}
    assert (len(recorded), results.stat().st_size) == (2, ROOM)
    assert agent.asked().total() == 3
    # With room again, those alone are asked, and the file is whole.
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert agent.asked().keys() == {f"case-{it}" for it in range(5)} - recorded
    assert Counter(it["eval_id"] for it in lines_of(results)) == {
        f"case-{it}": 1 for it in range(5)
    }


def test_what_is_written_once_there_is_room_again_is_no_part_of_a_torn_line(
    tmp_path: Path,
) -> None:
    file = ResultsFile.open(tmp_path / "r.jsonl")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        limit_files(100)
        with pytest.raises(ResultsError, match="File too large"):
            file.append(ResultRecord({"eval_id": "torn", "text": "x" * 200}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    file.append(ResultRecord({"eval_id": "whole"}))
    file.append(ResultRecord({"eval_id": "next"}))
    file.close()
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 3
    assert [it.eval_id for it in read_records(tmp_path / "r.jsonl")] == ["whole", "next"]


def test_what_does_not_fit_on_the_disk_leaves_the_earlier_output(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("an earlier page")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        limit_files(20)
        with pytest.raises(OSError, match="File too large"):
            write_pieces(path, [b"a page that is longer"], before=ANYTHING, within=None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "an earlier page"
    assert list(tmp_path.iterdir()) == [path]


def test_two_runs_at_once_may_write_one_file(site: Site) -> None:
    for name in ("one", "two"):
        site.suite(cases(30, 20_000), name=f"{name}.eval.yaml")
    with ExitStack() as stack:
        runs = [
            stack.enter_context(
                ForkedCommand(
                    "run",
                    f"{name}.eval.yaml",
                    "--output",
                    "r.jsonl",
                    cwd=site.root,
                    stdout=subprocess.DEVNULL,
                )
            )
            for name in ("one", "two")
        ]
        assert [it.wait(120) for it in runs] == [0, 0]
    expected = {
        (f"{name}.eval.yaml", f"case-{it}"): 1 for name in ("one", "two") for it in range(30)
    }
    records = lines_of(site.root / "r.jsonl")
    assert Counter((it["suite_path"], it["eval_id"]) for it in records) == expected
