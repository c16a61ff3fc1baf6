"""Locks on open files, which end with whoever holds them, however suddenly."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import BinaryIO

#: Seconds between two looks at a lock that somebody else holds.
_INTERVAL = 0.05
#: Descriptors that `certainly_locked` has locked, until `close_locked`.
_locked: set[int] = set()


def lock(file: BinaryIO, *, alone: bool, seconds: float) -> bool:
    """Lock a file, or change the lock held on it; return whether that was possible in time.

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


def certainly_locked(descriptor: int) -> bool:
    """Lock a file that nobody else has locked, until `close_locked`; return whether that is certain.

    So it is False where somebody holds a lock, and also where the system or the file system has no
    such locks and nobody can know.
    """
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    _locked.add(descriptor)
    return True


def close_locked(descriptor: int) -> None:
    """Close a file that may be locked."""
    _locked.discard(descriptor)
    os.close(descriptor)


def _close_in_child() -> None:
    """Close what is locked in a process that was forked: it would hold the locks of this one."""
    for descriptor in _locked:
        with suppress(OSError):
            os.close(descriptor)
    _locked.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_close_in_child)
