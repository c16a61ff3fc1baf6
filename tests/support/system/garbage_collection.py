"""No garbage is collected while tests are collected, and it is again after each test.

Collecting tests makes many objects that stay, and looking through all of them again and again takes a fifth
of the time. A command that checks once leaves garbage to the end of its process.
"""

from __future__ import annotations

import gc


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep what is there before the first test out of each collection: with all tests, that is most of it."""
    gc.freeze()
    gc.enable()


def pytest_runtest_teardown() -> None:
    gc.enable()
