"""Garbage is collected again after each test: a command that checks once leaves that to the end of its process."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Keep what is there before the first test out of each collection: with all tests, that is most of it."""
    gc.freeze()


def pytest_runtest_teardown() -> None:
    gc.enable()
