"""Remaining processes of a program whose launcher ended: they are adopted and ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

#: Seconds for all of them to end.
ENDING_SECONDS = 3.0
_SET_CHILD_SUBREAPER = 36


class Launchers:
    """The launchers that this process has started; whatever else it has adopted is a stray."""

    def __init__(self) -> None:
        self.running: set[int] = set()
        #: Whether orphans become children of this process.
        self.adopts = False
        #: How many are being started, whose process ids are not known yet.
        self.starting = 0

    @contextmanager
    def being_started(self) -> Iterator[None]:
        self.starting += 1
        try:
            yield
        finally:
            self.starting -= 1

    async def end_strays(self) -> None:
        """End processes that killed launchers left behind, in any session."""
        if sys.platform == "win32":
            return
        until = monotonic() + ENDING_SECONDS
        while self.adopts and monotonic() < until:
            if not self.starting:
                strays = list(self._strays())
                for one in (*strays, *_below(strays)):
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(one, signal.SIGKILL)
                for one in strays:
                    with suppress(ChildProcessError):
                        os.waitpid(one, os.WNOHANG)  # noqa: ASYNC222 - it does not wait
                if not strays:
                    return
            await asyncio.sleep(0.005)

    def _strays(self) -> Iterator[int]:
        """Yield children that this process adopted: they have sessions, and it made none of them.

        Processes that an evaluator starts are in the session of this one.
        """
        if sys.platform == "win32":
            return
        own = os.getsid(0)
        for one in _children(os.getpid()):
            with suppress(ProcessLookupError):
                if one not in self.running and os.getsid(one) != own:
                    yield one


LAUNCHERS = Launchers()


def adopt_orphans() -> None:
    """Make orphans of programs children of this process, where the system can."""
    if sys.platform == "linux":
        import ctypes

        LAUNCHERS.adopts = ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _below(parents: list[int]) -> list[int]:
    found, waiting = list[int](), list(parents)
    while waiting:
        children = list(_children(waiting.pop()))
        found += children
        waiting += children
    return found


def _children(parent: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{parent}/task").iterdir():
            with suppress(OSError):
                yield from map(int, (task / "children").read_bytes().split())
