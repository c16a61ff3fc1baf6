"""Messages over standard input and output: framing, the event loop, and the end of the process.

The loop of pygls shares a thread pool between reading and handlers, does not respond to a body that
is not JSON, and decodes objects inside out; this one reads in a thread of its own.
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

from suitecase.lsp.shown_texts import with_visible_texts

#: Seconds between checks whether the editor is still running. The end of standard input is noticed
#: sooner, unless another process keeps the pipe open.
WATCH_SECONDS = 1.0
#: Seconds the server has to exit, and to answer requests in flight, once it was asked to.
LAST_SECONDS = 20.0


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Reserve standard input and output for messages, and return them.

    Everything else in this process and its children gets an empty standard input, and standard
    error as its standard output.
    """
    sys.stdout.flush()
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device, not a path
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return reader, writer


#: A longer number is not a length. The header may follow the rest of a corrupted message.
_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*$", re.IGNORECASE)
#: Limits of messages, in bytes.
LONGEST_HEADER = 1024 * 1024
LONGEST_BODY = 1024 * 1024 * 1024


class Output:
    """Writes frames; once the client has disconnected it writes nothing, and reports that once.

    Args:
        stream: where to write.
        lost: called when the client has disconnected.
    """

    def __init__(self, stream: BinaryIO, lost: Callable[[], None]) -> None:
        self._stream = stream
        self._lost = lost
        self._closed = False

    def write(self, data: bytes) -> None:
        if self._closed:
            return
        try:
            self._stream.write(with_visible_texts(data))
            self._stream.flush()
        except (OSError, ValueError):
            self._closed = True
            self._lost()

    def close(self) -> None:
        """Stop writing."""
        self._closed = True


class FrameError(ValueError):
    """The headers of a message have no length, or an invalid one."""


class Input:
    """Reads frames; after a corrupted one, it looks for the next.

    Args:
        stream: where to read.
        skipped: called with what is skipped, line by line.
    """

    def __init__(self, stream: BinaryIO, skipped: Callable[[bytes], None] = lambda _: None) -> None:
        self._stream = stream
        self._skipped = skipped
        self._lost = False

    def read(self) -> bytes | None:
        """Return the body of the next message; None at the end of the input.

        Raises:
            FrameError: the end of this message is unknown. The next call skips everything up to the
                next header with a length.
        """
        length: int | None = None
        while True:
            line = self._stream.readline(LONGEST_HEADER)
            if not line:
                return None
            match = _LENGTH.search(line)
            before = line[: match.start()] if match is not None else line
            if before.strip():
                self._skipped(before)
            if match is not None:
                length = int(match[1])
                self._lost = False
            if line.strip() or self._lost:
                continue
            if length is None or length > LONGEST_BODY:
                self._lost = True
                problem = "no Content-Length" if length is None else f"Content-Length: {length}"
                raise FrameError(f"skipped a message with {problem}")
            body = self._stream.read(length)
            return body if len(body) == length else None


class MessageLoop:
    """Passes messages to a handler, one by one, on the server's event loop."""

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
        """Whether messages are queued."""
        return bool(self._waiting)

    def quiet_for(self) -> float:
        """Return the seconds since the last message."""
        return 0.0 if self._waiting else self._loop.time() - self._last_message

    def end_at_last(self) -> None:
        """Kill the process after some time if it has not exited by itself; callable from any
        thread.

        Blocking the event loop must not keep the server from exiting.
        """
        if self._last is None:
            self._last = threading.Timer(LAST_SECONDS, os._exit, [1])
            self._last.daemon = True
            self._last.start()

    def stop(self) -> None:
        """Stop the loop; queued messages are not handled."""
        self._stopped.set()

    async def run(
        self,
        stream: BinaryIO,
        handle: Callable[[bytes], None],
        refuse: Callable[[str], None],
        skipped: Callable[[bytes], None],
        arrived: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        """Handle messages until `stop` is called or the input ends.

        Args:
            stream: the source of messages.
            handle: called with the body of each.
            refuse: called with the reason if one cannot be read.
            skipped: called with what is neither a length nor the body of a message, line by line.
            arrived: called in the reader thread with the body of each as it arrives, before it is
                queued.
            ended: called in that thread when the input has ended.
        """

        def skip(data: bytes) -> None:
            self._loop.call_soon_threadsafe(skipped, data)

        frames = Input(stream, skip)

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

        # A daemon thread: a thread that waits for input cannot be stopped, and must not keep the
        # process alive.
        threading.Thread(target=read, name="input", daemon=True).start()
        await self._stopped.wait()

    def watch(self, process: int) -> None:
        """Stop when a process, the editor's, has exited."""
        self._watching = asyncio.create_task(self._watch(process))

    async def _watch(self, process: int) -> None:
        # In a container, the editor's process may have no id here: its end cannot be noticed then.
        while _runs(process):
            await asyncio.sleep(WATCH_SECONDS)
            if not _runs(process):
                self.stop()


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        # There, signal 0 would kill it; the end of standard input has to suffice.
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return process > 0
