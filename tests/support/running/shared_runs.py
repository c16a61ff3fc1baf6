"""Runs whose cases several processes grade, and those processes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from support.running.forked import FORKED, ForkedCommand
from support.running.site import Ran, Site
from support.system.processes_left import MARK, executes, processes, wait_until_gone

#: The modules that the processes of a run execute.
WORKER = "suitecase.run.worker_process"
GRADER = "suitecase.run.sharing.child"


class SharedRun:
    """A run in the background, all of whose processes are found by a mark."""

    def __init__(self, site: Site, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self._mark = uuid4().hex
        self._forked = site.root.parent / f"forked-{self._mark}"
        variables = {**(env or {}), MARK: self._mark, FORKED: str(self._forked)}
        self._process = ForkedCommand("run", *arguments, cwd=site.root, env=variables)

    def pids(self, module: str) -> list[int]:
        """Return the ids of the processes that execute a module."""
        return [pid for pid in processes(self._mark) if executes(pid, module)]

    def started(self, module: str) -> int:
        """Return how many processes have been started that execute a module."""
        return self._forked.read_text("utf-8").splitlines().count(module)

    def kill(self, module: str, *, one: bool = False) -> None:
        """Kill the processes that execute a module, or one of them."""
        pids = self.pids(module)
        assert pids, f"no process executes {module}"
        for pid in pids[:1] if one else pids:
            os.kill(pid, signal.SIGKILL)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process that the user has started."""
        self._process.send_signal(number)

    def ended(self) -> Ran:
        """Wait until the run is over and nothing is left of it."""
        out, err = self._process.communicate(timeout=60)
        wait_until_gone(self._mark)
        return Ran(self._process.returncode, out, err)

    def close(self) -> None:
        """End what still runs."""
        for pid in processes(self._mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.communicate(timeout=30)


@contextmanager
def shared_run(site: Site, *arguments: str, **rest: Any) -> Iterator[SharedRun]:
    """Start a run; it is over when the context is."""
    run = SharedRun(site, *arguments, **rest)
    try:
        yield run
    finally:
        run.close()


class Gate:
    """Holds back some requests of a server until it is opened, and says when one has come."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._opened = threading.Event()

    def wait(self) -> None:
        """Wait until the gate is open."""
        self.reached.set()
        self._opened.wait(60)

    def open(self) -> None:
        """Let all requests pass, from now on."""
        self._opened.set()
