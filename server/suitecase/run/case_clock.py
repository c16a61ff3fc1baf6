"""How long a case may take: time in which it waits for its turn does not count."""

from __future__ import annotations

import asyncio
from contextvars import Token
from types import TracebackType
from typing import Self

from suitecase_evaluators.targets.waiting import WAITS, Waits


class CaseClock:
    """Ends what it encloses with a TimeoutError, after so many seconds that count.

    While a question of the case waits for a place at a busy target, or for what the target may be
    asked in a minute, the clock stands still: else it would depend on the other cases whether a
    case is broken off. It stands still while any of its questions waits, also where other
    evaluators are at work meanwhile.
    """

    def __init__(self, seconds: float | None) -> None:
        """
        Args:
            seconds: None sets no limit.
        """
        self._left = seconds
        self._waits = 0
        self._began = 0.0
        self._timeout = asyncio.timeout(None)
        self._runs = False
        self._token: Token[Waits | None] | None = None

    @property
    def expired(self) -> bool:
        """Whether the time was up."""
        return self._timeout.expired()

    async def __aenter__(self) -> Self:
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
        self._runs = False
        if self._token is not None:
            WAITS.reset(self._token)
        await self._timeout.__aexit__(kind, error, trace)

    def begin(self) -> None:
        """Stop the clock, for one more wait."""
        self._waits += 1
        if self._waits == 1 and self._left is not None and self._counts:
            self._left -= asyncio.get_running_loop().time() - self._began
            self._timeout.reschedule(None)

    def end(self) -> None:
        """Go on where this was the last wait."""
        self._waits -= 1
        if not self._waits:
            self._go_on()

    def _go_on(self) -> None:
        if self._left is not None and self._counts:
            self._began = asyncio.get_running_loop().time()
            self._timeout.reschedule(self._began + self._left)

    @property
    def _counts(self) -> bool:
        """Whether the limit can still be moved: not after the end, nor once the time was up."""
        return self._runs and not self._timeout.expired()
