"""Handling Ctrl-C and SIGTERM, as CI services send it on timeouts: finished results are reported."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from suitecase.cli import EXIT_INTERRUPTED

#: The exit code after SIGTERM.
EXIT_TERMINATED = 128 + 15


def leave_at_next_interrupt() -> None:
    """End this process at the next Ctrl-C, whatever it waits for; the worker ends by itself."""
    with suppress(ValueError):  # not the main thread, which alone receives signals
        signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))


@dataclass(slots=True)
class Termination:
    """Whether SIGTERM came."""

    came: bool = False


@contextmanager
def cancelled_by_sigterm(termination: Termination) -> Iterator[None]:
    """Cancel the current task when the first SIGTERM comes; a second one ends the process."""
    task = asyncio.current_task()
    ignored = signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    if sys.platform == "win32" or ignored or task is None:
        yield
        return
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        termination.came = True
        loop.remove_signal_handler(signal.SIGTERM)
        task.cancel()

    try:
        loop.add_signal_handler(signal.SIGTERM, cancel)
    except (RuntimeError, ValueError):  # not the main thread, which alone receives signals
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
