"""One process that calls functions of a script, and what it tells."""

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

from suitecase_evaluators.program import ProgramError, begun, made_by, result_of, start_of
from suitecase_evaluators.sandbox.confinement import Confinement
from suitecase_evaluators.sandbox.level import Level
from suitecase_evaluators.sandbox.running import OUTPUT_LIMIT, Capture, ProgramStart, RunningProgram

#: Seconds for a process to say that it is ready.
STARTING_SECONDS = 30.0
#: Seconds that a call waits longer for its turn than the one before it may take.
_GRACE_SECONDS = 5.0
#: The start of a message: the number of its call.
_ID = re.compile(rb'\{"id": ?(\d+),')
#: Of what scripts print, this much is kept, in bytes.
_PRINTED = 65_536


class Ended(Exception):  # noqa: N818 - it tells what happened, and is no error of its own
    """The process ended before it answered a call.

    Attributes:
        had_begun: whether it had begun with the call.
        why: what happened, for people: "it ...".
    """

    def __init__(self, why: str, *, had_begun: bool) -> None:
        super().__init__(why)
        self.why = why
        self.had_begun = had_begun


class Told(Capture):
    """Takes what a process tells, and keeps the end of what its script prints."""

    def __init__(self, mark: bytes, take: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._mark = mark
        self._take = take
        self._rest = bytearray()
        #: A line grew longer than an answer may be.
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
                    self._take(_message(bytes(line[len(self._mark) :])))
                elif line:
                    self._print(bytes(line) + b"\n")
        elif len(self._rest) > OUTPUT_LIMIT and not self.overflow.done():
            self.overflow.set_result(None)

    def _print(self, data: bytes) -> None:
        printed = self.output[2]
        printed += data
        del printed[:-_PRINTED]


@dataclass(slots=True)
class _Asked:
    """A call that is not answered."""

    begun: asyncio.Future[None]
    answered: asyncio.Future[dict[str, Any]]
    since: float


@dataclass(slots=True, eq=False)
class BridgeProcess:
    """A process that calls functions. `start` and `end` are called once each."""

    command: list[str]
    folder: Path
    environ: Mapping[str, str]
    confinement: Confinement
    _asked: dict[int, _Asked] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)
    _start: ProgramStart | None = None
    _running: RunningProgram | None = None
    _ready: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _ending: asyncio.Task[None] | None = None
    _why: str | None = None
    _last_told: float = 0.0

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
        """Start it, and wait until it can be asked.

        Raises:
            ProgramError: it could not be started, or did not get ready.
        """
        mark = f"{secrets.token_hex(8)} "
        start = await start_of(
            [*self.command, mark],
            cwd=self.folder,
            environ=self.environ,
            confinement=self.confinement,
        )
        self._start = replace(start, capture=partial(Told, mark.encode(), self._take))
        self._running = await begun(self._start)
        try:
            await self._until({self._ready}, STARTING_SECONDS)
        except BaseException:
            await self.end("it was stopped")
            raise
        if not self._ready.done():
            await self.end(f"it was not ready within {STARTING_SECONDS:g} seconds")
            raise ProgramError(f"cannot start `{self.command[0]}`: {self._why}")

    async def ask(self, request: Mapping[str, Any], timeout_seconds: float) -> dict[str, Any]:
        """Return what it tells of a call: `type` and `value`, or `error`.

        Raises:
            Ended: it ended first.
            TimeoutError: the call took too long, so that all of it was ended.
        """
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        asked = _Asked(loop.create_future(), loop.create_future(), loop.time())
        self._asked[number] = asked
        self._write(_line({"id": number, **request}))
        try:
            while not asked.answered.done() and not self.has_ended:
                left = self._until_late(asked, timeout_seconds)
                if left <= 0:
                    await self.end(
                        f"it was stopped, since a call took longer than {timeout_seconds:g} seconds"
                    )
                    raise TimeoutError
                begun = () if asked.begun.done() else (asked.begun,)
                # A script that cannot be loaded is answered before it has begun.
                await self._until({asked.answered, *begun}, left)
            if not asked.answered.done():
                # What it told last may not have been read yet.
                await self.end("it ended")
            if asked.answered.done():
                created = None if self._running is None else made_by(self._running)
                if created is not None:
                    await self.end(f"it {created}")
                    raise Ended(f"it {created}", had_begun=True)
                return asked.answered.result()
            raise Ended(self._why or "it ended", had_begun=asked.begun.done())
        except asyncio.CancelledError:
            if asked.begun.done() and not asked.answered.done():
                # It may go on for ever, and nobody could be answered.
                await self.end("it was stopped, since a call was cancelled")
            raise
        finally:
            del self._asked[number]

    async def end(self, why: str) -> None:
        """End it with all that it started, and say why; safe to call twice."""
        if self._running is None:
            return
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(why))
        await asyncio.shield(self._ending)

    async def _end(self, why: str) -> None:
        assert self._running is not None and self._start is not None  # noqa: S101, PT018
        by_itself = self._running.capture.exited.done()
        await self._running.end()
        try:
            result = result_of(self._start, self._running)
        except ProgramError as error:
            self._why = error.message
            return
        tail = result.stderr_tail()
        printed = f". Its standard error ends with:\n{tail}" if tail else ""
        if result.exceeded is not None:
            why = f"it {result.exceeded}"
        elif by_itself:
            why = f"it ended with exit code {result.exit_code}{result.hint}"
        self._why = f"{why}{printed}" if by_itself or result.exceeded else why

    def _until_late(self, asked: _Asked, timeout_seconds: float) -> float:
        now = asyncio.get_running_loop().time()
        if asked.begun.done():
            return asked.since + timeout_seconds - now
        # It waits for others, which have limits of their own.
        return max(asked.since, self._last_told) + timeout_seconds + _GRACE_SECONDS - now

    async def _until(self, waited: set[asyncio.Future[Any]], seconds: float) -> None:
        """Wait until something is there, or the process ended."""
        assert self._running is not None  # noqa: S101
        capture = self._running.capture
        assert isinstance(capture, Told)  # noqa: S101
        also: set[asyncio.Future[Any]] = {capture.exited, capture.overflow}
        await asyncio.wait({*waited, *also}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if capture.overflow.done():
            await self.end(f"it was stopped, since it returned more than {OUTPUT_LIMIT:,} bytes")

    def _take(self, message: dict[str, Any]) -> None:
        self._last_told = asyncio.get_running_loop().time()
        if "ready" in message:
            self._ready.set_result(None)
            return
        asked = self._asked.get(message["id"])
        if asked is None:
            return
        if "begun" in message:
            asked.since = self._last_told
            asked.begun.set_result(None)
        elif not asked.answered.done():
            asked.answered.set_result(message)

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
        why = (
            "is nested too deeply" if isinstance(error, RecursionError) else f"is not JSON: {error}"
        )
        return {"id": int(number[1]), "error": {"message": f"the value it returned {why}"}}
    return message


def _line(request: Mapping[str, Any]) -> str:
    """Return a request as JSON; numbers that JSON does not have become null, as in JavaScript."""
    try:
        return json.dumps(request, default=str, allow_nan=False)
    except ValueError:
        written = json.dumps(request, default=str)
        return json.dumps(json.loads(written, parse_constant=lambda _: None))
