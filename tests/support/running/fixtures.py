"""Fixtures of the tests of runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from suitecase.run import client
from suitecase.run.client import Worker
from support.running.process_choice import in_process
from support.running.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """An empty workspace."""
    return Site(tmp_path)


@pytest.fixture
def workers_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Workers that a Python program starts are in the test's process; processes only where commands are.

    Not for targets that keep connections, which a process would close at its end.
    """
    if not in_process():
        yield
        return
    from support.running.in_process import WorkerHere, connections_forgotten

    monkeypatch.setattr(client._Process, "start", WorkerHere.start)
    with connections_forgotten():
        yield


@pytest.fixture
async def worker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Worker]:
    """A worker that is closed when the test is over; a process only where commands are."""
    if not in_process():
        yield (worker := Worker())
        await worker.close()
        return
    from support.running.in_process import WorkerHere, connections_forgotten

    monkeypatch.setattr(client._Process, "start", WorkerHere.start)
    with connections_forgotten():
        yield (worker := Worker())
        await worker.close()
