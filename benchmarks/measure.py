"""Processes measured from outside: processor time, wall time and peak memory, as medians."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Figures:
    """What a command took: seconds of processor and of wall time, peak memory in MB."""

    cpu: float
    wall: float
    memory: float
    exit_code: int


def keep_bytecode(folder: Path) -> None:
    """Let the run that warms up leave the bytecode of all modules, as where they are installed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")


def measure(command: Sequence[str], cwd: Path, runs: int, *, warm: bool = True) -> Figures:
    """Run a command some times; return the medians.

    Args:
        command: the command.
        cwd: where it runs.
        runs: how often it counts.
        warm: whether it runs once more before that, which matters to commands of a few seconds.
    """
    if warm:
        _once(command, cwd)
    results = [_once(command, cwd) for _ in range(runs)]
    return Figures(
        median(it.cpu for it in results),
        median(it.wall for it in results),
        median(it.memory for it in results),
        results[-1].exit_code,
    )


def _once(command: Sequence[str], cwd: Path) -> Figures:
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Figures(
        usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode
    )
