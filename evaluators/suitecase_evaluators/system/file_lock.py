"""Locks on open files, which are released when their process ends; on POSIX systems only."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: Seconds between two looks at a lock that somebody else holds.
_INTERVAL = 0.05
#: Seconds to wait for others who look for locks, which takes them some microseconds.
_LOOKING = 0.5
_LOOKING_INTERVAL = 0.001


def lock(file: BinaryIO | int, *, alone: bool, seconds: float, interval: float = _INTERVAL) -> bool:
    """Lock a file, or change its lock; return whether that was possible in time.

    Where the system or the file system has no such locks, everything counts as possible.

    Args:
        file: the file, or its descriptor.
        alone: nobody else may hold a lock; otherwise others that are not alone may.
        seconds: how long to wait for those who hold one.
        interval: the seconds between two looks.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(interval)
        except OSError:
            return True
        else:
            return True


def lock_now(descriptor: int) -> bool:
    """Lock a file; return whether the system and the file system have such locks.

    Raises:
        BlockingIOError: somebody else has locked it.
    """
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def certainly_locked(descriptor: int) -> bool:
    """Lock a file that is not locked by another process; return whether that is certain.

    So it is False where somebody holds a lock, and also where the system or the file system has no
    such locks and nobody can know.
    """
    try:
        return lock_now(descriptor)
    except BlockingIOError:
        return False


def is_locked(path: Path) -> bool:
    """Whether another process has locked a file, in whatever way.

    False where nobody can know: without such locks, or if the file cannot be opened.
    """
    try:
        with _one_at_a_time(path.parent), path.open("rb") as file:
            lock_now(file.fileno())
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Let one process after the other look for locks in a folder: to look, it locks the file itself."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        lock(descriptor, alone=True, seconds=_LOOKING, interval=_LOOKING_INTERVAL)
        yield
    finally:
        os.close(descriptor)
