"""Planning, resuming and reporting a run take little memory for each case and record."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from suitecase.run.client import Worker
from suitecase.run.effective import EffectiveHashes
from suitecase.run.event_lines import event_line
from suitecase.run.job_records import JobRecords, read_job_records
from suitecase.run.jobs import Jobs
from suitecase.run.plan import Plan
from suitecase.run.planning import plan
from suitecase.run.protocol import RunRequest, Warned
from suitecase.run.target_pool import TargetPool
from suitecase.run.worker import MOST_QUEUED, EventWriter
from suitecase_evaluators.targets.redactor import Redactor
from support.running.site import Site, records_of
from support.system.allocated_memory import held_by, peak_of

#: Characters of each case.
LONG = 2000


def planned(request: RunRequest) -> Plan:
    found = plan(request)
    assert isinstance(found, Plan)
    return found


def request_for(folder: Path, number: int) -> RunRequest:
    path = folder / f"data-{number}.jsonl"
    lines = (
        json.dumps({"id": f"case-{it}", "input": "x" * LONG, "expected_outcome": "y"})
        for it in range(number)
    )
    path.write_text("\n".join(lines))
    path.with_suffix(".yaml").write_text("execution: {target: mock}\n")
    return RunRequest(suite_path=str(path), workspace_root=str(folder))


def test_a_plan_keeps_no_case_of_a_long_data_set(tmp_path: Path) -> None:
    few, many = (request_for(tmp_path, it) for it in (600, 1100))
    peak_of(lambda: planned(few))  # what is imported and compiled stays
    assert (peak_of(lambda: planned(many)) - peak_of(lambda: planned(few))) / 500 < LONG / 2


def test_a_plan_of_a_long_data_set_has_all_of_it(tmp_path: Path) -> None:
    found = planned(request_for(tmp_path, 600))
    assert [it.id for it in found.cases] == [f"case-{it}" for it in range(600)]
    assert [it.line for it in found.cases] == list(range(1, 601))
    assert all(it.case.input == "x" * LONG for it in found.cases)


def test_records_of_a_resumed_run_take_some_bytes_each(tmp_path: Path) -> None:
    request = request_for(tmp_path, 600)
    cases = planned(request).cases
    held = held_by(lambda: JobRecords(Jobs(cases, request, 100)))
    assert held / (600 * 100) < 32


async def test_reading_records_to_resume_keeps_none(site: Site, worker: Worker) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: mock}")
    record = (await records_of(worker, site.request(repeats=1)))["one"]
    request = site.request(repeats=1000)
    found = planned(request)
    hashes = hashes_of(found)
    few, many = (repeated(site.root / f"{it}.jsonl", record, it) for it in (100, 1000))

    def read(path: Path) -> JobRecords:
        return read_job_records(path, Jobs(found.cases, request, 1000), "a.eval.yaml", hashes)

    assert (read(few).done, read(many).done) == (100, 1000)
    assert (peak_of(lambda: read(many)) - peak_of(lambda: read(few))) / 900 < 100


def hashes_of(found: Plan) -> EffectiveHashes:
    redactor = Redactor()
    pool = TargetPool(found.targets, folder=found.folder.path, environ={}, redactor=redactor)
    return EffectiveHashes(found, pool, {})


def repeated(path: Path, record: dict[str, Any], number: int) -> Path:
    """Write the same record for so many repeats."""
    path.write_text("".join(f"{json.dumps(record | {'repeat': it + 1})}\n" for it in range(number)))
    return path


async def test_a_run_waits_for_a_client_that_does_not_read() -> None:
    reading, writing = os.pipe()
    events = EventWriter(writing, lambda: None)
    await events.ready()
    event = Warned(message="x" * 100_000)
    number = MOST_QUEUED // 100_000 + 2
    for _ in range(number):
        events.put(1, event)
    waiting = asyncio.create_task(events.ready())
    await asyncio.wait([waiting], timeout=0)
    assert not waiting.done()
    async with asyncio.timeout(20):
        await asyncio.to_thread(_drain, reading, number * len(event_line(event, 1)))
        await waiting
    os.close(reading)


def _drain(descriptor: int, number: int) -> None:
    while number > 0:
        number -= len(os.read(descriptor, 65_536))
