"""Rate limits that all graders of a run share: the coordinator says when a call may go out."""

from __future__ import annotations

import asyncio
import itertools

from suitecase.run.sharing.channel import Outbox
from suitecase.run.sharing.messages import Corrected, Found, Turn, TurnWanted
from suitecase_evaluators.system.waiting import waiting
from suitecase_evaluators.targets.rate_limit import RateLimit, Unit
from suitecase_evaluators.targets.target import Reply


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
