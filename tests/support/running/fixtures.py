"""Fixtures of the tests of runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from suitecase.run.client import Worker
from support.running.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """An empty workspace."""
    return Site(tmp_path)


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    """A worker that is closed when the test is over."""
    worker = Worker()
    yield worker
    await worker.close()
