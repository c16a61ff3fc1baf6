"""Spaces requests evenly, so that no minute has more of them than a provider allows."""

from __future__ import annotations

import asyncio


class RateLimit:
    """At most `per_minute` requests a minute, one after the other at even distances.

    None lets everything through. One object may be shared by all questions of an event loop.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Return when the next request may go out."""
        if not self._interval:
            return
        now = asyncio.get_running_loop().time()
        turn = max(self._next, now)
        # Taken before waiting, so that whoever comes next queues up behind.
        self._next = turn + self._interval
        if turn > now:
            await asyncio.sleep(turn - now)
