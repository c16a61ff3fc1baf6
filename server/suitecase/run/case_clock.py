"""The time limit of a case, which excludes time spent waiting for a busy target."""

from __future__ import annotations

import asyncio
from contextvars import Token
from types import TracebackType
from typing import Self

from suitecase_evaluators.system.waiting import WAITS, Waits


class CaseClock:
    """A context manager that raises TimeoutError after a number of counted seconds.

    The clock stops while any call of the case waits for a busy target or for a rate limit, even if
    other evaluators work meanwhile. Otherwise other cases would decide whether a case times out.
    """

    def __init__(self, seconds: float | None) -> None:
        """
        Args:
            seconds: the limit; None for none.
        """
        self._seconds = self._left = seconds
        self._waits = 0
        self._began = 0.0
        #: None if there is no limit.
        self._timeout = None if seconds is None else asyncio.timeout(None)
        self._runs = False
        self._token: Token[Waits | None] | None = None

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return self._timeout is not None and self._timeout.expired()

    async def __aenter__(self) -> Self:
        if self._timeout is None:
            return self
        await self._timeout.__aenter__()
        self._runs = True
        self._token = WAITS.set(self)
        self._go_on()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timeout is None:
            return
        self._runs = False
        if self._token is not None:
            WAITS.reset(self._token)
        await self._timeout.__aexit__(kind, error, trace)

    def begin(self) -> None:
        """Begin a wait: stop the clock."""
        self._waits += 1
        timeout = self._going
        if self._waits == 1 and self._left is not None and timeout is not None:
            self._left -= asyncio.get_running_loop().time() - self._began
            timeout.reschedule(None)

    def end(self) -> None:
        """End a wait: restart the clock after the last one."""
        self._waits -= 1
        if not self._waits:
            self._go_on()

    def waited(self, seconds: float) -> None:
        """Give back seconds that were counted: they were a wait."""
        if self._left is None or self._seconds is None or self._going is None:
            return
        self._left = min(self._left + seconds, self._seconds)
        if not self._waits:
            self._going.reschedule(self._began + self._left)

    def _go_on(self) -> None:
        timeout = self._going
        if self._left is not None and timeout is not None:
            self._began = asyncio.get_running_loop().time()
            timeout.reschedule(self._began + self._left)

    @property
    def _going(self) -> asyncio.Timeout | None:
        """The limit while it can still be rescheduled: not after the end or a timeout."""
        return self._timeout if self._runs and not self.expired else None
