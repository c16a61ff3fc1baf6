"""The calls that one server of the user's is answering: those behind others in its queue are not late.

Such a server answers a few calls at once, or one, and keeps the others waiting. What it works on is not
seen from outside. So the time of a call begins again whenever the server has answered another, as often as
there were calls that it may have had to wait for. A server that answers nothing is late after the time of
one call, as any other.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from suitecase_evaluators.system.waiting import WAITS


class CallsUnderWay:
    """The calls to one server that are not answered."""

    def __init__(self) -> None:
        self._calls: set[CallLimit] = set()

    def limit(self, seconds: float) -> CallLimit:
        """Return the time limit of a call that is about to be sent."""
        return CallLimit(self, seconds)

    def begin(self, call: CallLimit) -> None:
        """Take note that a call is sent."""
        self._calls.add(call)
        for each in self._calls:
            each.beside = max(each.beside, len(self._calls) - 1)

    def end(self, call: CallLimit, *, answered: bool) -> None:
        """Take note that a call is over."""
        self._calls.discard(call)
        for other in self._calls if answered else ():
            other.begin_again()


class CallLimit:
    """Raises TimeoutError if a call has no answer so many seconds after the server could turn to it."""

    def __init__(self, server: CallsUnderWay, seconds: float) -> None:
        self._server = server
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)
        self._began = 0.0
        #: The most calls that were under way beside it, and how many have been answered since.
        self.beside = 0
        self._answered = 0
        self._clock = WAITS.get()

    def expired(self) -> bool:
        """Whether the time is up."""
        return self._timeout.expired()

    async def __aenter__(self) -> Self:
        self._began = asyncio.get_running_loop().time()
        await self._timeout.__aenter__()
        self._server.begin(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.end(self, answered=error is None)
        await self._timeout.__aexit__(kind, error, trace)

    def begin_again(self) -> None:
        """Count the time anew, if the server may only now have turned to this call."""
        if self.expired() or self._answered >= self.beside:
            return
        self._answered += 1
        now = asyncio.get_running_loop().time()
        self._timeout.reschedule(now + self._seconds)
        if self._clock is not None:
            self._clock.waited(now - self._began)
        self._began = now


_SERVERS: WeakValueDictionary[str, CallsUnderWay] = WeakValueDictionary()


def calls_at(server: str) -> CallsUnderWay:
    """Return the calls to a server, which all targets that ask it share.

    Args:
        server: as `server_of` returns it.
    """
    found = _SERVERS.get(server)
    if found is None:
        found = _SERVERS[server] = CallsUnderWay()
    return found
