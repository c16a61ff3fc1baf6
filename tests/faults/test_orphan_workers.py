"""A worker ends when its starter is killed, whatever it computes, with all that it forked."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

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


@pytest.mark.skipif(sys.platform == "win32", reason="the lifeline is a named pipe")
@pytest.mark.parametrize("kind", COMPUTING)
async def test_it_ends_with_its_starter(site: Site, tmp_path: Path, kind: str) -> None:
    lifeline = Lifeline(site.root)
    grading = "\n".join(
        (
            f"held = os.open({str(lifeline.path)!r}, os.O_WRONLY)",
            f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))",
            "os.write(held, b'begun\\n')",
            COMPUTING[kind],
        )
    )
    package = install(
        tmp_path / "packages",
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
        cwd=site.root,
        env={**os.environ, "PYTHONPATH": str(package)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with lifeline.begun() as stream:
            starter.send_signal(signal.SIGKILL)
            await starter.wait()
            await gone(stream, within=GRACE_SECONDS + 10)
    finally:
        if starter.returncode is None:
            starter.kill()
        with suppress(ProcessLookupError, FileNotFoundError):
            os.killpg(int((tmp_path / "pid").read_text()), signal.SIGKILL)
