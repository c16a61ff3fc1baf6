"""Records are brought to the disk in batches, and a run whose disk fails stops asking."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from suitecase.run.results import ResultsFile
from suitecase_evaluators.answers.records.record import ResultRecord
from support.running.forked import ForkedCommand
from support.running.processes import CALL, execute
from support.running.site import Ran, Site, lines_of
from support.suites.counted_agent import CountedAgent
from support.system.refused_calls import filters_only, refusing

SUITE = "a.eval.yaml"
RESULTS = "r.jsonl"


def suite_of(site: Site, number: int, target: str) -> None:
    grading = "evaluators: [{name: has, type: contains, value: x}]"
    site.suite(
        "".join(
            f"- {{id: case-{it}, expected_outcome: x, input: x, {grading}}}\n"
            for it in range(number)
        ),
        head=f"execution: {{target: {target}}}",
    )


def run_on_a_disk_that_fails(site: Site, error: int) -> Ran:
    script = refusing("fsync", error) + CALL
    ended = execute(script, "run", SUITE, "--output", RESULTS, cwd=site.root)
    return Ran(ended.returncode, ended.stdout, ended.stderr)


@filters_only
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_disk_that_fails_ends_the_run_and_nothing_is_paid_for_twice(
    site: Site, error: int
) -> None:
    agent = CountedAgent(site, workers=1)
    suite_of(site, 200, "agent")
    ran = run_on_a_disk_that_fails(site, error)
    assert ran.code == 3
    assert "records may not be on the disk: the results file" in ran.err
    assert os.strerror(error) in ran.err
    asked = agent.asked()
    assert 0 < asked.total() < 200
    assert {it["eval_id"] for it in lines_of(site.root / RESULTS)} == asked.keys()
    assert "not run" in ran.out


@filters_only
def test_a_failure_at_the_very_end_is_told(site: Site) -> None:
    suite_of(site, 1, "mock")
    ran = run_on_a_disk_that_fails(site, errno.EIO)
    assert ran.code == 3
    assert "records may not be on the disk" in ran.err
    assert len(lines_of(site.root / RESULTS)) == 1
    assert site.run(SUITE, "--resume", RESULTS).code == 0


@pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be removed")
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (Path.unlink, "it was removed or replaced during the run"),
        (lambda it: os.truncate(it, 0), "it was emptied or truncated during the run"),
        (
            lambda it: os.truncate(it, it.stat().st_size - 1),
            "it was emptied or truncated during the run",
        ),
    ],
    ids=["removed", "emptied", "truncated"],
)
def test_a_run_whose_results_file_is_damaged_stops_and_says_so(
    site: Site, damage: Callable[[Path], None], said: str
) -> None:
    agent = CountedAgent(site, workers=1)
    suite_of(site, 200, "agent")
    with ForkedCommand("run", SUITE, "--output", RESULTS, cwd=site.root) as run:
        assert run.stdout is not None
        run.stdout.readline()  # the first case is graded
        damage(site.root / RESULTS)
        _, err = run.communicate(timeout=120)
    assert run.returncode == 3
    assert said in err
    assert agent.asked().total() < 200


@filters_only
def test_a_file_system_without_such_a_call_is_no_failure(site: Site) -> None:
    suite_of(site, 1, "mock")
    assert run_on_a_disk_that_fails(site, errno.EINVAL).code == 0


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes that files had when they were brought to the disk."""
    found: list[int] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        found.append(os.fstat(descriptor).st_size)
        real(descriptor)
        synced.set()

    monkeypatch.setattr(os, "fsync", fsync)
    return found


synced = threading.Event()


def test_many_records_are_one_batch_and_the_last_one_is_there(
    tmp_path: Path, syncs: list[int]
) -> None:
    begun = time.monotonic()
    file = ResultsFile.open(tmp_path / RESULTS)
    for number in range(3_000):
        file.append(ResultRecord({"eval_id": f"case-{number}", "text": "x" * 100}))
    file.sync()
    assert (tmp_path / RESULTS).stat().st_size in syncs
    # The folder is brought to the disk once.
    assert len(syncs) <= 3 + time.monotonic() - begun
    file.close()


def test_a_record_is_there_before_the_next_one(tmp_path: Path, syncs: list[int]) -> None:
    file = ResultsFile.open(tmp_path / RESULTS)
    file.append(ResultRecord({"eval_id": "one"}))
    synced.clear()
    assert synced.wait(30)
    assert (tmp_path / RESULTS).stat().st_size in syncs
    file.close()
