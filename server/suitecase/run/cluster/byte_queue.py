"""A stream of bytes over a queue of Dask, which its scheduler passes on.

Machine and coordinator need not reach each other: both talk to the scheduler alone. A put costs a round trip,
so bytes that are written meanwhile go with the next one.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Queue

#: The most bytes in one message; a scheduler holds some of these at a time.
MOST_BYTES = 1024 * 1024
#: The most messages that wait in a queue before a writer has to.
MOST_MESSAGES = 16
#: A message without bytes after so many seconds shows that the other side lives.
ALIVE_SECONDS = 5.0
#: A side that has been silent for so many seconds is gone. Dask itself notices most ends at once.
SILENT_SECONDS = 60.0
_ALIVE = b""


class SilentError(Exception):
    """The other side of a queue is gone."""


class QueueWriter:
    """Writes bytes to a queue, in a task of its own."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._pending: list[bytes] = []
        self._ended = False
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._send())

    def write(self, data: bytes) -> None:
        """Queue bytes for sending."""
        self._pending.append(data)
        self._changed.set()

    async def close(self) -> None:
        """Send what is queued and then the end of the stream."""
        self._ended = True
        self._changed.set()
        with suppress(Exception):
            await self._task

    def abandon(self) -> None:
        """Stop without sending the rest."""
        self._task.cancel()

    async def _send(self) -> None:
        while not (self._ended and not self._pending):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), ALIVE_SECONDS)
            self._changed.clear()
            data, self._pending = b"".join(self._pending), []
            for start in range(0, max(len(data), 1), MOST_BYTES):
                if data or not self._ended:
                    await self._queue.put(data[start : start + MOST_BYTES])
        await self._queue.put(None)


async def next_bytes(queue: Queue, *, silent_seconds: float = SILENT_SECONDS) -> bytes | None:
    """Return the next bytes of a queue; None at the end of the stream.

    Raises:
        SilentError: nothing arrived for some time, not even a sign of life.
        OSError: the scheduler cannot be reached.
    """
    while True:
        try:
            data = await queue.get(timeout=silent_seconds)
        except TimeoutError:
            raise SilentError from None
        if data != _ALIVE:
            return data if data is None else bytes(data)
