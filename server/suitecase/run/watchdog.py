"""Kills a worker that outlives whoever started it, and what outlives a worker: a program of its own.

A worker stops by itself when its requests end. One that computes cannot: a regular expression, or a
library in C, may hold the interpreter's lock for hours, and no thread of the worker runs meanwhile.
So this is a process. It imports nothing of ours, and is run by its path, by an isolated Python.
Its arguments are

    WORKER STARTER

the process ids of both. Its standard input is the read end of a pipe whose other end the worker
alone has; the descriptor of the worker's requests follows as a third argument where the system can
tell that nobody writes to it any more.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

#: Seconds in which a worker has to stop by itself after its starter is gone.
GRACE_SECONDS = 6.0


def watch(worker: int, starter: int, requests: int) -> None:
    """Wait until the worker or its starter is gone; kill the worker where it stays."""
    waiting = select.poll()
    ended = 0  # our standard input
    waiting.register(ended, 0)  # asks for nothing but the other end's being closed
    waiting.register(requests, 0)
    if sys.platform == "linux":
        with suppress(OSError):  # it is gone, or the kernel is old: the pipe tells as well
            waiting.register(os.pidfd_open(starter), select.POLLIN)
    if all(descriptor != ended for descriptor, _ in waiting.poll()):
        kill(worker)
    if os.getpgrp() == worker:
        # The worker led this group: what it forked is still in it, and ends with this process.
        os.killpg(worker, signal.SIGKILL)


def kill(worker: int) -> None:
    """Kill the worker if it is still there after a while."""
    until = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < until:
        if os.getppid() != worker:
            return
        time.sleep(0.1)
    # Its process id belongs to nobody else as long as it is our parent.
    if os.getppid() == worker:
        os.kill(worker, signal.SIGKILL)


def watch_on_windows(worker: int, starter: int) -> None:
    """Do the same with handles of both processes, which Windows keeps from being reused."""
    import ctypes

    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined] # Windows alone has it
    kernel.OpenProcess.restype = ctypes.c_void_p
    synchronize, terminate, endless = 0x00100000, 0x0001, 0xFFFFFFFF
    own = kernel.OpenProcess(synchronize | terminate, False, worker)
    other = kernel.OpenProcess(synchronize, False, starter)
    if not own:
        return
    if other:
        handles = (ctypes.c_void_p * 2)(own, other)
        kernel.WaitForMultipleObjects(2, handles, False, endless)
    milliseconds = int(GRACE_SECONDS * 1000)
    if kernel.WaitForSingleObject(ctypes.c_void_p(own), milliseconds):
        kernel.TerminateProcess(ctypes.c_void_p(own), 1)


if __name__ == "__main__":
    if sys.platform == "win32":
        watch_on_windows(int(sys.argv[1]), int(sys.argv[2]))
    else:
        watch(*map(int, sys.argv[1:4]))
