"""Which processes are left of what a test started, by a variable that they all inherit."""

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
                if named and state != "Z":
                    found.append(int(folder.name))
    return found


def wait_until_gone(*marks: str) -> None:
    """Wait until nothing is left of what was started with some marks."""
    deadline = time.monotonic() + 30
    while left := [it for mark in marks for it in processes(mark)]:
        assert time.monotonic() < deadline, f"{left} still run"
        time.sleep(0.05)
