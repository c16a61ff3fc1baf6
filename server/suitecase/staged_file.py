"""Files that are written beside those whose place they take, so that nobody reads half of one."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from suitecase_evaluators.file_lock import certainly_locked, lock

_SUFFIX = ".suitecase-tmp"
#: Of a name so many bytes are used: file systems take 255 for all of it.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file that is to take the place of another one; locked as long as it is open.

    A process that is killed leaves it behind unlocked, and whoever writes to the same path next
    removes it.
    """

    target: Path
    path: Path
    file: BinaryIO

    @classmethod
    def make(cls, target: Path, *, buffering: int = -1) -> StagedFile:
        """Make a file beside the one whose place it is to take, and open it for appending.

        Raises:
            OSError: it cannot be made.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        while True:
            path = target.with_name(f".{_stem(target)}.{secrets.token_hex(4)}{_SUFFIX}")
            try:
                descriptor = os.open(path, flags, 0o600)
            except FileExistsError:
                continue
            file = os.fdopen(descriptor, "ab", buffering=buffering)
            # Another process may have taken it for abandoned just before it was locked.
            if lock(file, alone=True, seconds=0) and _is_at(path, file):
                return cls(target, path, file)
            file.close()

    def take_place(self) -> None:
        """Put the file in the place of the other one; on Windows that closes it.

        Raises:
            OSError: that is not possible.
        """
        if sys.platform == "win32":
            self.file.close()
        else:
            self.file.flush()
        self.path.replace(self.target)

    def discard(self) -> None:
        """Remove the file, unless it has taken its place, and close it."""
        if sys.platform == "win32":
            self.file.close()
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            self.file.close()


def remove_abandoned_beside(target: Path) -> None:
    """Remove the files that killed processes left beside one, as far as that is possible."""
    left = re.compile(rf"\.{re.escape(_stem(target))}\.[0-9a-f]{{8}}{re.escape(_SUFFIX)}")
    with suppress(OSError):
        with os.scandir(target.parent) as entries:
            names = [it.name for it in entries if left.fullmatch(it.name)]
        for name in names:
            with suppress(OSError):
                _remove_if_abandoned(target.with_name(name))


def _remove_if_abandoned(path: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return
        if certainly_locked(descriptor) and _is_at(path, file):
            path.unlink()


def _stem(target: Path) -> str:
    return os.fsdecode(os.fsencode(target.name)[:_LONGEST])


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
