"""The places of targets, shared by all graders of a run.

A grader keeps a place after a call, so that the next one needs no message. It gives it back when another
grader waits for one and it has none to use it for, or when the other one has fewer. Where calls wait in
all of them, each keeps its share.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from suitecase.run.sharing.channel import Outbox
from suitecase.run.sharing.messages import Granted, Recalled, Returned, Wanted

G = TypeVar("G", bound=Hashable)


@dataclass(slots=True)
class PlacesOfTarget(Generic[G]):
    """Who has the places of a target, and who waits for one, in the coordinator.

    Attributes:
        free: the number of places that nobody has.
        tell: called with a grader and what it is told.
    """

    target: str
    free: int
    tell: Callable[[G, Granted | Recalled], None]
    _held: Counter[G] = field(default_factory=Counter)
    _recalled: Counter[G] = field(default_factory=Counter)
    #: How many places each of them waits for.
    _waiting: Counter[G] = field(default_factory=Counter)

    def want(self, grader: G, places: int) -> None:
        """Give a grader places, as soon as there are."""
        self._waiting[grader] += places
        self._settle()

    def give_back(self, grader: G) -> None:
        """Take a place back."""
        self._held[grader] -= 1
        if self._recalled[grader]:
            self._recalled[grader] -= 1
        self.free += 1
        self._settle()

    def forget(self, grader: G) -> None:
        """Take back all places of a grader that is gone."""
        self.free += self._held.pop(grader, 0)
        self._recalled.pop(grader, None)
        self._waiting.pop(grader, None)
        self._settle()

    def _settle(self) -> None:
        while self.free and (waiting := self._those_that_wait()):
            grader = waiting[0]
            self._waiting[grader] -= 1
            self.free -= 1
            self._held[grader] += 1
            self.tell(grader, Granted(self.target))
        missing = self._waiting.total() - self._recalled.total()
        for grader in self._those_that_wait():
            for _ in range(min(missing, self._waiting[grader])):
                holder = self._richest(grader)
                if holder is None:
                    break
                has_fewer = self._held[grader] + 1 < self._held[holder] - self._recalled[holder]
                self._recalled[holder] += 1
                self.tell(holder, Recalled(self.target, at_once=has_fewer))
                missing -= 1

    def _those_that_wait(self) -> list[G]:
        """Return the graders that wait for a place, first the one that has the fewest."""
        waiting = [it for it, number in self._waiting.items() if number]
        return sorted(waiting, key=lambda it: self._held[it])

    def _richest(self, waits: G) -> G | None:
        """Return the grader with the most places that are not recalled, other than the one that waits."""
        left = {it: held - self._recalled[it] for it, held in self._held.items() if it != waits}
        holder = max(left, key=lambda it: left[it], default=None)
        return holder if holder is not None and left[holder] > 0 else None


class SharedPlaces:
    """The places of a target in a grader, as `call_limits.Places`."""

    def __init__(self, target: str, outbox: Outbox) -> None:
        self._target = target
        self._outbox = outbox
        self._idle = 0
        #: How many places to give back: the next ones that are free, and those that no call waits for.
        self._owed = 0
        self._wanted_elsewhere = 0
        self._wanted = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Wait for a place that no other call of any grader has."""
        if self._idle:
            self._idle -= 1
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(granted)
        self._ask()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Free the place of a call."""
        if self._owed:
            self._owed -= 1
            self._outbox.put(Returned(self._target))
            self._ask()
            return
        while self._waiting:
            granted = self._waiting.popleft()
            if not granted.done():  # it is cancelled
                granted.set_result(None)
                return
        if self._wanted_elsewhere:
            self._wanted_elsewhere -= 1
            self._outbox.put(Returned(self._target))
            return
        self._idle += 1

    def granted(self) -> None:
        """Take a place that the coordinator gives."""
        self._wanted -= 1
        self.release()

    def recalled(self, *, at_once: bool) -> None:
        """Give a place back.

        Args:
            at_once: as soon as one is free, even if calls wait for it.
        """
        if at_once:
            self._owed += 1
        else:
            self._wanted_elsewhere += 1
        if self._idle:
            self._idle -= 1
            self.release()

    def _ask(self) -> None:
        missing = len(self._waiting) - self._wanted
        if missing > 0:
            self._wanted += missing
            self._outbox.put(Wanted(self._target, missing))
