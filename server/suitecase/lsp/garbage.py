"""Garbage collection while the server is idle.

A full collection visits every object. With thousands of cases in memory that takes longer than
everything else a keystroke costs, and mostly frees nothing: the parts of a suite live as long as it does.
So new objects are collected, and those that survived are frozen and not visited again. But a case that is
edited leaves trees and models that refer to each other, which only a full collection frees once they are
frozen. One is due when there are so many more objects than the last one left: memory then stays in proportion to what
is in use, over any number of edits.

What packed trees of a long suite were unpacked to is released, too.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable

from suitecase.text.node import release_entries
from suitecase.text.recent import forget_unused

#: Seconds between checks for something to collect.
EVERY = 1.0
#: Seconds of silence after which the client counts as idle.
IDLE = 0.4
#: This many new objects are worth a collection,
SOME = 20_000
#: and this many come from parsing, nearly all of which stay.
MANY = 400_000
#: Everything is collected once there are so many more objects than after the last time, or half as many again,
#: whichever is more; and after twice as many, also while the client is busy.
GROWTH = 200_000
SHARE = 0.5
#: Everything is collected also after so many sets of files were read again, each of which has their texts.
WORKSPACES = 200
#: A full collection may be disturbed by the next keystroke: it waits for so many times as long a silence as the
#: last one took.
SILENCE = 3.0


class GarbageCollection:
    """Collects new objects; those that survived are frozen until everything is collected.

    Args:
        quiet_for: returns the seconds since the client's last message.
        closed_count: returns how many documents have been closed; afterwards a full collection is due.
        workspace_count: returns how many sets of files have been read.
    """

    def __init__(
        self,
        quiet_for: Callable[[], float],
        closed_count: Callable[[], int],
        workspace_count: Callable[[], int] = lambda: 0,
    ) -> None:
        self._quiet_for = quiet_for
        self._closed_count = closed_count
        self._workspace_count = workspace_count
        self._last_closed_count = 0
        self._last_workspace_count = 0
        #: The objects that the last full collection left, and the seconds that it took.
        self._left = 0
        self._took = 0.0
        gc.disable()

    async def run(self) -> None:
        """Collect garbage when due, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            self.collect(self._quiet_for())

    def collect(self, quiet_for: float) -> None:
        """Collect what is due.

        Args:
            quiet_for: the seconds since the client's last message.
        """
        idle = quiet_for >= IDLE
        if idle:
            release_entries()
        new = gc.get_count()[0]
        if self._is_full_due(new, idle=idle) and (
            not idle or quiet_for >= min(SILENCE * self._took, EVERY)
        ):
            self._collect_all()
        elif SOME < new <= MANY and idle:
            gc.collect(0)
            gc.freeze()
        elif new > MANY:
            gc.freeze()

    def _is_full_due(self, new: int, *, idle: bool) -> bool:
        if idle and (
            self._closed_count() != self._last_closed_count
            or self._workspace_count() - self._last_workspace_count >= WORKSPACES
        ):
            return True
        if new <= (SOME if idle else MANY):
            return False
        allowed = max(GROWTH, SHARE * self._left)
        grown = gc.get_freeze_count() + new - self._left
        return grown > (allowed if idle else 2 * allowed)

    def _collect_all(self) -> None:
        began = time.perf_counter()
        self._last_closed_count = self._closed_count()
        self._last_workspace_count = self._workspace_count()
        forget_unused()
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._left = gc.get_freeze_count()
        self._took = time.perf_counter() - began
