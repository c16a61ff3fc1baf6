"""A worker ends when its starter is killed, whatever it computes, with all that it forked."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from suitecase.run import lifetime
from suitecase.run.watchdog import GRACE_SECONDS
from support.evaluators.packages import install, module
from support.running.processes import COMMAND_LINE
from support.running.site import Site
from support.system.sandboxed_programs import Lifeline, gone

#: What a third party's evaluator may do, each of which holds up something else of the worker.
COMPUTING = {
    # Nothing else of the process runs meanwhile, its threads included.
    "a regular expression": "re.search('(a+)+$', 'a' * 80 + 'b')",
    "a busy loop": "while True: pass",
    "a thread": "await asyncio.to_thread(lambda: [None for _ in iter(int, 1)])",
    "a fork": "os.fork()\nwhile True: pass",
}


@dataclass
class Busy:
    """A run whose worker computes; `alive` ends when the worker and all that it forked have."""

    starter: asyncio.subprocess.Process
    worker: int
    alive: asyncio.StreamReader


@asynccontextmanager
async def computing(site: Site, folder: Path, how: str) -> AsyncIterator[Busy]:
    """Start a run whose evaluator computes in a given way, and wait until it does."""
    lifeline = Lifeline(site.root)
    grading = "\n".join(
        (
            f"held = os.open({str(lifeline.path)!r}, os.O_WRONLY)",
            f"open({str(folder / 'pid')!r}, 'w').write(str(os.getpid()))",
            "os.write(held, b'begun\\n')",
            how,
        )
    )
    package = install(
        folder / "packages",
        "acme",
        {"acme": "acme:acme"},
        {"acme": module("", grading, top="import asyncio, os, re")},
    )
    site.suite(
        "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: acme}]}",
        head="execution: {target: mock}",
    )
    starter = await asyncio.create_subprocess_exec(
        *COMMAND_LINE,
        "run",
        "a.eval.yaml",
        "--repeat=100000",
        "--concurrency=1",
        cwd=site.root,
        env={**os.environ, "PYTHONPATH": str(package)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with lifeline.begun() as stream:
            yield Busy(starter, int((folder / "pid").read_text()), stream)
    finally:
        if starter.returncode is None:
            starter.kill()
        # The loop must not close before it has seen the end: the transport would stay open.
        await starter.wait()
        with suppress(ProcessLookupError, FileNotFoundError):
            os.killpg(int((folder / "pid").read_text()), signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="the lifeline is a named pipe")
@pytest.mark.parametrize("kind", COMPUTING)
async def test_it_ends_with_its_starter(site: Site, tmp_path: Path, kind: str) -> None:
    async with computing(site, tmp_path, COMPUTING[kind]) as run:
        run.starter.send_signal(signal.SIGKILL)
        await run.starter.wait()
        await gone(run.alive, within=GRACE_SECONDS + 10)


@pytest.mark.skipif(sys.platform != "linux", reason="looks the watchdog up in /proc")
@pytest.mark.parametrize("kind", ["a busy loop", "a fork"])
async def test_it_ends_with_its_starter_and_its_watchdog(
    site: Site, tmp_path: Path, kind: str
) -> None:
    async with computing(site, tmp_path, COMPUTING[kind]) as run:
        for watchdog in _watchdogs_of(run.worker):
            os.kill(watchdog, signal.SIGKILL)
        run.starter.send_signal(signal.SIGKILL)
        await run.starter.wait()
        await gone(run.alive, within=lifetime.GRACE_SECONDS + 10)


@pytest.mark.skipif(sys.platform != "linux", reason="looks the watchdog up in /proc")
async def test_a_watchdog_that_is_killed_is_replaced(site: Site, tmp_path: Path) -> None:
    async with computing(site, tmp_path, COMPUTING["a thread"]) as run:
        (killed,) = _watchdogs_of(run.worker)
        os.kill(killed, signal.SIGKILL)
        async with asyncio.timeout(20):
            # Nothing tells when a process starts.
            while _watchdogs_of(run.worker) in ([], [killed]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


def _command_line(pid: str) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _watchdogs_of(worker: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{worker}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # threads and processes end meanwhile
            children = (task / "children").read_text().split()
            found += [int(it) for it in children if b"watchdog" in _command_line(it)]
    return found
