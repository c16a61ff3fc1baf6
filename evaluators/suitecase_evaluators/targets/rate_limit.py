"""Spaces requests evenly, so that no minute has more of them than a provider allows."""

from __future__ import annotations

import asyncio
from typing import Literal, Protocol

from suitecase_evaluators.system.waiting import waiting, waits_for_rate
from suitecase_evaluators.targets.target import Turn

#: The assumed number of characters of a token, before usage is known.
CHARACTERS_PER_TOKEN = 4


class RateLimit:
    """At most `per_minute` of something a minute, one request after the other.

    A request takes as much as it is said to, and the next one waits until that much of the minute
    is over. None lets everything through. One object may be shared by all questions of an event
    loop.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def wait(self, amount: float = 1.0) -> None:
        """Return when the next request may go out, which takes this amount."""
        if not self._interval:
            return
        now = asyncio.get_running_loop().time()
        turn = max(self._next, now)
        # Reserved before waiting, so that later requests queue up.
        self._next = turn + self._interval * amount
        if turn > now:
            waits_for_rate(turn - now)
            with waiting():
                await asyncio.sleep(turn - now)

    def correct(self, difference: float) -> None:
        """Correct the estimate of an earlier request, which changes how long later ones wait."""
        self._next += self._interval * difference


#: What a minute is limited in.
Unit = Literal["requests", "tokens"]


class RateLimits(Protocol):
    """Makes the limits of targets."""

    def __call__(self, target: str, unit: Unit, per_minute: float | None, /) -> RateLimit:
        """Return the limit of a target, which all its calls share."""
        ...


def own_rate_limit(target: str, unit: Unit, per_minute: float | None, /) -> RateLimit:
    """Return a limit for the calls of this process alone."""
    return RateLimit(per_minute)


def tokens_of(turns: tuple[Turn, ...]) -> float:
    """Return about how many tokens turns have, for want of a count: a quarter of the characters."""
    return sum(len(turn.text) for turn in turns) / CHARACTERS_PER_TOKEN
