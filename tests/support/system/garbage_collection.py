"""Garbage is collected again after each test: a command that checks once leaves that to the end of its process."""

from __future__ import annotations

import gc


def pytest_runtest_teardown() -> None:
    gc.enable()
