"""Fixtures of the tests of runs, and makes `suite_runs.py` importable."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from suite_runs import Site

from suitecase.run.client import Worker


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
