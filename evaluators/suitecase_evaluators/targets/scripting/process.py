"""One process that calls functions of a script: what it is sent, and when it is ended."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.program import (
    ProgramError,
    changed_configuration,
    prepared_start,
    program_result,
    start_program,
)
from suitecase_evaluators.targets.sandbox.confinement import Confinement
from suitecase_evaluators.targets.sandbox.running import ProgramStart, RunningProgram
from suitecase_evaluators.targets.scripting.call import Call, Place
from suitecase_evaluators.targets.scripting.messages import Message, MessageCapture
from suitecase_evaluators.text.finite_json import finite_json

#: Seconds for a process to report that it is ready.
STARTING_SECONDS = 30.0
#: Seconds that a call waits to be begun beyond its time limit, while other calls are begun.
_GRACE_SECONDS = 5.0
#: A process with several calls has to respond within so many seconds; how often it is asked.
_BLOCKED_SECONDS = 3.0
_ASKED_EVERY_SECONDS = 1.0
#: Seconds to respond for a process in which a call ran out of time.
_LAST_RESPONSE_SECONDS = 1.0


class UnansweredError(Exception):
    """A call got no answer, for a reason that need not be its own.

    Attributes:
        reason: what happened, for people: "it ...".
        started: whether the function of the call had been called.
        is_cause: whether nothing but this call can be the reason.
    """

    def __init__(self, reason: str, *, started: bool, is_cause: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.started = started
        self.is_cause = is_cause


@dataclass(slots=True, eq=False)
class _PendingCall:
    """A call that is not answered.

    Attributes:
        started: done when the function has been called.
        answer: the message with the answer.
        since: when it was started, or sent if it has not been started, in seconds of the loop.
    """

    started: asyncio.Future[None]
    answer: asyncio.Future[Message]
    since: float


@dataclass(slots=True, eq=False)
class BridgeProcess:
    """A process that calls functions. `start` is called once.

    Attributes:
        responds: whether it responds while functions are called, as JavaScript does while it waits.
    """

    command: list[str]
    place: Place
    environ: Mapping[str, str]
    confinement: Confinement
    responds: bool = False
    _pending: dict[str, _PendingCall] = field(default_factory=dict)
    #: How many calls it has been sent.
    _sent: int = 0
    _start: ProgramStart | None = None
    _running: RunningProgram | None = None
    _ready: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _ending: asyncio.Task[None] | None = None
    _end_reason: str | None = None
    _last_message_at: float = 0.0
    #: It takes no further calls, and ends with the last of those that it has.
    _retired: bool = False
    #: Which of its calls have to be made elsewhere, since one of them blocks all others.
    _blocked: asyncio.Future[frozenset[str]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _asked: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _watching: asyncio.Task[None] | None = None

    @property
    def level(self) -> Level:
        """Its sandbox level."""
        return Level.NONE if self._start is None else self._start.level

    @property
    def takes_calls(self) -> bool:
        """Whether further calls can be sent to it."""
        return not (self.has_ended or self._retired or self._blocked.done())

    @property
    def has_ended(self) -> bool:
        """Whether it can answer no more calls."""
        return self._ending is not None or (
            self._running is not None
            and (self._running.capture.exited.done() or self._capture.broken.done())
        )

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it is left."""
        return self._ending is not None and self._ending.done()

    @property
    def changed(self) -> str | None:
        """What its script did to files that configure other programs; None if nothing."""
        return None if self._running is None else changed_configuration(self._running)

    async def start(self) -> None:
        """Start it, and wait until it takes calls.

        Raises:
            ProgramError: it could not be started, or did not get ready.
        """
        mark = f"{secrets.token_hex(8)} "
        start = await prepared_start(
            self.command, cwd=self.place.folder, environ=self.environ, confinement=self.confinement
        )
        self._start = replace(start, capture=partial(MessageCapture, mark.encode(), self._receive))
        self._running = await start_program(self._start)
        # Not among its arguments, which every process can read.
        self._write(mark)
        try:
            await self._wait_for({self._ready}, STARTING_SECONDS)
        except BaseException:
            await self.end("it was stopped")
            raise
        if not self._ready.done():
            await self.end(f"it was not ready within {STARTING_SECONDS:g} s")
            reason = self._end_reason or ""
            # What a launcher reports names the program already.
            own = f"cannot start `{self.command[0]}`: " if reason.startswith("it ") else ""
            raise ProgramError(f"{own}{reason}")

    async def call(self, call: Call, timeout_seconds: float) -> Message:
        """Call a function; return the message with the answer.

        Raises:
            UnansweredError: the process ended first, or another call blocks it.
            TimeoutError: the call took too long, and no other call can be the reason.
        """
        loop = asyncio.get_running_loop()
        name = secrets.token_hex(8)
        pending = _PendingCall(loop.create_future(), loop.create_future(), loop.time())
        self._pending[name] = pending
        self._sent += 1
        self._write(_line({"id": name, **call.request}))
        if self.responds and self._watching is None and len(self._pending) > 1:
            self._watching = asyncio.create_task(self._watch())
        try:
            await self._answered(name, pending, call, timeout_seconds)
            if pending.answer.done():
                changed = self.changed
                if changed is not None:
                    await self.end(f"it {changed}")
                    raise UnansweredError(f"it {changed}", started=True, is_cause=True)
                return pending.answer.result()
            raise UnansweredError(
                self._end_reason or "it ended",
                started=pending.started.done(),
                is_cause=self._sent == 1,
            )
        except asyncio.CancelledError:
            if pending.started.done() and not pending.answer.done():
                # It may run forever.
                await self._leave(pending, "it was stopped, since a call was cancelled")
            raise
        finally:
            del self._pending[name]
            if self._retired and not self._pending:
                self._begin_end("it was stopped")

    async def _answered(
        self, name: str, pending: _PendingCall, call: Call, timeout_seconds: float
    ) -> None:
        """Wait until a call is answered or the process has ended.

        Raises:
            UnansweredError: another call blocks the process.
            TimeoutError: the call took too long, and no other call can be the reason.
        """
        while not pending.answer.done() and not self.has_ended:
            left = self._seconds_left(pending, timeout_seconds)
            if left <= 0:
                await self._time_out(pending, call, timeout_seconds)
            awaited: set[asyncio.Future[Any]] = {pending.answer}
            if not pending.started.done():
                # A call of a script that cannot be loaded is answered without having been started.
                awaited.add(pending.started)
            if not self._blocked.done():
                awaited.add(self._blocked)
            await self._wait_for(awaited, left)
            if pending.answer.done() or not self._blocked.done():
                continue
            if call.can_be_repeated and name in self._blocked.result():
                raise UnansweredError(
                    "another call blocked it", started=pending.started.done(), is_cause=False
                )
        if not pending.answer.done():
            # Its last messages may not have been read yet.
            await self.end("it ended")

    async def _time_out(self, pending: _PendingCall, call: Call, timeout_seconds: float) -> None:
        """End a call that took too long.

        Raises:
            UnansweredError: another call may be the reason.
            TimeoutError: none can.
        """
        others = [it for it in self._pending.values() if it is not pending and it.started.done()]
        suspected = bool(others) and not await self._is_responsive(_LAST_RESPONSE_SECONDS)
        if pending.answer.done():
            return
        reason = f"it was stopped, since a call took longer than {timeout_seconds:g} s"
        if suspected or not others:
            await self.end(reason)
        else:
            await self._leave(pending, reason)
        if suspected and call.can_be_repeated:
            raise UnansweredError(reason, started=pending.started.done(), is_cause=False)
        raise TimeoutError

    async def _leave(self, pending: _PendingCall, reason: str) -> None:
        """Give up a call; other calls that have begun go on, if the process still responds."""
        if self.responds and any(it is not pending for it in self._pending.values()):
            self._retired = True
        else:
            await self.end(reason)

    async def _watch(self) -> None:
        """Notice when one call blocks all others."""
        while len(self._pending) > 1 and not self.has_ended:
            if not await self._is_responsive(_BLOCKED_SECONDS):
                # One that was begun alone is the one that blocks: the others are made elsewhere.
                started = {name for name, it in self._pending.items() if it.started.done()}
                every = frozenset(self._pending)
                self._blocked.set_result(every if len(started) > 1 else every - started)
                self._retired = True
                return
            await asyncio.sleep(_ASKED_EVERY_SECONDS)
        self._watching = None

    async def _is_responsive(self, seconds: float) -> bool:
        """Whether the process responds within a time, or has ended."""
        if not self.responds or self.has_ended:
            return self.has_ended
        name = secrets.token_hex(8)
        response = self._asked[name] = asyncio.get_running_loop().create_future()
        self._write(_line({"ask": name}))
        try:
            await self._wait_for({response}, seconds)
            return response.done() or self.has_ended
        finally:
            del self._asked[name]

    async def end(self, reason: str) -> None:
        """End the process and all that it started; safe to call twice.

        Args:
            reason: for messages on calls that are not answered.
        """
        self._begin_end(reason)
        if self._ending is not None:
            await asyncio.shield(self._ending)

    def _begin_end(self, reason: str) -> None:
        if self._running is not None and self._ending is None:
            self._ending = asyncio.create_task(self._end(reason))

    async def _end(self, reason: str) -> None:
        assert self._running is not None and self._start is not None  # noqa: S101, PT018
        if self._watching is not None:
            self._watching.cancel()
        by_itself = self._running.capture.exited.done()
        if self._capture.broken.done():
            reason = f"it was stopped, since {self._capture.broken.result()}"
            by_itself = False
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

    @property
    def _capture(self) -> MessageCapture:
        assert self._running is not None  # noqa: S101
        capture = self._running.capture
        assert isinstance(capture, MessageCapture)  # noqa: S101
        return capture

    def _seconds_left(self, pending: _PendingCall, timeout_seconds: float) -> float:
        """Return how long a call may still take."""
        now = asyncio.get_running_loop().time()
        if pending.started.done():
            return pending.since + timeout_seconds - now
        # It waits for calls before it, which have their own limits.
        return max(pending.since, self._last_message_at) + timeout_seconds + _GRACE_SECONDS - now

    async def _wait_for(self, awaited: set[asyncio.Future[Any]], seconds: float) -> None:
        """Wait until one of some futures is done, or the process has ended."""
        capture = self._capture
        endings: set[asyncio.Future[Any]] = {capture.exited, capture.broken}
        await asyncio.wait(
            {*awaited, *endings}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )

    def _receive(self, message: Message) -> None:
        if message.kind == "alive":
            asked = self._asked.get(message.call)
            if asked is not None and not asked.done():
                asked.set_result(None)
            return
        self._last_message_at = asyncio.get_running_loop().time()
        if message.kind == "ready":
            if not self._ready.done():
                self._ready.set_result(None)
            return
        pending = self._pending.get(message.call)
        if pending is None or pending.answer.done():
            return
        if message.kind == "answer":
            pending.answer.set_result(message)
        elif not pending.started.done():
            pending.since = self._last_message_at
            pending.started.set_result(None)

    def _write(self, line: str) -> None:
        assert self._running is not None  # noqa: S101
        pipe = self._running.transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(line.encode() + b"\n")


def _line(request: Mapping[str, Any]) -> str:
    """Return a request as JSON; numbers that JSON does not have become null, as in JavaScript."""
    return finite_json(request, default=str)
