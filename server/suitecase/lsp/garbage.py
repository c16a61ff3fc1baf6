"""Garbage collection while the server is idle.

A full collection visits every object. With thousands of cases in memory that takes longer than
everything else a keystroke costs, and frees nothing: the parts of a suite live as long as it does.
What packed trees of a long suite were unpacked to is released, too.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

from suitecase.syntax.node import release_entries

#: Seconds between checks for something to collect.
EVERY = 1.0
#: Seconds of silence after which the client counts as idle.
IDLE = 0.4
#: This many new objects are worth a collection,
SOME = 20_000
#: and this many come from parsing, nearly all of which stay.
MANY = 400_000


class GarbageCollection:
    """Collects new objects; those that survived are frozen and not visited again.

    Args:
        quiet_for: returns the seconds since the client's last message.
        closed_count: returns how many documents have been closed; afterwards a full collection is due.
    """

    def __init__(self, quiet_for: Callable[[], float], closed_count: Callable[[], int]) -> None:
        self._quiet_for = quiet_for
        self._closed_count = closed_count
        self._last_closed_count = 0
        gc.disable()

    async def run(self) -> None:
        """Collect garbage when due, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            self._collect(idle=self._quiet_for() >= IDLE)

    def _collect(self, *, idle: bool) -> None:
        if idle:
            release_entries()
        new = gc.get_count()[0]
        if idle and self._closed_count() != self._last_closed_count:
            self._last_closed_count = self._closed_count()
            gc.unfreeze()
            gc.collect()
        elif SOME < new <= MANY and idle:
            gc.collect(0)
        elif new <= MANY:
            return
        gc.freeze()
