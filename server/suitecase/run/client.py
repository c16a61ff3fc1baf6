"""The starter's side of a worker process: runs in, events out.

The language server and the command line start their workers here. A worker is started when
something is first run, and again when the last one died.
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

from suitecase.run.protocol import (
    ALIVE,
    ALIVE_SECONDS,
    BACKGROUND,
    LAST_EVENTS,
    STARTER,
    Event,
    RunRequest,
    WorkerFailure,
    event_from_json,
)

#: Started without the working directory on the module path, where a suite's author may have put
#: anything under any name.
COMMAND = (sys.executable, "-P", "-m", "suitecase.run.worker")
#: A line holds a whole record, with the target's answer in it.
LONGEST_LINE = 256 * 1024 * 1024
#: Of the worker's standard error this many characters are kept.
KEPT_OF_ERRORS = 8_000
#: Seconds a worker has to stop by itself, and then to heed being terminated.
STOP_SECONDS = 5.0
TERMINATE_SECONDS = 1.0
#: A worker that says nothing at all for so many seconds in a run hangs. An evaluator that computes
#: without awaiting anything may hold it up for a while.
SILENT_SECONDS = 120.0

#: Signals that come from outside; what else a process dies of is a bug in it.
_KILLING = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

T = TypeVar("T")


class Worker:
    """A worker process; several runs may be in flight in it.

    Belongs to one event loop. Close it when nothing more is to be run.

    Args:
        background: somebody works at the machine meanwhile, and goes before.
    """

    def __init__(self, *, background: bool = False) -> None:
        self._background = background
        self._ids = itertools.count(1)
        self._starting = asyncio.Lock()
        self._process: _Process | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the worker that is running, None where there is none."""
        return self._process.pid if self._process is not None and self._process.alive else None

    async def run(self, request: RunRequest) -> AsyncGenerator[Event, None]:
        """Run a suite; yields events as they come, of which the last one is the run's last.

        Whoever stops early, by closing the generator or by being cancelled, cancels the run.

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

    async def close(self) -> None:
        """Stop the worker, with everything it started; runs in flight are cancelled."""
        async with self._starting:
            process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _running(self) -> _Process:
        async with self._starting:
            if self._process is not None and not self._process.alive:
                await self._process.close()
                self._process = None
            if self._process is None:
                self._process = await _Process.start(background=self._background)
            return self._process


class _Process:
    """One worker process, from its start to its end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._input = _there(process.stdin)
        self._runs: dict[int, asyncio.Queue[Event | WorkerFailure]] = {}
        self._last_id = 0
        self._errors = ""
        #: How often it was looked whether something had been said, and nothing had.
        self._silent = 0
        self._problem: str | None = None
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
        try:
            process = await asyncio.create_subprocess_exec(
                *COMMAND,
                *((BACKGROUND,) if background else ()),
                f"{STARTER}{os.getpid()}",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                # A group of its own: what ends the starter's group must not end a run in the
                # middle of a line, and what the worker started can be ended with it.
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerFailure(
                f"the worker process could not be started: {error.strerror or error}"
            ) from error
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self, run_id: int, request: RunRequest) -> asyncio.Queue[Event | WorkerFailure]:
        """Send a request; what comes of it is put into the queue."""
        events: asyncio.Queue[Event | WorkerFailure] = asyncio.Queue()
        self._runs[run_id] = events
        self._last_id = run_id
        self._send(request.to_json(run_id))
        return events

    def end(self, run_id: int, *, cancel: bool) -> None:
        """Let go of a run; what still comes of it is ignored."""
        self._runs.pop(run_id, None)
        if cancel and self.alive:
            self._send({"request": "cancel", "id": run_id})

    async def close(self) -> None:
        """Stop the process and what it started: by asking, by terminating, by killing."""
        if self.alive:
            self._send({"request": "stop"})
        self._input.close()
        if not await self._ended_within(STOP_SECONDS):
            self._signal_group(signal.SIGTERM)
            if not await self._ended_within(TERMINATE_SECONDS):
                self._kill()
        await asyncio.gather(self._reading, self._draining)
        with suppress(OSError):
            await self._input.wait_closed()

    def _send(self, line: dict[str, Any]) -> None:
        # Not awaited: cancelling must work where nothing can be awaited. A worker that is gone is
        # told by the end of its output.
        if not self._input.is_closing():
            self._input.write(json.dumps(line).encode() + b"\n")

    async def _read_events(self) -> None:
        problem = await self._read_to_end()
        self.alive = False
        self._listening.cancel()
        if problem is not None or not await self._ended_within(TERMINATE_SECONDS):
            self._kill()
        await self._process.wait()
        # Its last words say why it died.
        await asyncio.wait({self._draining}, timeout=TERMINATE_SECONDS)
        problem = problem or self._problem
        message = problem or _how_it_ended(self._process.returncode)
        killed = problem is None and -(self._process.returncode or 0) in _KILLING
        for events in self._runs.values():
            events.put_nowait(WorkerFailure(message, self._errors.strip(), killed=killed))

    async def _read_to_end(self) -> str | None:
        """Hand out events until there are no more; return what is wrong with a line, if any is."""
        output = _there(self._process.stdout)
        while True:
            try:
                line = await output.readline()
            except ValueError:
                return f"the worker process wrote a line of more than {LONGEST_LINE:,} bytes"
            if not line.endswith(b"\n"):
                return None  # the end, or a line that the worker's death cut short
            self._silent = 0
            try:
                message = json.loads(line)
                if message == ALIVE:
                    continue
                run_id, event = message["id"], event_from_json(message)
            except (ValueError, KeyError, TypeError):
                excerpt = line[:200].decode(errors="replace").strip()
                return f"the worker process wrote something that is not an event: {excerpt}"
            if run_id in self._runs:
                self._runs[run_id].put_nowait(event)
            elif run_id not in range(1, self._last_id + 1):
                return f"the worker process wrote of a run that was not asked for: {run_id}"

    async def _end_if_it_hangs(self) -> None:
        # Looks are counted, and not seconds: this process, too, may be stopped for a while.
        while self._silent * ALIVE_SECONDS <= SILENT_SECONDS:
            await asyncio.sleep(ALIVE_SECONDS)
            self._silent = self._silent + 1 if self._runs else 0
        self._problem = (
            f"the worker process said nothing for {SILENT_SECONDS:g} seconds, so it was ended; "
            "something in it hangs, or computes for long without a pause"
        )
        self._kill()

    async def _drain_errors(self) -> None:
        errors = _there(self._process.stderr)
        while chunk := await errors.read(65_536):
            self._errors = (self._errors + chunk.decode(errors="replace"))[-KEPT_OF_ERRORS:]

    async def _ended_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return self._process.returncode is not None

    def _kill(self) -> None:
        self._signal_group(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


def _there(pipe: T | None) -> T:
    if pipe is None:
        raise WorkerFailure("the worker process was started without a pipe")
    return pipe


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        short = "; a system that is short of memory does that" if name == "SIGKILL" else ""
        return f"the worker process was killed ({name}) before the run was over{short}"
    return f"the worker process ended with exit code {code} before the run was over"
