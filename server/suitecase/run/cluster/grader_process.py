"""A grader on a machine of a cluster: `python -m suitecase.run.cluster.grader_process`.

Its standard input and output are the line to the coordinator, which a worker of Dask passes on. It
rebuilds the workspace in a temporary folder, grades there, and removes the folder at its end.
"""

from __future__ import annotations

import gc

# Importing hundreds of modules would set off collections that find nothing. `main` enables them.
gc.disable()

import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from suitecase.run.cluster.deliveries import Announced, Content, Lacking, Rebuilt
from suitecase.run.cluster.travelling import Traveller
from suitecase.run.cluster.unpacking import BadParcelError, RebuiltWorkspace
from suitecase.run.lifetime import end_with_client
from suitecase.run.sharing.channel import ChannelClosedError
from suitecase.run.sharing.grader import serve
from suitecase.run.sharing.messages import Message
from suitecase.run.sharing.setup import Setup
from suitecase_evaluators.targets.sandbox.strays import adopt_orphans

_CHUNK = 256 * 1024


class StreamChannel:
    """The channel to the coordinator, over two file descriptors."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._outgoing = outgoing
        self._traveller = Traveller()
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def read() -> None:
            data = b"begin"
            while data:
                try:
                    data = os.read(incoming, _CHUNK)
                except OSError:
                    data = b""
                try:
                    loop.call_soon_threadsafe(self._arrived.put_nowait, data)
                except RuntimeError:
                    return  # the loop has ended

        threading.Thread(target=read, daemon=True).start()

    def is_in(self, root: Path) -> None:
        """Let paths of the workspace be in another folder from now on."""
        self._traveller.is_in(root)

    async def send(self, batch: Sequence[Message]) -> None:
        """Send messages.

        Raises:
            ChannelClosedError: nobody reads them.
        """
        await self.send_one(list(batch))

    async def send_one(self, message: object) -> None:
        """Send a message of any kind.

        Raises:
            ChannelClosedError: nobody reads it.
        """
        data = self._traveller.packed(message)
        try:
            await asyncio.to_thread(_write_all, self._outgoing, data)
        except OSError:
            raise ChannelClosedError("its line broke") from None

    async def receive(self) -> Sequence[Message]:
        """Wait for messages.

        Raises:
            ChannelClosedError: there will be no more.
        """
        batches = await self.receive_some()
        return [_with_text_of_replay(message) for batch in batches for message in batch]

    async def receive_some(self) -> list[Any]:
        """Wait for messages of any kind.

        Raises:
            ChannelClosedError: there will be no more.
        """
        while True:
            data = await self._arrived.get()
            if not data:
                self._arrived.put_nowait(b"")
                raise ChannelClosedError("its line ended")
            if messages := self._traveller.unpacked(data):
                return messages

    async def close(self, seconds: float, reason: str | None = None) -> None:
        """Do nothing: the process ends with its channel."""


def _with_text_of_replay(message: Message) -> Message:
    # It travels as a path, so that it arrives as one in this workspace.
    if isinstance(message, Setup) and message.replay is not None:
        return replace(message, replay=str(message.replay))
    return message


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


async def grade(channel: StreamChannel) -> None:
    """Rebuild the workspace and grade in it, until the coordinator has no more cases or is gone."""
    (announced,) = await channel.receive_some()
    if not isinstance(announced, Announced):
        raise TypeError("the first message does not say what the workspace consists of")
    workspace: RebuiltWorkspace | None = None
    try:
        workspace = await asyncio.to_thread(RebuiltWorkspace, announced.name)
        channel.is_in(workspace.root)
        await _rebuild(workspace, announced, channel)
        await channel.send_one(Rebuilt())
        os.chdir(workspace.root)
        await serve(channel)
    except (OSError, BadParcelError) as error:
        await channel.send_one(Rebuilt(problem=f"the files cannot be written there: {error}"))
    finally:
        os.chdir(tempfile.gettempdir())
        if workspace is not None:
            await asyncio.to_thread(workspace.remove)


async def _rebuild(
    workspace: RebuiltWorkspace, announced: Announced, channel: StreamChannel
) -> None:
    await asyncio.to_thread(workspace.make, announced.folders)
    lacking = await asyncio.to_thread(workspace.copy, announced.items, announced.nearby)
    await channel.send_one(Lacking(str(workspace.root), tuple(lacking)))
    while lacking:
        for content in await channel.receive_some():
            if isinstance(content, Content):
                items = lacking.pop(content.digest, [])
                await asyncio.to_thread(workspace.write, items, content.data)


async def _main(incoming: int, outgoing: int) -> None:
    with suppress(ChannelClosedError):
        await grade(StreamChannel(incoming, outgoing))


def main(relay: str) -> None:
    """Reserve standard input and output for the line, and grade.

    Args:
        relay: the process id of the worker of Dask.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    end_with_client(relay, incoming, lambda _: None)
    adopt_orphans()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Output of libraries and programs goes to standard error.
    os.dup2(2, 1)
    # What is imported by now stays.
    gc.freeze()
    gc.enable()
    asyncio.run(_main(incoming, outgoing))


if __name__ == "__main__":
    main(sys.argv[1])
    # Do not wait for threads that are still loading a library.
    os._exit(0)
