"""How many calls of a target may be under way, and how many a minute."""

from __future__ import annotations

import asyncio
from typing import Protocol

from suitecase_evaluators.targets.rate_limit import RateLimit, Unit


class Places(Protocol):
    """The places of a target: each call under way takes one."""

    async def acquire(self) -> object:
        """Wait for a free place and take it."""
        ...

    def release(self) -> None:
        """Free a place."""
        ...


class CallLimits(Protocol):
    """Makes what limits the calls of targets."""

    def places(self, target: str, number: int, /) -> Places:
        """Return the places of a target."""
        ...

    def rate_limit(self, target: str, unit: Unit, per_minute: float | None, /) -> RateLimit:
        """Return what spaces the calls of a target."""
        ...


class OwnLimits:
    """Limits the calls of this process alone."""

    def places(self, target: str, number: int, /) -> Places:
        return asyncio.Semaphore(number)

    def rate_limit(self, target: str, unit: Unit, per_minute: float | None, /) -> RateLimit:
        return RateLimit(per_minute)
