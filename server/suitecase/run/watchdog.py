"""The watchdog process: kills a worker that outlives its client, and a worker's leftover children.

A worker stops by itself at the end of its requests, unless it computes: a regular expression or a C
library may hold the GIL for hours, so that no thread of the worker runs. So this is a separate
process. It imports nothing of ours, and is executed by its path with an isolated Python. Its
arguments are

    WORKER CLIENT

the process ids of both. Its standard input is the read end of a pipe whose other end only the worker
has; a third argument is the descriptor of the worker's requests, if the system can tell that its
write end is closed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

if sys.platform == "win32":
    raise ImportError("windows_watchdog.py does this on Windows")

#: Seconds that a worker has to stop by itself after its client is gone.
GRACE_SECONDS = 6.0


def watch(worker: int, starter: int, requests: int) -> None:
    """Wait until the worker or its client is gone; then kill the worker if it does not stop."""
    waiting = select.poll()
    ended = 0  # our standard input
    waiting.register(ended, 0)  # only reports that the other end is closed
    waiting.register(requests, 0)
    if sys.platform == "linux":
        with suppress(OSError):  # it is gone, or the kernel is old: the pipe also tells
            waiting.register(os.pidfd_open(starter), select.POLLIN)
    if all(descriptor != ended for descriptor, _ in waiting.poll()):
        kill(worker)
    if os.getpgrp() == worker:
        # The worker led this process group: kill its remaining children, and this process.
        os.killpg(worker, signal.SIGKILL)


def kill(worker: int) -> None:
    """Kill the worker if it still runs after the grace period."""
    until = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < until:
        if os.getppid() != worker:
            return
        time.sleep(0.1)
    # The process id is not reused as long as it is our parent.
    if os.getppid() == worker:
        os.kill(worker, signal.SIGKILL)


if __name__ == "__main__":
    watch(*map(int, sys.argv[1:4]))
