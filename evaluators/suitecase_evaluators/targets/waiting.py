"""Waiting for a turn: at a busy target, or for what it takes a minute.

Whoever limits the time of a piece of work sets `WAITS`, and is told while that work stands in a
queue: what others keep busy is no fault of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Waits(Protocol):
    """Is notified of waits; there may be several at once."""

    def begin(self) -> None:
        """A wait begins."""
        ...

    def end(self) -> None:
        """A wait that began is over, or was given up."""
        ...


#: The receiver of notifications, in this task and those that it starts.
WAITS: ContextVar[Waits | None] = ContextVar("suitecase_waits", default=None)


@contextmanager
def waiting() -> Iterator[None]:
    """Notify the time limit of this work that it waits for its turn."""
    callback = WAITS.get()
    if callback is None:
        yield
        return
    callback.begin()
    try:
        yield
    finally:
        callback.end()
