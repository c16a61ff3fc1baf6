"""Locks on open files, which are released when their process ends; on POSIX systems only."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import BinaryIO

#: Seconds between two looks at a lock that somebody else holds.
_INTERVAL = 0.05


def lock(file: BinaryIO, *, alone: bool, seconds: float) -> bool:
    """Lock a file, or change its lock; return whether that was possible in time.

    Where the system or the file system has no such locks, everything counts as possible.

    Args:
        alone: nobody else may hold a lock; otherwise others that are not alone may.
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
            time.sleep(_INTERVAL)
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
        with path.open("rb") as file:
            lock_now(file.fileno())
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
