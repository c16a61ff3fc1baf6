"""A Dask cluster of processes on this machine: a scheduler and workers, as `dask` starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.running.forked import ForkedCommand

DASK = (sys.executable, "-m", "dask")
#: Other machines reach nothing of it.
LOCAL = ("--no-dashboard", "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
#: Seconds for a process of the cluster to come up, also on a busy machine.
START_SECONDS = 60


@dataclass
class DaskCluster:
    """A scheduler, and the workers that a test added to it."""

    folder: Path
    address: str
    scheduler: subprocess.Popen[Any]
    workers: list[subprocess.Popen[Any]] = field(default_factory=list)

    def add(self, *, threads: int = 2, env: Mapping[str, str] | None = None) -> int:
        """Start a worker and wait until the scheduler knows it; return its process id."""
        number = len(self.workers)
        options = (
            *("worker", self.address, "--no-nanny", *LOCAL),
            *("--nthreads", str(threads), "--name", f"worker-{number}"),
            *("--local-directory", str(self.folder)),
        )
        process = _started(self._log(number), options, self.folder, env or {})
        self.workers.append(process)
        wait_for(
            lambda: (
                "Starting established connection" in self.log(number) or process.poll() is not None
            )
        )
        assert process.poll() is None, self.log(number)
        return process.pid

    def log(self, number: int) -> str:
        """Return what a worker wrote."""
        return self._log(number).read_text()

    def _log(self, number: int) -> Path:
        return self.folder / f"worker-{number}.log"

    def stop(self) -> None:
        """End the scheduler and all workers."""
        self.scheduler.kill()
        self.scheduler.wait()
        for process in self.workers:
            process.terminate()
        for process in self.workers:
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def _started(
    log: Path, arguments: Sequence[str], folder: Path, env: Mapping[str, str]
) -> subprocess.Popen[Any]:
    """Fork a process of Dask, or start it where it has other modules."""
    with log.open("wb") as out:
        if "PYTHONPATH" in env:
            command, variables = (*DASK, *arguments), {**os.environ, **env}
            return subprocess.Popen(command, stdout=out, stderr=out, env=variables, cwd=folder)
        return ForkedCommand(
            *arguments, cwd=folder, env=env, stdout=out, stderr=out, program="dask"
        )


def start_scheduler(folder: Path, *options: str) -> tuple[subprocess.Popen[Any], str]:
    """Start a scheduler and return it with its address."""
    file = folder / "scheduler.json"
    arguments = ("scheduler", "--port", "0", *LOCAL, "--scheduler-file", str(file), *options)
    process = _started(folder / "scheduler.log", arguments, folder, {})
    wait_for(lambda: _address(file) is not None or process.poll() is not None)
    address = _address(file)
    assert address is not None, (folder / "scheduler.log").read_text()
    return process, address


def _address(file: Path) -> str | None:
    with suppress(OSError, ValueError):
        return str(json.loads(file.read_text())["address"])
    return None


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "that did not happen"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster of two workers, which no test changes; even idle, it takes a twentieth of a processor."""
    folder = tmp_path_factory.mktemp("cluster")
    process, address = start_scheduler(folder)
    cluster = DaskCluster(folder, address, process)
    try:
        cluster.add()
        cluster.add()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def own_dask_cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A cluster without workers, for one test."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    process, address = start_scheduler(folder)
    cluster = DaskCluster(folder, address, process)
    try:
        yield cluster
    finally:
        cluster.stop()
