"""The client of a worker process, used by the language server and the command line.

A worker is started for the first run, and restarted after it has died.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, TypeVar

from suitecase.run.event_lines import event_from_json
from suitecase.run.process_ending import process_ending
from suitecase.run.protocol import (
    ALIVE,
    ALIVE_SECONDS,
    BACKGROUND,
    LAST_EVENTS,
    STARTER,
    Event,
    RunRequest,
    Warned,
)
from suitecase.run.too_few_resources import (
    memory_to_start,
    why_crashed,
    why_too_few,
    why_too_few_by,
)
from suitecase.run.worker_failure import WorkerFailure
from suitecase_evaluators.text.written_number import read_float

#: `-P` keeps the working directory, which may contain any module, off the module path.
COMMAND = (sys.executable, "-P", "-m", "suitecase.run.worker_process")
#: A line contains a whole record, including the target's answer.
LONGEST_LINE = 256 * 1024 * 1024
#: How many characters of the worker's standard error are kept.
KEPT_OF_ERRORS = 8_000
#: Seconds to wait for a worker to stop by itself, and then after SIGTERM.
STOP_SECONDS = 5.0
TERMINATE_SECONDS = 1.0
#: A worker without a heartbeat for so many seconds of a run hangs. An evaluator that computes
#: without awaiting anything may delay the heartbeat.
SILENT_SECONDS = 120.0

#: Signals from outside; death by any other signal is a bug.
_KILLING = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

T = TypeVar("T")


class Worker:
    """A worker process, for several concurrent runs.

    Belongs to one event loop. Has to be closed after the last run.

    Args:
        background: run with low priority, since the user works at the machine meanwhile.
    """

    def __init__(self, *, background: bool = False) -> None:
        self._background = background
        self._ids = itertools.count(1)
        self._starting = asyncio.Lock()
        self._process: _Process | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the worker, or None if none is running."""
        return self._process.pid if self._process is not None and self._process.alive else None

    async def run(self, request: RunRequest) -> AsyncGenerator[Event, None]:
        """Run a suite; yield its events as they arrive.

        Closing the generator or cancelling the task cancels the run.

        Raises:
            WorkerFailure: the worker could not be started, died, hung, or wrote something
                unreadable.
        """
        process = await self._running()
        run_id = next(self._ids)
        events = process.begin(run_id, request)
        ended = False
        try:
            while not ended:
                event = await events.get()
                if isinstance(event, WorkerFailure):
                    raise event
                ended = isinstance(event, LAST_EVENTS)
                yield event
        finally:
            process.end(run_id, cancel=not ended)

    async def close(self) -> list[str]:
        """Stop the worker, with everything it started; runs in flight are cancelled.

        Returns:
            the warnings of cancelled runs, such as what their programs left behind.
        """
        async with self._starting:
            process, self._process = self._process, None
        if process is None:
            return []
        await process.close()
        return process.late_warnings

    async def _running(self) -> _Process:
        async with self._starting:
            if self._process is not None and not self._process.alive:
                await self._process.close()
                self._process = None
            if self._process is None:
                self._process = await _Process.start(background=self._background)
            return self._process


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a worker.

    `exited` is done once the worker has ended, even if a program that it left behind keeps a pipe
    open; `Process.wait` may wait for that program, too.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(limit=LONGEST_LINE, loop=loop)
        self.exited: asyncio.Future[None] = loop.create_future()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set_result(None)


class _Process:
    """One worker process, from its start to its end."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        self._transport = transport
        self._exited = pipes.exited
        self._process = asyncio.subprocess.Process(transport, pipes, asyncio.get_running_loop())
        self._input = _require_pipe(self._process.stdin)
        self._runs: dict[int, asyncio.Queue[Event | WorkerFailure]] = {}
        self._last_id = 0
        self._errors = ""
        #: The number of checks in a row without any output of the worker.
        self._silent = 0
        self._problem: str | None = None
        #: The warnings of runs that were cancelled.
        self.late_warnings: list[str] = []
        self.alive = True
        self._draining = asyncio.create_task(self._drain_errors())
        self._reading = asyncio.create_task(self._read_events())
        self._listening = asyncio.create_task(self._end_if_it_hangs())

    @classmethod
    async def start(cls, *, background: bool) -> _Process:
        """Start a worker.

        Raises:
            WorkerFailure: it could not be started.
        """
        if (too_little := memory_to_start()) is not None:
            raise WorkerFailure(f"the worker process was not started: {too_little}", killed=True)
        try:
            transport, pipes = await asyncio.get_running_loop().subprocess_exec(
                _Pipes,
                *COMMAND,
                *((BACKGROUND,) if background else ()),
                f"{STARTER}{os.getpid()}",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                # A process group of its own: a signal to our group must not end a run in the
                # middle of a line, and programs that the worker started can be ended with it.
                start_new_session=True,
            )
        except OSError as error:
            reason = why_too_few(error) or error.strerror or str(error)
            raise WorkerFailure(
                f"the worker process could not be started: {reason}", killed=True
            ) from error
        return cls(transport, pipes)

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self, run_id: int, request: RunRequest) -> asyncio.Queue[Event | WorkerFailure]:
        """Send a request; its events are put into the queue."""
        events: asyncio.Queue[Event | WorkerFailure] = asyncio.Queue()
        self._runs[run_id] = events
        self._last_id = run_id
        self._send(request.to_json(run_id))
        return events

    def end(self, run_id: int, *, cancel: bool) -> None:
        """Forget a run; further events of it are ignored."""
        self._runs.pop(run_id, None)
        if cancel and self.alive:
            self._send({"request": "cancel", "id": run_id})

    async def close(self) -> None:
        """Stop the process and its children: by request, then SIGTERM, then SIGKILL.

        A program that has left the process group is not waited for.
        """
        try:
            if self.alive:
                self._send({"request": "stop"})
            self._input.close()
            if not await self._ended_within(STOP_SECONDS):
                self._signal_group(signal.SIGTERM)
                if not await self._ended_within(TERMINATE_SECONDS):
                    self._kill()
            await asyncio.wait({self._reading, self._draining}, timeout=TERMINATE_SECONDS)
        finally:
            if not self._exited.done():
                self._kill()
            self._transport.close()
        await asyncio.gather(self._reading, self._draining)
        with suppress(OSError):
            await self._input.wait_closed()

    def _send(self, line: dict[str, Any]) -> None:
        # Not awaited: cancelling must work where nothing can be awaited. The end of its output
        # tells that a worker has died.
        if not self._input.is_closing():
            self._input.write(json.dumps(line).encode() + b"\n")

    async def _read_events(self) -> None:
        problem = await self._read_to_end()
        self.alive = False
        self._listening.cancel()
        if problem is not None or not await self._ended_within(TERMINATE_SECONDS):
            self._kill()
        await self._exited
        # Its last output says why it died.
        await asyncio.wait({self._draining}, timeout=TERMINATE_SECONDS)
        problem = problem or self._problem
        ending = process_ending(self._process.returncode, before="the run finished")
        message = problem or f"the worker process {ending}"
        killed = problem is None and -(self._process.returncode or 0) in _KILLING
        detail = self._errors.strip()
        too_few = None
        if problem is None:
            too_few = why_too_few_by(detail) or why_crashed(self._process.returncode)
        if too_few is not None:
            message, detail, killed = f"{message}: {too_few}", "", True
        for events in self._runs.values():
            events.put_nowait(WorkerFailure(message, detail, killed=killed))

    async def _read_to_end(self) -> str | None:
        """Dispatch events until the end of the output; return a protocol error, if any."""
        output = _require_pipe(self._process.stdout)
        while True:
            try:
                line = await output.readline()
            except ValueError:
                return f"the worker process wrote a line of more than {LONGEST_LINE:,} bytes"
            if not line.endswith(b"\n"):
                return None  # the end, or a line truncated by the worker's death
            self._silent = 0
            try:
                message = json.loads(line, parse_float=read_float)
                if message == ALIVE:
                    continue
                run_id, event = message["id"], event_from_json(message)
                is_known = run_id in range(1, self._last_id + 1)
            except (ValueError, KeyError, TypeError, RecursionError):
                excerpt = line[:200].decode(errors="replace").strip()
                return f"the worker process wrote an invalid event: {excerpt}"
            if is_known and run_id in self._runs:
                self._runs[run_id].put_nowait(event)
            elif is_known and isinstance(event, Warned):
                self.late_warnings.append(event.message)
            elif not is_known:
                return f"the worker process wrote an event of an unknown run: {run_id}"

    async def _end_if_it_hangs(self) -> None:
        # Counts checks, not seconds: this process may be suspended for a while, too.
        while self._silent * ALIVE_SECONDS <= SILENT_SECONDS:
            await asyncio.sleep(ALIVE_SECONDS)
            self._silent = self._silent + 1 if self._runs else 0
        self._problem = (
            f"the worker process did not respond for {SILENT_SECONDS:g} s, so it was "
            "terminated; an evaluator hangs or computes without a pause"
        )
        self._kill()

    async def _drain_errors(self) -> None:
        errors = _require_pipe(self._process.stderr)
        while chunk := await errors.read(65_536):
            self._errors = (self._errors + chunk.decode(errors="replace"))[-KEPT_OF_ERRORS:]

    async def _ended_within(self, seconds: float) -> bool:
        await asyncio.wait({self._exited}, timeout=seconds)
        return self._exited.done()

    def _kill(self) -> None:
        if sys.platform == "win32":
            self._signal_group(signal.SIGTERM)
        else:
            self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


def _require_pipe(pipe: T | None) -> T:
    if pipe is None:
        raise WorkerFailure("the worker process has no pipe")
    return pipe
