"""Waiting for a turn: at a busy target, or for what it takes a minute.

Whoever limits the time of a piece of work sets `WAITS`, and is told while that work stands in a
queue: what others keep busy is no fault of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
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

    def waited(self, seconds: float) -> None:
        """So many seconds that are over turn out to have been a wait, such as in a server's queue."""
        ...


#: The receiver of notifications, in this task and those that it starts.
WAITS: ContextVar[Waits | None] = ContextVar("suitecase_waits", default=None)


def waiting() -> AbstractContextManager[None]:
    """Notify the time limit of this work that it waits for its turn."""
    callback = WAITS.get()
    return _UNLIMITED if callback is None else _notified(callback)


#: Of work without a time limit; several may enter it at once.
_UNLIMITED = nullcontext()


@contextmanager
def _notified(callback: Waits) -> Iterator[None]:
    callback.begin()
    try:
        yield
    finally:
        callback.end()


#: Called with the name of a target that waits for its rate limit, and the seconds that the wait takes.
RATE_WAITS: ContextVar[Callable[[str, float], None] | None] = ContextVar(
    "suitecase_rate_waits", default=None
)
#: The target that is called in this task.
CALLED: ContextVar[str] = ContextVar("suitecase_called_target", default="")
#: Seconds from which on people want to know why nothing happens.
NOTICEABLE = 1.0


def waits_for_rate(seconds: float) -> None:
    """Tell that the called target is not asked for some seconds, since it allows no more requests."""
    told = RATE_WAITS.get()
    if told is not None and seconds >= NOTICEABLE:
        told(CALLED.get(), seconds)
