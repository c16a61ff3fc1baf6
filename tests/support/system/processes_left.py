"""Which processes are left of what a test started, by a variable that they all inherit, and what each executes.

A process that is forked has the environment and the command line of another, and a name and a file of its own:
see `support.running.forked`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

#: Set for what is started, and inherited by all that it starts.
MARK = "SUITECASE_CHAOS_RUN"

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="/proc tells which processes are left"
)


def processes(mark: str) -> list[int]:
    """Return the processes that a run started, itself included."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                named = f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0")
                if state != "Z" and (named or f"/memfd:{mark} " in _mapped(folder)):
                    found.append(int(folder.name))
    return found


def _mapped(folder: Path) -> str:
    forked = b"forked.py\0" in (folder / "cmdline").read_bytes()
    return (folder / "maps").read_text() if forked else ""


def executes(pid: int, module: str) -> bool:
    """Return whether a process executes a module of Suitecase."""
    folder = Path(f"/proc/{pid}")
    with suppress(OSError):
        words = (folder / "cmdline").read_bytes().split(b"\0")
        name = (folder / "comm").read_text().strip()
        return module.encode() in words or name == module.rpartition(".")[2]
    return False


def worker_of(starter: int) -> int:
    """Return the process id of the worker that a command started."""
    children = Path(f"/proc/{starter}/task/{starter}/children").read_text().split()
    (worker,) = (int(pid) for pid in children if executes(int(pid), "suitecase.run.worker_process"))
    return worker


def wait_until_gone(*marks: str) -> None:
    """Wait until nothing is left of what was started with some marks."""
    deadline = time.monotonic() + 30
    while left := [it for mark in marks for it in processes(mark)]:
        assert time.monotonic() < deadline, f"{left} still run"
        time.sleep(0.05)
