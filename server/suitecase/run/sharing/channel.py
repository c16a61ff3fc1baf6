"""A connection between a coordinator and a grader, and the queue in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from suitecase.run.sharing.messages import Message


class ChannelClosedError(Exception):
    """The process at the other end is gone; `reason` is the end of a sentence about it, for users.

    Attributes:
        machine_left: its machine is gone, too, which is hardly the fault of what it graded.
    """

    def __init__(self, reason: str, *, machine_left: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.machine_left = machine_left


class Channel(Protocol):
    """A connection to one other process: messages arrive whole, once, and in their order.

    Messages travel in batches, since a batch costs little more than a message.
    """

    async def send(self, batch: Sequence[Message], /) -> None:
        """Send messages; returns when further ones may be sent.

        Only one task sends at a time.

        Raises:
            ChannelClosedError: the other process is gone.
        """
        ...

    async def receive(self) -> Sequence[Message]:
        """Wait for messages; returns one or more.

        Raises:
            ChannelClosedError: the other process is gone, and no more messages will come.
        """
        ...

    async def close(self, seconds: float, reason: str | None = None) -> None:
        """Wait until the other process has ended by itself, and then end it; safe to call twice.

        Args:
            seconds: the longest time to wait.
            reason: why it is ended, for `ChannelClosedError`.
        """
        ...


class Outbox:
    """Messages to send, in batches: those of one round of the event loop travel together."""

    def __init__(
        self, channel: Channel, also: Callable[[], Sequence[Message]] = lambda: ()
    ) -> None:
        """
        Args:
            also: called before each batch; its messages go before those of the batch.
        """
        self._channel = channel
        self._also = also
        self._waiting: list[Message] = []
        self._sending: asyncio.Task[None] | None = None

    def put(self, *messages: Message) -> None:
        """Send messages as soon as possible; without any, whatever `also` has."""
        self._waiting += messages
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())

    async def flush(self) -> None:
        """Wait until all messages are sent."""
        self.put()
        while self._sending is not None:
            await self._sending

    async def _send(self) -> None:
        try:
            # Whoever receives finds out that the other process is gone.
            with suppress(ChannelClosedError):
                while batch := [*self._also(), *self._taken()]:
                    await self._channel.send(batch)
        except Exception:
            # A bug of ours: the receiver must not wait for a message that cannot be sent.
            await self._channel.close(0)
            raise
        finally:
            self._sending = None

    def _taken(self) -> list[Message]:
        taken, self._waiting = self._waiting, []
        return taken
