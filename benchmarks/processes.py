"""The processes of a command that runs, as Linux lists them."""

from __future__ import annotations

import re
import time
from pathlib import Path


def worker_of(parent: int, patience: float = 30.0) -> int:
    """Return the process id of the worker that a command started.

    Raises:
        TimeoutError: it started none.
    """
    until = time.perf_counter() + patience
    while time.perf_counter() < until:
        for child in children_of(parent):
            if b"suitecase.run.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
        time.sleep(0.02)
    raise TimeoutError(f"process {parent} started no worker")


def children_of(parent: int) -> list[int]:
    """Return the process ids of the children of all threads of a process."""
    lists = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(it) for path in lists for it in path.read_text().split()]


def peak_of(process: int) -> float:
    """Return the most memory that a process has had, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    match = re.search(r"VmHWM:\s+(\d+)", status)
    return int(match[1]) / 1024 if match else 0.0
