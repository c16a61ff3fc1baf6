"""What a function allocates, by `tracemalloc`: counts of bytes, which no load of the machine changes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def held_by(make: Callable[[], object]) -> int:
    """Return the bytes that what a function makes holds."""
    with _traced():
        made = make()
        held = tracemalloc.get_traced_memory()[0]
        del made
    return held


def peak_of(work: Callable[[], object]) -> int:
    """Return the bytes that a function holds at most while it works."""
    with _traced():
        work()
        return tracemalloc.get_traced_memory()[1]


@contextmanager
def _traced() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
