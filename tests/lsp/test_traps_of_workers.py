"""A worker that dies, hangs or sends garbage is reported, and the next run starts another one."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.lsp.client import RawClient
from support.suites.slow import GREET, SLOW, slow_suite

Start = Callable[..., Awaitable[RawClient]]
LENSES = {"workspace": {"codeLens": {"refreshSupport": True}}}
#: A server whose patience with its worker ends when the test says so, and comes back on another signal.
IMPATIENT = """
import signal, sys
from suitecase.lsp import server
from suitecase.run import client
usual = client.SILENT_SECONDS
signal.signal(signal.SIGUSR1, lambda *_: setattr(client, "SILENT_SECONDS", 1.0))
signal.signal(signal.SIGUSR2, lambda *_: setattr(client, "SILENT_SECONDS", usual))
sys.exit(server.main())
"""
#: A server whose worker is another program, until the test says that it is the right one again.
REPLACED = """
import signal, sys
from suitecase.lsp import server
from suitecase.run import client
right = client.COMMAND
client.COMMAND = (sys.executable, "-c", PROGRAM)
signal.signal(signal.SIGUSR1, lambda *_: setattr(client, "COMMAND", right))
sys.exit(server.main())
"""


def children(pid: int) -> list[int]:
    return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_worker_that_hangs_is_noticed_and_replaced(start: Start, tmp_path: Path) -> None:
    client = await start(script=IMPATIENT)
    await client.initialize(LENSES, root=tmp_path)
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    execute = {"command": "suitecase.runSuite", "arguments": [uri]}
    id_ = client.begin("workspace/executeCommand", execute)
    await client.lenses(uri, "○ rehearsed")
    (worker,) = children(client.process.pid)
    os.kill(worker, signal.SIGSTOP)
    os.kill(client.process.pid, signal.SIGUSR1)

    # The server itself does not wait for it.
    place = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 6}}
    assert await client.request("textDocument/hover", place) is not None
    broken = await client.answer(id_)
    os.kill(client.process.pid, signal.SIGUSR2)
    again = await client.run("runCase", uri, "quick")

    assert [it["id"] for it in broken["cases"]] == ["quick"]
    assert "The run broke off: the worker process did not respond for 1 s" in broken["problem"]
    shown = await client.message("window/showMessage")
    assert shown["message"] == broken["problem"]
    assert again["cases"] == [{"id": "quick", "verdict": "rehearsed", "score": 1.0}]
    assert worker not in children(client.process.pid)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import sys; sys.exit('no luck today')", "exit code 1"),
        ("print('Welcome to Python!', flush=True); input(); input()", "Welcome to Python!"),
        (
            "import os; os.write(1, b'\\x00\\xff' * 1000 + b'\\n'); input(); input()",
            "an invalid event",
        ),
    ],
    ids=["ends at once", "greets", "writes bytes"],
)
async def test_a_program_that_is_no_worker_is_told_of(
    start: Start, tmp_path: Path, program: str, told: str
) -> None:
    client = await start(script=REPLACED.replace("PROGRAM", repr(program)))
    await client.initialize(LENSES, root=tmp_path)
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    client.open(uri, GREET)
    broken = await client.run("runSuite", uri)
    findings = await client.diagnostics(uri)
    os.kill(client.process.pid, signal.SIGUSR1)
    again = await client.run("runCase", uri, "greet")

    assert told in broken["problem"]
    assert broken["cases"] == findings == []
    assert [it["verdict"] for it in again["cases"]] == ["fail"]
    assert again["problem"] is None
