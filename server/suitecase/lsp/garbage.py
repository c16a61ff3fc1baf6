"""When the language server collects its garbage: while nobody waits for it.

A collection looks at everything there is. With thousands of cases in memory that takes longer than
all else a keystroke costs, and finds nothing: what a suite consists of lives as long as the suite.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

#: It is looked this often whether there is something to collect, in seconds.
EVERY = 1.0
#: The client counts as idle when it has said nothing for so long, in seconds.
IDLE = 0.4
#: So many new objects are worth a collection,
SOME = 20_000
#: and so many are what was read, nearly all of which is here to stay.
MANY = 400_000


class GarbageCollection:
    """Collects what has come up since the last time; what stayed then is not looked at again.

    Args:
        quiet_for: says for how long the client has said nothing, in seconds.
        let_go: says how many documents are gone: of those everything is looked at.
    """

    def __init__(self, quiet_for: Callable[[], float], let_go: Callable[[], int]) -> None:
        self._quiet_for = quiet_for
        self._let_go = let_go
        self._gone = 0
        gc.disable()

    async def run(self) -> None:
        """Collect garbage now and then, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            self._collect(idle=self._quiet_for() >= IDLE)

    def _collect(self, *, idle: bool) -> None:
        new = gc.get_count()[0]
        if idle and self._let_go() != self._gone:
            self._gone = self._let_go()
            gc.unfreeze()
            gc.collect()
        elif SOME < new <= MANY and idle:
            gc.collect(0)
        elif new <= MANY:
            return
        gc.freeze()
