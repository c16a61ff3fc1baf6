"""What all graders of a run share, in the coordinator: places, rate limits, cache, costs, failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from suitecase.run.metered_target import RunContext
from suitecase.run.sharing.messages import (
    Corrected,
    Find,
    Found,
    Message,
    Noted,
    Put,
    Returned,
    Turn,
    TurnWanted,
    Wanted,
)
from suitecase.run.sharing.places import PlacesOfTarget
from suitecase_evaluators.system.waiting import CALLED
from suitecase_evaluators.targets.rate_limit import RateLimit, Unit

#: Seconds for answers to be put into the cache at the end.
LAST_SECONDS = 5.0

G = TypeVar("G", bound=Hashable)


class Shared(Generic[G]):
    """Answers the messages of graders about what they share.

    Args:
        context: has the pool with the numbers of places, the cache, costs and failures.
        tell: sends a message to a grader.
    """

    def __init__(self, context: RunContext, tell: Callable[[G, Message], None]) -> None:
        self._context = context
        self._tell = tell
        self._places: dict[str, PlacesOfTarget[G]] = {}
        self._rates: dict[tuple[str, Unit], RateLimit] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, grader: G, message: Message) -> None:
        """Handle a message of a grader."""
        match message:
            case Noted():
                self._note(message)
            case Wanted(target, places):
                self._places_of(target).want(grader, places)
            case Returned(target):
                self._places_of(target).give_back(grader)
            case TurnWanted():
                self._start(self._give_turn(grader, message))
            case Corrected(target, unit, per_minute, difference):
                self._rate(target, unit, per_minute).correct(difference)
            case Find(number, key):
                self._start(self._find(grader, number, key))
            case Put(key, values):
                self._start(self._context.keep_reply(key, values))
            case _:
                pass

    def forget(self, grader: G) -> None:
        """Take back the places of a grader that has ended."""
        for places in self._places.values():
            places.forget(grader)

    async def close(self) -> None:
        """Wait until the last answers are in the cache."""
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=LAST_SECONDS)
            for task in unfinished:
                task.cancel()

    def _places_of(self, target: str) -> PlacesOfTarget[G]:
        if target not in self._places:
            number = self._context.pool.room(target)
            self._places[target] = PlacesOfTarget(target, number, self._tell)
        return self._places[target]

    def _rate(self, target: str, unit: Unit, per_minute: float) -> RateLimit:
        return self._rates.setdefault((target, unit), RateLimit(per_minute))

    async def _give_turn(self, grader: G, wanted: TurnWanted) -> None:
        CALLED.set(wanted.target)  # of this task
        await self._rate(wanted.target, wanted.unit, wanted.per_minute).wait(wanted.amount)
        self._tell(grader, Turn(wanted.number))

    async def _find(self, grader: G, number: int, key: str) -> None:
        self._tell(grader, Found(number, await self._context.cached_reply(key)))

    def _note(self, noted: Noted) -> None:
        spending, failures = self._context.spending, self._context.failures
        spending.questions += noted.questions
        spending.unpriced += noted.unpriced
        spending.cached += noted.cached
        spending.usd += noted.usd
        spending.unpriced_target = spending.unpriced_target or noted.unpriced_target
        for name, why in noted.failures:
            if why is None:
                failures.worked(name)
            else:
                failures.failed(name, why)
        self._context.prompt_changed.update(dict.fromkeys(noted.prompt_changed))
        for warning in noted.warnings:
            self._context.warn(warning)
        for target, seconds in noted.rate_waits:
            self._context.rate_limited(target, seconds)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
