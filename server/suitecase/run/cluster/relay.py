"""The task of a worker of Dask: starts a grader and passes bytes between it and the coordinator.

The grader is a process of its own, so that neither secrets of the environment nor what it is sent are in objects that
Dask knows, and so that a grader that computes does not keep the worker from answering the scheduler.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Queue

    from suitecase.run.cluster.byte_queue import QueueWriter

#: `-P` keeps the working directory, which may contain any module, off the module path.
COMMAND = (sys.executable, "-P", "-m", "suitecase.run.cluster.grader_process")
#: Seconds that a grader has to end after its input has ended.
STOP_SECONDS = 10.0
_CHUNK = 256 * 1024


async def relay(incoming: str, outgoing: str) -> None:
    """Run a grader until the coordinator ends its stream or is gone, or the grader ends.

    Args:
        incoming: the name of the queue with bytes for the grader.
        outgoing: the name of the queue for its bytes.
    """
    from distributed import Queue, get_client

    from suitecase.run.cluster.byte_queue import QueueWriter

    client = get_client()
    source = await Queue(incoming, client=client)
    sink = await Queue(outgoing, client=client)
    output = QueueWriter(sink)
    grader = _start()
    writing = asyncio.create_task(_pass_input(grader, source))
    reading = asyncio.create_task(_pass_output(grader, output))
    try:
        await asyncio.wait({writing, reading}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        writing.cancel()
        # Whatever ended it (the coordinator, its silence, the scheduler): the grader ends, too.
        await asyncio.gather(writing, return_exceptions=True)
        await _end(grader)
        await asyncio.gather(reading, return_exceptions=True)
        await output.close()
        source.close()
        sink.close()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program
        [*COMMAND, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )


async def _pass_input(grader: subprocess.Popen[bytes], source: Queue) -> None:
    from suitecase.run.cluster.byte_queue import next_bytes

    while (data := await next_bytes(source)) is not None:
        await asyncio.to_thread(_write_all, _require_pipe(grader.stdin).fileno(), data)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


async def _pass_output(grader: subprocess.Popen[bytes], output: QueueWriter) -> None:
    descriptor = _require_pipe(grader.stdout).fileno()
    while data := await asyncio.to_thread(os.read, descriptor, _CHUNK):
        output.write(data)


def _require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("a process without a pipe")
    return pipe


async def _end(grader: subprocess.Popen[bytes]) -> None:
    """End a grader and its programs: by the end of its input, then by force."""
    if grader.stdin is not None:
        with suppress(OSError):
            grader.stdin.close()
    try:
        await asyncio.to_thread(grader.wait, STOP_SECONDS)
    except subprocess.TimeoutExpired:
        if sys.platform == "win32":
            grader.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(grader.pid, signal.SIGKILL)
        await asyncio.to_thread(grader.wait)
