"""The side of a run that gives its jobs to graders, and owns what they share."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from suitecase.run.assignment import Assignment
from suitecase.run.client import SILENT_SECONDS
from suitecase.run.grading import Bug, ungraded_case
from suitecase.run.metered_target import RunContext
from suitecase.run.protocol import ALIVE_SECONDS
from suitecase.run.sharing.channel import Channel, ChannelClosedError, Outbox
from suitecase.run.sharing.grading_jobs import GradedJob, NoGraderError
from suitecase.run.sharing.messages import (
    Answered,
    Assigned,
    Begun,
    Broken,
    Cancelled,
    Graded,
    Message,
    Ready,
    Stop,
)
from suitecase.run.sharing.setup import Setup
from suitecase.run.sharing.shared import Shared
from suitecase.run.suite_in_run import SuiteInRun
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.targets.target import Reply

#: How many graders in a row may end before they are set up.
MOST_EARLY_ENDS = 3
#: A case whose graders end so often has an error, and so has one whose machines leave the cluster, or whose graders end
#: before they have begun with it, so often.
MOST_ENDS = 2
MOST_UNRELATED_ENDS = 4
#: Seconds for graders to end their programs and to send their last messages.
STOP_SECONDS = 3.0

#: Waits for one more grader and opens a channel to it; raises NoGraderError if there will be no more.
Connect = Callable[[], Awaitable[Channel]]


@dataclass(slots=True)
class _Running:
    """A job that a grader has."""

    done: asyncio.Future[GradedJob]
    #: Called when its target has answered.
    answered: Callable[[], None]
    #: The grader has received it.
    begun: bool = False
    #: What its target answered.
    reply: Reply | None = None


@dataclass(slots=True, eq=False)
class _Connected:
    """A grader with a channel."""

    channel: Channel
    outbox: Outbox
    running: dict[int, _Running] = field(default_factory=dict)
    ready: bool = False
    #: It grades one job, and is given no other.
    alone: bool = False
    #: The number of checks in a row without a message from it.
    silent: int = 0


class _GraderGoneError(Exception):
    """The grader of a job has ended."""

    def __init__(self, gone: ChannelClosedError, running: _Running) -> None:
        super().__init__(gone.reason)
        self.reason = gone.reason
        #: The job has hardly caused it.
        self.is_unrelated = gone.machine_left or not running.begun
        self.reply = running.reply


class Coordinator:
    """Grades jobs by other processes: a `Grader`, to be used as a context manager."""

    def __init__(
        self,
        setup: Setup,
        suite: SuiteInRun,
        context: RunContext,
        connect: Connect,
        number: int,
    ) -> None:
        """
        Args:
            suite: the suite of the setup.
            context: has the pool with the numbers of places, the cache, costs and failures.
            connect: opens a channel to a new grader.
            number: the number of graders; one that ends is replaced.
        """
        self._setup = setup
        self._suite = suite
        self._context = context
        self._connect = connect
        self._numbers = itertools.count(1)
        self._connected: list[_Connected] = []
        self._shared = Shared(context, _tell)
        #: How many jobs wait for a grader of their own.
        self._suspects = 0
        #: Something has happened that those who wait for a grader may wait for.
        self._changed = asyncio.Event()
        self._over = False
        self._failure: NoGraderError | None = None
        self._number = number
        self._slots: list[asyncio.Task[None]] = []
        self._listening: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._slots = [asyncio.create_task(self._keep_connected()) for _ in range(self._number)]
        self._listening = asyncio.create_task(self._end_those_that_hang())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        for grader in self._connected:
            grader.outbox.put(Stop())
        # One that is not ready yet has nothing to clean up.
        closing = [it.channel.close(STOP_SECONDS if it.ready else 0) for it in self._connected]
        await asyncio.gather(*closing, return_exceptions=True)
        for task in (*self._slots, self._listening):
            if task is not None:
                task.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        await self._shared.close()

    async def grade(self, assignment: Assignment, answered: Callable[[], None]) -> GradedJob:
        """Grade a job; one whose grader ends is given to another, where it is alone.

        Args:
            answered: called when its target has answered, unless nothing has to be graded then.

        Raises:
            NoGraderError: no grader is left.
        """
        answered_usd = 0.0
        reason = ""
        ends = unrelated = 0
        while ends < MOST_ENDS and unrelated < MOST_UNRELATED_ENDS:
            alone = ends > 0
            grader = await self._free(alone=alone)
            try:
                graded = await self._graded_by(grader, assignment, answered)
            except _GraderGoneError as gone:
                reason = gone.reason
                ends += not gone.is_unrelated
                unrelated += gone.is_unrelated
                if gone.reply is not None:
                    answered_usd = gone.reply.cost_usd or 0.0
                    assignment = replace(assignment, reply=gone.reply)
            else:
                return replace(graded, usd=graded.usd + answered_usd)
            finally:
                grader.alone = False
                if alone or self._suspects:
                    self._changed.set()
        ungraded = ungraded_case(
            assignment,
            self._suite,
            self._context.redactor,
            f"the process that graded this case ended {_times(ends + unrelated)}; the last one {reason}",
        )
        return GradedJob(ungraded.reported, usd=answered_usd)

    async def _graded_by(
        self, grader: _Connected, assignment: Assignment, answered: Callable[[], None]
    ) -> GradedJob:
        number = next(self._numbers)
        running = _Running(asyncio.get_running_loop().create_future(), answered)
        grader.running[number] = running
        grader.outbox.put(Assigned(number, assignment))
        try:
            return await running.done
        except asyncio.CancelledError:
            grader.outbox.put(Cancelled(number))
            raise
        finally:
            grader.running.pop(number, None)

    async def _free(self, *, alone: bool) -> _Connected:
        """Wait for a grader: that with the fewest jobs, or one without any that stays alone."""
        self._suspects += alone
        try:
            while (found := self._chosen(alone=alone)) is None:
                if self._failure is not None:
                    raise self._failure
                self._changed.clear()
                await self._changed.wait()
        finally:
            self._suspects -= alone
        found.alone = alone
        return found

    def _chosen(self, *, alone: bool) -> _Connected | None:
        # As long as jobs wait for a grader of their own, those without jobs are for them.
        ready = [
            it
            for it in self._connected
            if it.ready
            and not it.alone
            and (not it.running if alone else it.running or not self._suspects)
        ]
        return min(ready, key=lambda it: len(it.running), default=None)

    async def _keep_connected(self) -> None:
        """Keep one grader connected, as long as there are any."""
        early_ends = 0
        try:
            while not self._over:
                grader = _Connected(channel := await self._connect(), Outbox(channel))
                reason = await self._serve(grader)
                early_ends = 0 if grader.ready else early_ends + 1
                if early_ends == MOST_EARLY_ENDS:
                    raise NoGraderError(f"the processes that grade cannot start: the last {reason}")
        except NoGraderError as error:
            self._number -= 1
            if error.trace is not None or not self._number:
                self._failure = error
                self._changed.set()

    async def _serve(self, grader: _Connected) -> str:
        """Handle the messages of a grader until it has ended; returns why it has."""
        self._connected.append(grader)
        gone = ChannelClosedError("was given up")
        try:
            grader.outbox.put(self._setup)
            while True:
                for message in await grader.channel.receive():
                    grader.silent = 0
                    self._take(grader, message)
        except ChannelClosedError as closed:
            gone = closed
        except NoGraderError:
            await grader.channel.close(0)
            raise
        finally:
            self._connected.remove(grader)
            self._shared.forget(grader)
            for running in grader.running.values():
                if not running.done.done():
                    running.done.set_exception(_GraderGoneError(gone, running))
            self._changed.set()
        await grader.channel.close(0)
        return gone.reason

    def _take(self, grader: _Connected, message: Message) -> None:
        match message:
            case Graded(number, line, bugs, usd):
                self._finish(grader, number, line, bugs, usd)
            case Begun(number) if number in grader.running:
                grader.running[number].begun = True
            case Answered(number, reply) if number in grader.running:
                grader.running[number].reply = reply
                grader.running[number].answered()
            case Ready():
                grader.ready = True
                self._changed.set()
            case Broken(trace):
                raise NoGraderError("a process that grades failed", trace)
            case _:
                self._shared.take(grader, message)

    def _finish(
        self, grader: _Connected, number: int, line: bytes, bugs: tuple[Bug, ...], usd: float
    ) -> None:
        running = grader.running.pop(number, None)
        if running is None or running.done.done():
            return  # it is cancelled
        record = ResultRecord.parse(line, keep=True)
        if record is None:
            raise NoGraderError("a process that grades sent a record that cannot be read", "")
        running.done.set_result(GradedJob(record, bugs, usd))

    async def _end_those_that_hang(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            for grader in list(self._connected):
                # Counts checks, not seconds: this process may be suspended for a while, too.
                grader.silent += 1
                if grader.silent * ALIVE_SECONDS > SILENT_SECONDS:
                    await grader.channel.close(0, _HANGS)


_HANGS = f"did not respond for {SILENT_SECONDS:g} s, so it was terminated"


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _tell(grader: _Connected, message: Message) -> None:
    grader.outbox.put(message)
