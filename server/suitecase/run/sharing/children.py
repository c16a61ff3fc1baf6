"""Graders that are child processes of the coordinator."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from suitecase.run.process_ending import process_ending
from suitecase.run.sharing.channel import Channel, ChannelClosedError
from suitecase.run.sharing.grading_jobs import NoGraderError
from suitecase.run.sharing.messages import Message
from suitecase.run.sharing.stream_channel import StreamChannel
from suitecase_evaluators.targets.sandbox.strays import LAUNCHERS

#: `-P` keeps the working directory, which may contain any module, off the module path.
COMMAND = (sys.executable, "-P", "-m", "suitecase.run.sharing.child")
#: Seconds for a child to end after it has closed its socket.
ENDING_SECONDS = 1.0


class Children:
    """Starts children; some of them before they are needed, since each imports for a while."""

    def __init__(self) -> None:
        self._early: deque[asyncio.Task[Channel]] = deque()

    def start(self, number: int) -> None:
        """Start children that `connect` returns later."""
        self._early.extend(asyncio.create_task(_start()) for _ in range(number))

    async def connect(self) -> Channel:
        """Return a channel to a child.

        Raises:
            NoGraderError: it cannot be started.
        """
        return await (self._early.popleft() if self._early else _start())

    async def close(self) -> None:
        """End the children that nobody needed."""
        while self._early:
            with suppress(NoGraderError):
                await (await self._early.popleft()).close(0)


async def _start() -> Channel:
    """Start a child.

    Raises:
        NoGraderError: it cannot be started.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = await asyncio.create_subprocess_exec(
                *COMMAND, str(theirs.fileno()), pass_fds=(theirs.fileno(),)
            )
        except OSError as error:
            ours.close()
            raise NoGraderError(
                f"a process that grades could not be started: {error.strerror or error}"
            ) from error
    return await _Child.of(ours, process)


class _Child(StreamChannel):
    """A channel to a child."""

    process: asyncio.subprocess.Process
    _reason: str | None = None

    @classmethod
    async def of(cls, ours: socket.socket, process: asyncio.subprocess.Process) -> Self:
        """Return the channel over a socket whose other end a process has."""
        channel = await cls.over(ours)
        channel.process = process
        return channel

    async def receive(self) -> Sequence[Message]:
        try:
            return await super().receive()
        except ChannelClosedError:
            await self._end(ENDING_SECONDS)
            raise ChannelClosedError(
                self._reason or process_ending(self.process.returncode)
            ) from None

    async def close(self, seconds: float, reason: str | None = None) -> None:
        self._reason = self._reason or reason
        await self._end(seconds)
        await super().close(seconds)
        # Its programs end with it, but for those that ran away from their launcher.
        await LAUNCHERS.end_strays()

    async def _end(self, seconds: float) -> None:
        """Wait until the process has ended; kill it if it does not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.process.wait()
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
