"""A process that grades what a coordinator assigns."""

from __future__ import annotations

import asyncio
import itertools
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from suitecase.run.assignment import Assignment
from suitecase.run.call_limits import Places
from suitecase.run.case_spans import case_span, put_record, spans_of_cases
from suitecase.run.failures import Failures
from suitecase.run.grading import grade_case
from suitecase.run.metered_target import RunContext, Spending
from suitecase.run.protocol import ALIVE_SECONDS
from suitecase.run.sharing.channel import Channel, ChannelClosedError, Outbox
from suitecase.run.sharing.messages import (
    Alive,
    Answered,
    Assigned,
    Begun,
    Broken,
    Cancelled,
    Corrected,
    Find,
    Found,
    Graded,
    Granted,
    Message,
    Noted,
    Put,
    Ready,
    Recalled,
    Stop,
    Turn,
    TurnWanted,
)
from suitecase.run.sharing.places import SharedPlaces
from suitecase.run.sharing.setup import Setup, SharedSuite
from suitecase.run.target_pool import TargetPool
from suitecase.run.tracing import Tracing, traced
from suitecase_evaluators.system.waiting import RATE_WAITS, waiting
from suitecase_evaluators.targets.rate_limit import RateLimit, Unit
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Reply


async def serve(channel: Channel) -> None:
    """Grade the jobs of one run, until the coordinator has no more or is gone.

    Secrets come from the environment of this process.
    """
    with suppress(ChannelClosedError):
        setup, *early = await channel.receive()
        if not isinstance(setup, Setup):
            raise TypeError("the first message is not the setup")
        await _Grader(channel, setup).run(early)


class _Reported:
    """What the coordinator is told with the next messages: costs, failures, warnings."""

    def __init__(self, send: Callable[[], None], *, budget: bool) -> None:
        """
        Args:
            send: sends what there is to tell, without waiting for another message.
            budget: whether each cost is sent at once.
        """
        self.spending = _Spending(send if budget else lambda: None)
        self.failures = _Failures(send)
        self.prompt_changed: dict[str, None] = {}
        self.warnings: list[str] = []
        self.rate_waits: list[tuple[str, float]] = []
        self._send = send

    def rate_limited(self, target: str, seconds: float) -> None:
        """Tell of a wait at once."""
        self.rate_waits.append((target, seconds))
        self._send()

    def collected(self) -> Sequence[Message]:
        """Return what there is to tell, which is told once."""
        spent = self.spending
        noted = Noted(
            questions=spent.questions,
            unpriced=spent.unpriced,
            cached=spent.cached,
            usd=spent.usd,
            unpriced_target=spent.unpriced_target,
            failures=self.failures.taken(),
            prompt_changed=tuple(self.prompt_changed),
            warnings=tuple(self.warnings),
            rate_waits=tuple(self.rate_waits),
        )
        if noted == _NOTHING:
            return ()
        spent.questions = spent.unpriced = spent.cached = 0
        spent.usd = 0.0
        spent.unpriced_target = None
        self.prompt_changed.clear()
        self.warnings.clear()
        self.rate_waits.clear()
        return (noted,)


_NOTHING = Noted()


class _Spending(Spending):
    """Counts costs for the coordinator."""

    def __init__(self, send: Callable[[], None]) -> None:
        super().__init__()
        self._send = send

    def add(self, target: str, usd: float | None) -> None:
        super().add(target, usd)
        self._send()


class _Failures(Failures):
    """Notes what failed and what worked, for the coordinator."""

    def __init__(self, send: Callable[[], None]) -> None:
        super().__init__()
        self._send = send
        self._seen: list[tuple[str, str | None]] = []
        #: Those that have worked since they last failed.
        self._fine: set[str] = set()

    def failed(self, name: str, why: str) -> None:
        self._seen.append((name, why))
        self._fine.discard(name)
        self._send()

    def worked(self, name: str) -> None:
        if name not in self._fine:
            self._seen.append((name, None))
            self._fine.add(name)

    def taken(self) -> tuple[tuple[str, str | None], ...]:
        """Return what was noted, once."""
        seen = tuple(self._seen)
        self._seen.clear()
        self._fine.clear()
        return seen


class _SharedContext(RunContext):
    """What the cases of a grader share: the cache is the coordinator's."""

    def __init__(
        self, setup: Setup, pool: TargetPool, redactor: Redactor, reported: _Reported,
        outbox: Outbox, asked: Asked,
    ) -> None:  # fmt: skip
        super().__init__(
            pool,
            redactor,
            ("read" if setup.reads_cache else "refresh") if setup.writes_cache else "off",
            warn=reported.warnings.append,
            spending=reported.spending,
            failures=reported.failures,
            prompt_changed=reported.prompt_changed,
        )
        self._caches = setup.writes_cache
        self._outbox = outbox
        self._asked = asked

    @property
    def caches(self) -> bool:
        return self._caches

    async def cached_reply(self, key: str) -> Reply | None:
        number = self._asked.number()
        self._outbox.put(Find(number, key))
        return await self._asked.answer(number)

    async def keep_reply(self, key: str, values: Mapping[str, Any]) -> None:
        self._outbox.put(Put(key, values))


class _Grader:
    """Grades the jobs of one run."""

    def __init__(self, channel: Channel, setup: Setup) -> None:
        self._channel = channel
        self._setup = setup
        self._outbox = Outbox(channel, lambda: self._reported.collected())
        self._reported = _Reported(self._outbox.put, budget=setup.budget)
        RATE_WAITS.set(self._reported.rate_limited)
        self._asked = Asked()
        self._places: dict[str, SharedPlaces] = {}
        self._jobs: dict[int, asyncio.Task[None]] = {}

    async def run(self, early: Sequence[Message]) -> None:
        """Grade until the coordinator says `Stop` or is gone.

        Args:
            early: the messages that came with the setup.
        """
        beating = asyncio.create_task(self._beat())
        redactor = Redactor()
        pool: TargetPool | None = None
        try:
            pool = self._pool(redactor)
            context = _SharedContext(
                self._setup, pool, redactor, self._reported, self._outbox, self._asked
            )
            suite = SharedSuite(self._setup)
        except Exception:  # noqa: BLE001 - the coordinator reports the bug
            self._outbox.put(Broken(redactor(traceback.format_exc())))
            await self._outbox.flush()
            return
        else:
            async with self._traced(redactor) as tracing:
                with spans_of_cases(tracing):
                    self._outbox.put(Ready())
                    await self._receive(early, suite, context)
        finally:
            beating.cancel()
            if pool is not None:
                await pool.close()
            await self._outbox.flush()

    def _traced(self, redactor: Redactor) -> AbstractAsyncContextManager[Tracing]:
        """Export the spans of the cases from here, if the run has spans."""
        setup = self._setup
        if setup.run_id is None:
            return nullcontext(Tracing())
        warn = self._reported.warnings.append
        return traced(redactor, warn, parent=setup.trace, run_id=setup.run_id)

    def _pool(self, redactor: Redactor) -> TargetPool:
        setup = self._setup
        return TargetPool(
            setup.targets,
            folder=setup.suite.path.parent,
            environ=os.environ,
            redactor=redactor,
            workers=setup.concurrency,
            sandbox=setup.sandbox,
            replay=setup.replay,
            limits=self,
            cached_for=None if setup.cached_for is None else Path(setup.cached_for),
        )

    def places(self, target: str, number: int, /) -> Places:
        """Return the places of a target: as `call_limits.CallLimits`."""
        self._places[target] = SharedPlaces(target, self._outbox)
        return self._places[target]

    def rate_limit(self, target: str, unit: Unit, per_minute: float | None, /) -> SharedRateLimit:
        """Return what spaces the calls of a target: as `call_limits.CallLimits`."""
        return SharedRateLimit(target, unit, per_minute, self._outbox, self._asked)

    async def _receive(
        self, early: Sequence[Message], suite: SharedSuite, context: RunContext
    ) -> None:
        batch = early
        try:
            while all(self._take(it, suite, context) for it in batch):
                batch = await self._channel.receive()
        finally:
            running = list(self._jobs.values())
            for task in running:
                task.cancel()
            if running:
                await asyncio.wait(running)

    def _take(self, message: Message, suite: SharedSuite, context: RunContext) -> bool:
        """Handle a message; return whether to go on."""
        match message:
            case Assigned(number, assignment):
                self._outbox.put(Begun(number))
                task = asyncio.create_task(self._grade(number, assignment, suite, context))
                self._jobs[number] = task
            case Granted(target):
                self._places[target].granted()
            case Recalled(target, at_once):
                self._places[target].recalled(at_once=at_once)
            case Turn() | Found():
                self._asked.answered(message)
            case Cancelled(number) if number in self._jobs:
                self._jobs[number].cancel()
            case Stop():
                return False
            case _:
                pass
        return True

    async def _grade(
        self, number: int, assignment: Assignment, suite: SharedSuite, context: RunContext
    ) -> None:
        costs = context.pool.costs(assignment.job.target)

        def answered(reply: Reply) -> None:
            if costs and assignment.job.case.evaluators:
                self._outbox.put(Answered(number, reply))

        try:
            with case_span(assignment.job, suite) as span:
                graded = await grade_case(
                    assignment, suite, context, self._setup.timeout_seconds, answered
                )
                put_record(span, graded.record, graded.error_type)
            self._outbox.put(Graded(number, graded.reported.line(), graded.bugs, graded.usd))
        finally:
            del self._jobs[number]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            self._outbox.put(Alive())


class Asked:
    """The questions of a grader to its coordinator that wait for an answer."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Reply | None]] = {}

    def number(self) -> int:
        """Return the number of a new question."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        return number

    async def answer(self, number: int) -> Reply | None:
        """Wait for the answer to a question."""
        try:
            return await self._waiting[number]
        finally:
            del self._waiting[number]

    def answered(self, message: Turn | Found) -> None:
        """Pass on an answer; one that nobody waits for any more is dropped."""
        waiting_for = self._waiting.get(message.number)
        if waiting_for is not None and not waiting_for.done():
            waiting_for.set_result(message.reply if isinstance(message, Found) else None)


class SharedRateLimit(RateLimit):
    """A rate limit that all graders share."""

    def __init__(
        self, target: str, unit: Unit, per_minute: float | None, outbox: Outbox, asked: Asked
    ) -> None:
        super().__init__(per_minute)
        self._target = target
        self._unit: Unit = unit
        self._per_minute = per_minute
        self._outbox = outbox
        self._asked = asked

    async def wait(self, amount: float = 1.0) -> None:
        """Return when the coordinator says that the next request may go out."""
        if not self._per_minute:
            return
        number = self._asked.number()
        self._outbox.put(TurnWanted(number, self._target, self._unit, self._per_minute, amount))
        with waiting():
            await self._asked.answer(number)

    def correct(self, difference: float) -> None:
        """Correct the estimate of an earlier request."""
        if self._per_minute:
            self._outbox.put(Corrected(self._target, self._unit, self._per_minute, difference))
