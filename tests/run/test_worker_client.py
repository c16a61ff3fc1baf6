"""The worker process and its client: crashes, cancellation and invalid output."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from suitecase.run import client
from suitecase.run.client import Worker
from suitecase.run.protocol import CaseFinished, CaseStarted, Failed, Finished
from suitecase.run.worker_failure import WorkerFailure
from support.running.site import Site, events_of, lines_of, records_of

pytestmark = pytest.mark.process

QUICK_AND_SLOW = """
    - {id: quick, expected_outcome: x, input: x, execution: {target: mock}}
    - {id: slow, expected_outcome: x, input: x}
"""


class Sleeper:
    """A target that never answers, and tells through a pipe when its program starts and ends."""

    def __init__(self, site: Site) -> None:
        self._pipe = site.root / "alive"
        os.mkfifo(self._pipe)
        site.write(
            "targets.yaml",
            f"""
            targets:
              - name: sleeper
                provider: cli
                command_template: "exec 3>{self._pipe}; cat > /dev/null; echo $$ >&3; sleep 600"
            """,
        )
        site.suite(QUICK_AND_SLOW, head="execution: {target: sleeper}")

    @asynccontextmanager
    async def started(self) -> AsyncIterator[asyncio.StreamReader]:
        """Wait for the program to start; what is returned ends when all of the program has."""
        file = await asyncio.to_thread(self._pipe.open, "rb", buffering=0)
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), file
        )
        group = int(await stream.readline())
        try:
            yield stream
        finally:
            transport.close()
            # A worker that was killed could not end it.
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)


async def ended(stream: asyncio.StreamReader) -> None:
    async with asyncio.timeout(20):
        await stream.read()


def replace_worker(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let another program stand in for the worker."""
    monkeypatch.setattr(client, "COMMAND", (sys.executable, "-c", program))


async def test_the_death_of_the_worker_is_told_and_keeps_what_is_graded(
    site: Site, worker: Worker
) -> None:
    sleeper = Sleeper(site)
    results = site.root / "results.jsonl"
    graded = asyncio.Event()

    async def listen() -> None:
        async for event in worker.run(site.request(results_path=str(results))):
            if isinstance(event, CaseFinished):
                graded.set()

    running = asyncio.create_task(listen())
    async with sleeper.started():
        await graded.wait()
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(WorkerFailure, match="SIGKILL"):
            await running
    assert [record["eval_id"] for record in lines_of(results)] == ["quick"]
    # The next run gets a new worker.
    assert worker.pid is None
    records = await records_of(worker, site.request(cases=("quick",), results_path=str(results)))
    assert list(records) == ["quick"]
    assert len(lines_of(results)) == 2


async def test_stopping_early_cancels_the_run_and_ends_its_programs(
    site: Site, worker: Worker
) -> None:
    sleeper = Sleeper(site)
    async with aclosing(worker.run(site.request(cases=("slow",)))) as events:
        async for event in events:
            if isinstance(event, CaseStarted):
                break
        async with sleeper.started() as alive:
            await events.aclose()
            await ended(alive)
    # The worker itself goes on.
    assert list(await records_of(worker, site.request(cases=("quick",)))) == ["quick"]


async def test_being_cancelled_cancels_the_run(site: Site, worker: Worker) -> None:
    sleeper = Sleeper(site)
    running = asyncio.create_task(events_of(worker, site.request()))
    async with sleeper.started() as alive:
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await ended(alive)


async def test_closing_ends_the_worker_and_its_programs(site: Site) -> None:
    sleeper = Sleeper(site)
    worker = Worker()
    running = asyncio.create_task(events_of(worker, site.request()))
    async with sleeper.started() as alive:
        await worker.close()
        await ended(alive)
    # Whoever still listens is told that the run is over, and what was left out.
    last = (await running)[-1]
    assert isinstance(last, Finished)
    assert last.summary["not_run"] == ["slow"]
    assert last.summary["verdicts"]["pass"] == 1
    assert worker.pid is None


async def test_several_runs_go_on_at_once_and_one_being_cancelled_leaves_the_others(
    site: Site, worker: Worker
) -> None:
    sleeper = Sleeper(site)
    async with aclosing(worker.run(site.request(cases=("slow",)))) as slow:
        await anext(slow)
        async with sleeper.started() as alive:
            runs = [records_of(worker, site.request(cases=("quick",))) for _ in range(5)]
            for records in await asyncio.gather(*runs):
                assert records["quick"]["verdict"] == "pass"
            await slow.aclose()
            await ended(alive)


async def test_a_worker_that_cannot_be_started_is_told(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "COMMAND", (str(site.root / "no-python"),))
    with pytest.raises(WorkerFailure, match="could not be started"):
        await events_of(worker, site.request())


async def test_a_worker_that_dies_at_once_is_told_with_its_last_words(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_worker(monkeypatch, "import sys; sys.exit('no luck today')")
    with pytest.raises(WorkerFailure, match="exit code 1") as failure:
        await events_of(worker, site.request())
    assert failure.value.detail == "no luck today"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rubbish", "an invalid event: rubbish"),
        ('{"id": 1, "event": "surprise"}', "an invalid event"),
        ('{"id": 7, "event": "started", "cases": []}', "unknown run: 7"),
        ("[1]", "an invalid event"),
    ],
)
async def test_rubbish_from_the_worker_is_a_failure_and_ends_it(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch, line: str, told: str
) -> None:
    program = f"import time; print({line!r}, flush=True); time.sleep(600)"
    replace_worker(monkeypatch, program)
    with pytest.raises(WorkerFailure, match=told):
        await events_of(worker, site.request())
    assert worker.pid is None


async def test_a_worker_that_writes_much_to_standard_error_does_not_block(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    replace_worker(
        monkeypatch,
        "import sys, suitecase.run.worker as worker\n"
        "sys.stderr.write('noise' * 1_000_000)\n"
        "worker.main()",
    )
    assert list(await records_of(worker, site.request())) == ["one"]


async def test_what_anything_prints_in_the_worker_never_reaches_the_events(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    replace_worker(
        monkeypatch,
        "import os, suitecase.run.worker as worker\n"
        "original = worker.run_suite\n"
        "async def noisy(request, *rest):\n"
        "    print('noise', flush=True)\n"
        "    os.write(1, b'noise')\n"
        "    os.system('echo noise; cat')\n"
        "    await original(request, *rest)\n"
        "worker.run_suite = noisy\n"
        "worker.main()",
    )
    assert list(await records_of(worker, site.request())) == ["one"]


async def test_a_bug_in_one_evaluator_loses_no_other_case_and_is_told_at_the_end(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.suite("""
        - id: broken
          expected_outcome: x
          input: x
          evaluators:
            - {name: breaks, type: contains, value: x}
            - {name: works, type: icontains, value: x}
        - {id: sound, expected_outcome: x, input: x}
    """)
    replace_worker(monkeypatch, BROKEN_EVALUATOR)
    events = await events_of(worker, site.request())
    records = {it.record.eval_id: it.record.fields for it in events if isinstance(it, CaseFinished)}
    assert records["sound"]["verdict"] == "pass"
    assert records["broken"]["verdict"] == "error"
    assert "bug in suitecase" in records["broken"]["error"]
    assert [it["verdict"] for it in records["broken"]["evaluator_results"]] == ["error", "pass"]
    last = events[-1]
    assert isinstance(last, Failed)
    assert last.kind == "bug"
    assert "evaluator `breaks` (contains) in case `broken`" in last.message
    assert "ZeroDivisionError" in (last.trace or "")


async def test_a_bug_in_many_cases_names_the_first_ones(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = "evaluators: [{name: breaks, type: contains, value: x}]"
    site.suite(
        "\n".join(f"- {{id: c{it}, expected_outcome: x, input: x, {graded}}}" for it in range(30))
    )
    replace_worker(monkeypatch, BROKEN_EVALUATOR)
    last = (await events_of(worker, site.request()))[-1]
    assert isinstance(last, Failed)
    assert "in case `c7` and 22 more; everything else is graded" in last.message
    assert "`c8`" not in last.message


BROKEN_EVALUATOR = """
from dataclasses import replace
from suitecase_evaluators.grade import registry
import suitecase.run.worker as worker

async def broken(config, subject, services):
    return 1 / 0

registry._IMPORTED["contains"] = replace(registry.built_in("contains"), evaluate=broken)
worker.main()
"""


async def test_a_bug_in_a_run_is_told_with_its_trace(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_worker(
        monkeypatch,
        "import suitecase.run.worker as worker\n"
        "async def broken(request, *rest): raise ZeroDivisionError('oh')\n"
        "worker.run_suite = broken\n"
        "worker.main()",
    )
    (event,) = await events_of(worker, site.request())
    assert isinstance(event, Failed)
    assert event.kind == "bug"
    assert "ZeroDivisionError: oh" in (event.trace or "")


def talk(*lines: str, cwd: Path | None = None) -> tuple[list[dict[str, Any]], str, int]:
    """Write lines to a worker and end its input; return its events, its errors and its end."""
    done = subprocess.run(
        client.COMMAND,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        cwd=cwd,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr, done.returncode


def test_requests_that_are_none_are_reported_and_passed_over(site: Site) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    events, errors, code = talk(
        "rubbish",
        "[]",
        '{"request": "dance"}',
        '{"request": "cancel", "id": 99}',
        '{"request": "run", "id": "one"}',
        '{"request": "run", "id": 1, "suite": "a.eval.yaml"}',
        json.dumps(site.request(cases=("one",)).to_json(2)),
        # Ends before the run does: it is cancelled, and finishes nevertheless.
    )
    assert code == 0
    assert errors.count("not a request") == 4
    assert "Traceback" not in errors
    assert {event["id"] for event in events} == {1, 2}
    assert next(event for event in events if event["id"] == 1)["kind"] == "bug"
    last = [event for event in events if event["id"] == 2][-1]
    assert last["event"] == "finished"


def test_the_end_of_input_and_stop_end_the_worker_with_nothing_said() -> None:
    assert talk() == ([], "", 0)
    assert talk('{"request": "stop"}', "never read") == ([], "", 0)


def test_modules_of_the_suites_author_cannot_stand_in_for_libraries(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise SystemExit('the wrong module')")
    assert talk(cwd=tmp_path) == ([], "", 0)


def test_without_a_model_the_worker_loads_no_library_for_models(site: Site) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    program = (
        "import atexit, os, sys, suitecase.run.worker as worker\n"
        "worker.main()\n"
        "print(sorted(sys.modules), file=sys.stderr)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(site.request().to_json(1)) + "\n")
        process.stdin.flush()
        while json.loads(process.stdout.readline())["event"] != "finished":
            pass
        process.stdin.close()
        loaded = process.stderr.read()
    assert "pydantic" in loaded
    for heavy in ("litellm", "openai", "pygls", "lsprotocol", "jsonschema", "rich", "tenacity"):
        assert f"'{heavy}'" not in loaded
    for of_some_runs in ("suitecase.evidence.labels.label", "tomllib", "html"):
        assert f"'{of_some_runs}'" not in loaded
