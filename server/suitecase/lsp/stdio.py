"""Messages over standard input and output: frames, the event loop, and the end of the process.

The library's own loop shares a thread pool between reading and handlers, answers nothing to a body
that is no JSON, and decodes objects inside out; this one reads in a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

#: How often it is looked whether the editor is still there, in seconds. The end of standard input
#: tells sooner, except where another process keeps the pipe open.
WATCH_SECONDS = 1.0
#: Seconds that the server has to end once it was asked to; what is in flight is answered in them.
LAST_SECONDS = 20.0


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for messages; returns them.

    Whatever else reads or writes them in this process or in those it starts gets an empty input,
    and standard error as its output.
    """
    sys.stdout.flush()
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device, not a path
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return reader, writer


#: A length of more digits is none. It may stand behind the rest of a message that was spoilt.
_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*$", re.IGNORECASE)
#: Nothing that is said takes more, in bytes.
LONGEST_HEADER = 1024 * 1024
LONGEST_BODY = 1024 * 1024 * 1024


class Output:
    """Writes frames; once the client is gone it writes nothing, and says so once.

    Args:
        stream: where to write.
        lost: called when the client is gone.
    """

    def __init__(self, stream: BinaryIO, lost: Callable[[], None]) -> None:
        self._stream = stream
        self._lost = lost
        self._closed = False

    def write(self, data: bytes) -> None:
        if self._closed:
            return
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._closed = True
            self._lost()

    def close(self) -> None:
        """Write nothing more."""
        self._closed = True


class FrameError(ValueError):
    """The headers of a message do not say how long it is, or say what cannot be."""


class Input:
    """Reads frames; where one is spoilt, the next one is looked for.

    Args:
        stream: where to read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lost = False

    def read(self) -> bytes | None:
        """Return the body of the next message; None at the end of the input.

        Raises:
            FrameError: it cannot be known where this message ends. What comes up to the next
                header that says a length is passed over when this is called again.
        """
        length: int | None = None
        while True:
            line = self._stream.readline(LONGEST_HEADER)
            if not line:
                return None
            found = _LENGTH.search(line)
            if found is not None:
                length = int(found[1])
                self._lost = False
            if line.strip() or self._lost:
                continue
            if length is None or length > LONGEST_BODY:
                self._lost = True
                said = "no Content-Length" if length is None else f"Content-Length: {length}"
                raise FrameError(f"a message came with {said}, and was passed over")
            body = self._stream.read(length)
            return body if len(body) == length else None


class MessageLoop:
    """Hands messages to a handler, one after the other, on the event loop of the server."""

    def __init__(self) -> None:
        self._stopped = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._watching: asyncio.Task[None] | None = None
        self._waiting: deque[bytes] = deque()
        self._last_message = self._loop.time()
        self._last: threading.Timer | None = None

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def has_more(self) -> bool:
        """Whether messages wait to be handled."""
        return bool(self._waiting)

    def quiet_for(self) -> float:
        """Return how long ago the last message came, in seconds."""
        return 0.0 if self._waiting else self._loop.time() - self._last_message

    def end_at_last(self) -> None:
        """End the process after some time, if it has not ended by itself; for any thread.

        Something that holds the event loop must not keep the server from ending.
        """
        if self._last is None:
            self._last = threading.Timer(LAST_SECONDS, os._exit, [1])
            self._last.daemon = True
            self._last.start()

    def stop(self) -> None:
        """End the loop; messages that are still waiting are not handled."""
        self._stopped.set()

    async def run(
        self,
        stream: BinaryIO,
        handle: Callable[[bytes], None],
        refuse: Callable[[str], None],
        arrived: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        """Handle messages until `stop` is called, or until the input ends.

        Args:
            stream: where messages come from.
            handle: is given the body of each.
            refuse: is told of one that cannot be read.
            arrived: is given the body of each as it arrives, in a thread of its own: others may
                still wait to be handled.
            ended: is called in that thread when the input has ended.
        """
        frames = Input(stream)

        def take() -> None:
            body = self._waiting.popleft()
            self._last_message = self._loop.time()
            if not self.stopped:
                handle(body)

        def read() -> None:
            with suppress(ValueError, OSError, RuntimeError):  # the input is closed, or the loop
                while True:
                    try:
                        body = frames.read()
                    except FrameError as error:
                        self._loop.call_soon_threadsafe(refuse, str(error))
                        continue
                    if body is None:
                        break
                    arrived(body)
                    self._waiting.append(body)
                    self._loop.call_soon_threadsafe(take)
            ended()
            with suppress(RuntimeError):  # the loop has ended before the input
                self._loop.call_soon_threadsafe(self.stop)

        # A daemon: a thread that waits for input cannot be ended, and must not keep the process.
        threading.Thread(target=read, name="input", daemon=True).start()
        await self._stopped.wait()

    def watch(self, process: int) -> None:
        """Stop when a process has ended, which is the editor's."""
        self._watching = asyncio.create_task(self._watch(process))

    async def _watch(self, process: int) -> None:
        # In a container the editor's process may have no number here: its end cannot be seen then.
        while _runs(process):
            await asyncio.sleep(WATCH_SECONDS)
            if not _runs(process):
                self.stop()


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        # Signal 0 would end it there; the end of standard input has to do.
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return process > 0
