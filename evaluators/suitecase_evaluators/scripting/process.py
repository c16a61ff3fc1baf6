"""One process that calls functions of a script, and the messages that it writes."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from suitecase_evaluators.finite_json import finite_json
from suitecase_evaluators.program import (
    ProgramError,
    created_configuration,
    prepared_start,
    program_result,
    start_program,
)
from suitecase_evaluators.sandbox.confinement import Confinement
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.sandbox.running import OUTPUT_LIMIT, Capture, ProgramStart, RunningProgram

#: Seconds for a process to report that it is ready.
STARTING_SECONDS = 30.0
#: Seconds that a call waits for its turn beyond the time limit of the call before it.
_GRACE_SECONDS = 5.0
#: The start of a message: the number of its call.
_ID = re.compile(rb'\{"id": ?(\d+),')
#: How many bytes of what scripts print are kept.
_PRINTED_BYTES = 65_536


class ProcessEndedError(Exception):
    """The process ended before it answered a call.

    Attributes:
        reason: what happened, for people: "it ...".
        call_started: whether the function of the call had been called.
    """

    def __init__(self, reason: str, *, call_started: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.call_started = call_started


class MessageCapture(Capture):
    """Passes on the messages of a process, and keeps the end of what its script prints.

    Args:
        mark: what lines with messages start with.
        receive: receives each message.
    """

    def __init__(self, mark: bytes, receive: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._mark = mark
        self._receive = receive
        #: The start of a line whose end has not arrived.
        self._rest = bytearray()
        #: Done if a line is longer than an answer may be.
        self.overflow: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self._print(data)
            return
        self._rest += data
        if b"\n" in data:
            *lines, rest = self._rest.split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                if line.startswith(self._mark):
                    self._receive(_message(bytes(line[len(self._mark) :])))
                elif line:
                    self._print(bytes(line) + b"\n")
        elif len(self._rest) > OUTPUT_LIMIT and not self.overflow.done():
            self.overflow.set_result(None)

    def _print(self, data: bytes) -> None:
        printed = self.output[2]
        printed += data
        del printed[:-_PRINTED_BYTES]


@dataclass(slots=True)
class _PendingCall:
    """A call that is not answered.

    Attributes:
        started: done when the function has been called.
        answer: the message with the answer.
        since: when it was started, or sent if it has not been started, in seconds of the loop.
    """

    started: asyncio.Future[None]
    answer: asyncio.Future[dict[str, Any]]
    since: float


@dataclass(slots=True, eq=False)
class BridgeProcess:
    """A process that calls functions. `start` and `end` are called once each."""

    command: list[str]
    folder: Path
    environ: Mapping[str, str]
    confinement: Confinement
    _pending: dict[int, _PendingCall] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)
    _start: ProgramStart | None = None
    _running: RunningProgram | None = None
    _ready: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _ending: asyncio.Task[None] | None = None
    _end_reason: str | None = None
    _last_message_at: float = 0.0

    @property
    def level(self) -> Level:
        """Its sandbox level."""
        return Level.NONE if self._start is None else self._start.level

    @property
    def has_ended(self) -> bool:
        """Whether it can answer no more calls."""
        return self._ending is not None or (
            self._running is not None and self._running.capture.exited.done()
        )

    async def start(self) -> None:
        """Start it, and wait until it takes calls.

        Raises:
            ProgramError: it could not be started, or did not get ready.
        """
        mark = f"{secrets.token_hex(8)} "
        start = await prepared_start(
            [*self.command, mark],
            cwd=self.folder,
            environ=self.environ,
            confinement=self.confinement,
        )
        self._start = replace(start, capture=partial(MessageCapture, mark.encode(), self._receive))
        self._running = await start_program(self._start)
        try:
            await self._wait_for({self._ready}, STARTING_SECONDS)
        except BaseException:
            await self.end("it was stopped")
            raise
        if not self._ready.done():
            await self.end(f"it was not ready within {STARTING_SECONDS:g} seconds")
            reason = self._end_reason or ""
            # What a launcher reports names the program already.
            own = f"cannot start `{self.command[0]}`: " if reason.startswith("it ") else ""
            raise ProgramError(f"{own}{reason}")

    async def call(self, request: Mapping[str, Any], timeout_seconds: float) -> dict[str, Any]:
        """Call a function; return the message with the answer: `type` and `value`, or `error`.

        Raises:
            ProcessEndedError: the process ended first.
            TimeoutError: the call took too long, so the process was ended.
        """
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        pending = _PendingCall(loop.create_future(), loop.create_future(), loop.time())
        self._pending[number] = pending
        self._write(_line({"id": number, **request}))
        try:
            while not pending.answer.done() and not self.has_ended:
                left = self._seconds_left(pending, timeout_seconds)
                if left <= 0:
                    await self.end(
                        f"it was stopped, since a call took longer than {timeout_seconds:g} seconds"
                    )
                    raise TimeoutError
                started = () if pending.started.done() else (pending.started,)
                # A call of a script that cannot be loaded is answered without having been started.
                await self._wait_for({pending.answer, *started}, left)
            if not pending.answer.done():
                # Its last messages may not have been read yet.
                await self.end("it ended")
            if pending.answer.done():
                created = None if self._running is None else created_configuration(self._running)
                if created is not None:
                    await self.end(f"it {created}")
                    raise ProcessEndedError(f"it {created}", call_started=True)
                return pending.answer.result()
            raise ProcessEndedError(
                self._end_reason or "it ended", call_started=pending.started.done()
            )
        except asyncio.CancelledError:
            if pending.started.done() and not pending.answer.done():
                # It may run forever, which would block all other calls.
                await self.end("it was stopped, since a call was cancelled")
            raise
        finally:
            del self._pending[number]

    async def end(self, reason: str) -> None:
        """End the process and all that it started; safe to call twice.

        Args:
            reason: for messages on calls that are not answered.
        """
        if self._running is None:
            return
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(reason))
        await asyncio.shield(self._ending)

    async def _end(self, reason: str) -> None:
        assert self._running is not None and self._start is not None  # noqa: S101, PT018
        by_itself = self._running.capture.exited.done()
        await self._running.end()
        try:
            result = program_result(self._start, self._running)
        except ProgramError as error:
            self._end_reason = error.message
            return
        tail = result.stderr_tail()
        printed = f". Its standard error ends with:\n{tail}" if tail else ""
        if result.exceeded is not None:
            reason = f"it {result.exceeded}"
        elif by_itself:
            reason = f"it ended with exit code {result.exit_code}{result.hint}"
        self._end_reason = f"{reason}{printed}" if by_itself or result.exceeded else reason

    def _seconds_left(self, pending: _PendingCall, timeout_seconds: float) -> float:
        """Return how long a call may still take."""
        now = asyncio.get_running_loop().time()
        if pending.started.done():
            return pending.since + timeout_seconds - now
        # It waits for calls before it, which have their own limits.
        return max(pending.since, self._last_message_at) + timeout_seconds + _GRACE_SECONDS - now

    async def _wait_for(self, awaited: set[asyncio.Future[Any]], seconds: float) -> None:
        """Wait until one of some futures is done, or the process has ended."""
        assert self._running is not None  # noqa: S101
        capture = self._running.capture
        assert isinstance(capture, MessageCapture)  # noqa: S101
        endings: set[asyncio.Future[Any]] = {capture.exited, capture.overflow}
        await asyncio.wait(
            {*awaited, *endings}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if capture.overflow.done():
            await self.end(f"it was stopped, since it returned more than {OUTPUT_LIMIT:,} bytes")

    def _receive(self, message: dict[str, Any]) -> None:
        self._last_message_at = asyncio.get_running_loop().time()
        if "ready" in message:
            self._ready.set_result(None)
            return
        pending = self._pending.get(message["id"])
        if pending is None:
            return
        if "begun" in message:
            pending.since = self._last_message_at
            pending.started.set_result(None)
        elif not pending.answer.done():
            pending.answer.set_result(message)

    def _write(self, line: str) -> None:
        assert self._running is not None  # noqa: S101
        pipe = self._running.transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(line.encode() + b"\n")


def _message(line: bytes) -> dict[str, Any]:
    """Return a message of a bridge; an error of its call if Python cannot read the value."""
    try:
        message: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as error:
        number = _ID.match(line)
        if number is None:
            raise
        is_deep = isinstance(error, RecursionError)
        problem = "is nested too deeply" if is_deep else f"is not JSON: {error}"
        return {"id": int(number[1]), "error": {"message": f"the value it returned {problem}"}}
    return message


def _line(request: Mapping[str, Any]) -> str:
    """Return a request as JSON; numbers that JSON does not have become null, as in JavaScript."""
    return finite_json(request, default=str)
