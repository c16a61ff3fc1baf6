"""A channel over a socket between two processes of one machine."""

from __future__ import annotations

import asyncio
import pickle
import socket
from collections.abc import Sequence
from typing import Self

from suitecase.run.sharing.channel import ChannelClosedError
from suitecase.run.sharing.messages import Message

#: Each batch is preceded by its length, in so many bytes.
_LENGTH = 8
#: How many bytes are read at once.
_CHUNK = 1 << 18


class StreamChannel:
    """A channel over a connected socket; both ends are processes of ours, of the same version."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._received = bytearray()

    @classmethod
    async def over(cls, ours: socket.socket) -> Self:
        """Return the channel over a socket, which it closes."""
        return cls(*await asyncio.open_connection(sock=ours, limit=_CHUNK))

    async def send(self, batch: Sequence[Message]) -> None:
        """Send messages.

        Raises:
            ChannelClosedError: the other process is gone.
        """
        data = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
        self._writer.write(len(data).to_bytes(_LENGTH) + data)
        try:
            await self._writer.drain()
        except OSError as error:
            raise ChannelClosedError("is gone") from error

    async def receive(self) -> Sequence[Message]:
        """Wait for messages.

        Raises:
            ChannelClosedError: the other process is gone.
        """
        messages: list[Message] = []
        while not messages:
            try:
                chunk = await self._reader.read(_CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                raise ChannelClosedError("is gone")
            self._received += chunk
            self._take(messages)
        return messages

    def _take(self, messages: list[Message]) -> None:
        """Take the batches that have arrived completely."""
        start = 0
        while (begin := start + _LENGTH) <= len(self._received):
            end = begin + int.from_bytes(self._received[start:begin])
            if end > len(self._received):
                break
            # Only the two processes have the socket.
            messages += pickle.loads(self._received[begin:end])  # noqa: S301
            start = end
        del self._received[:start]

    async def close(self, seconds: float, reason: str | None = None) -> None:
        """Close this end."""
        self._writer.close()
