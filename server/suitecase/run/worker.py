"""What a worker process does; `suitecase.run.worker_process` is its program.

Everything that takes time, memory or money happens here, so that the language server stays fast.
The protocol is described in `suitecase.run.protocol`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from suitecase.run.event_lines import event_line
from suitecase.run.lifetime import end_with_client
from suitecase.run.protocol import (
    ALIVE,
    ALIVE_SECONDS,
    BACKGROUND,
    LAST_EVENTS,
    STARTER,
    Event,
    Failed,
    Finished,
    RunRequest,
    Started,
)
from suitecase.run.session import run_suite
from suitecase.run.too_few_resources import allow_more_files, why_too_few
from suitecase.text.encoders.terminal import encoded_line
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.targets.sandbox.strays import adopt_orphans

#: Seconds to cancel runs, end their programs and write the last events.
STOP_SECONDS = 4.0
#: Seconds to wait for events to be written before a run goes on.
FLUSH_SECONDS = 1.0
#: Objects allocated between two collections of garbage. A case allocates some thousands, nearly all of
#: which are gone without a collection when it ends.
ALLOCATIONS = 20_000
#: Seconds between two writes of events, and the maximum number of events in one.
BETWEEN_WRITES = 0.02
MOST_LINES = 500
#: So many bytes of events may be queued when a further case starts.
MOST_QUEUED = 8 * 1024 * 1024
#: Seconds between two looks at the queue while it is longer.
QUEUE_SECONDS = 0.02
#: The niceness of a worker in the background and its programs.
NICENESS = 5


class EventWriter:
    """Writes events from a thread, so that a client may read slowly for a while."""

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._lines: queue.SimpleQueue[bytes | threading.Event | None] = queue.SimpleQueue()
        #: The bytes that were queued, and those that were written, since the start.
        self._queued = 0
        self._written = 0
        #: Set when queued events are to be written without a pause.
        self._urgent = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def put(self, run_id: int, event: Event) -> None:
        """Queue an event."""
        line = event_line(event, run_id)
        self._queued += len(line)
        self._lines.put(line)
        if isinstance(event, LAST_EVENTS):
            self._urgent.set()

    async def ready(self) -> None:
        """Wait until few events are queued: a run must not be far ahead of a client that reads slowly."""
        while self._queued - self._written > MOST_QUEUED and self._thread.is_alive():  # noqa: ASYNC110
            await asyncio.sleep(QUEUE_SECONDS)  # a thread writes, which is not to wait for the loop

    def put_alive(self) -> None:
        """Queue a heartbeat."""
        line = json.dumps(ALIVE).encode() + b"\n"
        self._queued += len(line)
        self._lines.put(line)

    def flush(self) -> None:
        """Wait until all queued events are written, unless the client reads slowly."""
        flushed = threading.Event()
        self._lines.put(flushed)
        self._urgent.set()
        flushed.wait(FLUSH_SECONDS)

    def close(self) -> None:
        """Wait until all events are written, or the client is gone."""
        self._lines.put(None)
        self._urgent.set()
        self._thread.join(STOP_SECONDS)

    def _write(self) -> None:
        ended = False
        written_at = 0.0
        while not ended:
            waiting = [self._lines.get()]
            # Of a stream of events, each would wake this thread and the client.
            self._urgent.wait(max(written_at + BETWEEN_WRITES - time.monotonic(), 0.0))
            self._urgent.clear()
            with suppress(queue.Empty):  # what else is queued is written at once
                while len(waiting) < MOST_LINES:
                    waiting.append(self._lines.get_nowait())
            rest = memoryview(b"".join(it for it in waiting if isinstance(it, bytes)))
            try:
                while rest:
                    written = os.write(self._descriptor, rest)
                    self._written += written
                    rest = rest[written:]
            except OSError:
                self._on_broken()
                return
            written_at = time.monotonic()
            for it in waiting:
                if isinstance(it, threading.Event):
                    it.set()
            ended = None in waiting


class Server:
    """Starts and cancels runs, and passes on their events."""

    def __init__(self, output: EventWriter) -> None:
        self._output = output
        self._runs: dict[int, asyncio.Task[None]] = {}
        #: Cancelled runs, with the reason; None if the client cancelled it.
        self._cancelled: dict[int, str | None] = {}
        #: Runs that clean up after their last event.
        self._over: set[int] = set()

    def handle(self, line: bytes) -> bool:
        """Handle a request; return whether to go on.

        An invalid line is reported on standard error.
        """
        try:
            message = json.loads(line)
            kind = message["request"]
        except (ValueError, KeyError, TypeError, RecursionError):
            _complain(f"not a request: {line[:200]!r}")
            return True
        match message, kind:
            case _, "stop":
                return False
            case {"id": int(run_id)}, "run" if run_id not in self._runs:
                self._start(run_id, message)
            case {"id": int(run_id)}, "cancel":
                self._cancel(run_id)
            case _:
                _complain(f"not a request: {line[:200]!r}")
        return True

    async def send_heartbeats(self) -> None:
        """Send heartbeats while there are runs, until cancelled.

        They come from the event loop: if that is blocked, no run makes progress.
        """
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            if self._runs:
                self._output.put_alive()

    async def stop(self, reason: str) -> None:
        """Cancel all runs and wait until they have cleaned up.

        Args:
            reason: for the summaries of the runs.
        """
        for run_id in list(self._runs):
            self._cancel(run_id, reason)
        if self._runs:
            await asyncio.wait(self._runs.values(), timeout=STOP_SECONDS)

    def _start(self, run_id: int, values: dict[str, Any]) -> None:
        try:
            request = RunRequest.from_json(values)
        except ValueError as error:
            message = f"the request to run cannot be read: {error}"
            self._output.put(run_id, Failed(message=message, kind="bug"))
            return
        task = asyncio.create_task(self._run(run_id, request))
        self._runs[run_id] = task
        task.add_done_callback(partial(self._done, run_id, request))

    def _cancel(self, run_id: int, reason: str | None = None) -> None:
        task = self._runs.get(run_id)
        # Only once: a second time would interrupt the cleanup.
        if task is not None and run_id not in self._cancelled:
            self._cancelled[run_id] = reason
            task.cancel()

    async def _run(self, run_id: int, request: RunRequest) -> None:
        try:
            await run_suite(request, partial(self._emit, run_id), self._output.ready)
        except Exception as error:  # noqa: BLE001 - the last place where a bug can be reported to the client
            trace = traceback.format_exc()
            too_few = why_too_few(error)
            if run_id in self._over:
                _complain(trace)
            elif too_few is not None:
                self._emit(run_id, Failed(message=too_few, kind="environment"))
            else:
                self._emit(run_id, Failed(message="the run failed", kind="bug", trace=trace))

    def _emit(self, run_id: int, event: Event) -> None:
        if isinstance(event, LAST_EVENTS):
            self._over.add(run_id)
        if isinstance(event, Finished) and not event.summary.get("stopped"):
            event.summary["stopped"] = self._cancelled.get(run_id)
        self._output.put(run_id, event)
        if isinstance(event, Started):
            # From here on the client knows the cases, even if this process dies.
            self._output.flush()

    def _done(self, run_id: int, request: RunRequest, task: asyncio.Task[None]) -> None:
        if task.cancelled() and run_id not in self._over:
            # It had not started, so it sent no last event.
            self._emit(run_id, Finished(summary=Tally().summary(request.cases or ())))
        self._runs.pop(run_id, None)
        self._cancelled.pop(run_id, None)
        self._over.discard(run_id)


async def serve(requests: int, events: int) -> None:
    """Serve until the end of the requests, a `stop`, or a signal.

    Args:
        requests: the file descriptor that request lines are read from.
        events: the file descriptor that event lines are written to.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    reason = "the worker process was asked to stop"

    def end(number: signal.Signals) -> None:
        nonlocal reason
        reason = f"the worker process was ended ({number.name})"
        stop()

    def stop() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lines.put_nowait, None)

    def put(line: bytes) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lines.put_nowait, line)

    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, end, number)
    output = EventWriter(events, stop)
    threading.Thread(target=_read_lines, args=(requests, put, stop), daemon=True).start()
    server = Server(output)
    heartbeats = asyncio.create_task(server.send_heartbeats())
    while (line := await lines.get()) is not None and server.handle(line):
        pass
    await server.stop(reason)
    heartbeats.cancel()
    output.close()


def _read_lines(descriptor: int, put: Callable[[bytes], None], end: Callable[[], None]) -> None:
    """Read lines in a thread, which works for pipes, files and terminals on all systems."""
    with open(descriptor, "rb", closefd=False) as lines:
        for line in lines:
            if line.strip():
                put(line)
    end()


class _EndsWithoutMemory(logging.Handler):
    """Ends the process where something that others wait for has ended for want of memory.

    A thread, or a callback of a loop or an executor, can only log that it failed.
    """

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[0] is MemoryError:
            _end_without_memory()


def _end_without_memory() -> NoReturn:
    os.write(2, b"MemoryError\n")
    os._exit(1)


def _look_after_threads() -> None:
    handler = _EndsWithoutMemory()
    for name in ("asyncio", "concurrent.futures"):
        logging.getLogger(name).addHandler(handler)

    def ended(thread: threading.ExceptHookArgs) -> None:
        if thread.exc_type is MemoryError:
            _end_without_memory()
        threading.__excepthook__(thread)

    threading.excepthook = ended


def _complain(message: str) -> None:
    sys.stderr.write(f"{encoded_line(f'suitecase worker: {message}')}\n")
    sys.stderr.flush()


def main() -> None:
    """Reserve standard input and output for the protocol, and serve."""
    if BACKGROUND in sys.argv[1:] and sys.platform != "win32":
        os.nice(NICENESS)
    allow_more_files()
    _look_after_threads()
    requests, events = os.dup(0), os.dup(1)
    client = next(
        (it.removeprefix(STARTER) for it in sys.argv[1:] if it.startswith(STARTER)),
        str(os.getppid()),
    )
    end_with_client(client, requests, _complain)
    adopt_orphans()
    # What is imported by now stays; the garbage collector does not have to look at it again.
    gc.freeze()
    gc.set_threshold(ALLOCATIONS)
    gc.enable()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Output of libraries and programs goes to standard error.
    os.dup2(2, 1)
    asyncio.run(serve(requests, events))
