"""Temporary folders, which the next run removes where this process is killed.

They are made in one folder for each user, below that of the system:

    /tmp/suitecase-1000/x7k2m9qa        the folder
    /tmp/suitecase-1000/x7k2m9qa.lock   locked as long as the process lives that made it

A lock ends with its process, however that ends, and is seen from other containers, too. Where
nobody can know whether a process still lives (Windows, file systems without locks), and where the
folder of the user is not one that this user alone can change, folders are made as `tempfile` makes
them, and nothing is cleaned up.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from suitecase_evaluators.system.file_lock import certainly_locked, lock_now
from suitecase_evaluators.system.path_kinds import is_folder, real_path
from suitecase_evaluators.system.tree_removal import FOLDER, remove_tree

_PREFIX = "suitecase-"
_LOCK = ".lock"
#: Folders are made anew so often where another process removes that of the user in between.
_ATTEMPTS = 20
#: The locks of the folders that this process has.
_held: set[int] = set()


@dataclass(slots=True)
class TemporaryFolder:
    """A private temporary folder."""

    path: Path
    #: The descriptor of the file that shows that this process is alive; None if there is none.
    lock: int | None = None

    @classmethod
    def make(cls) -> TemporaryFolder:
        """Make a folder.

        Raises:
            OSError: it cannot be made.
        """
        place = _place()
        for _ in range(_ATTEMPTS):
            with suppress(FileNotFoundError), _folder_of_user(place, make=True) as parent:
                created = None if parent is None else _made(place, parent)
                return cls.lasting() if created is None else created
        return cls.lasting()

    @classmethod
    def lasting(cls) -> TemporaryFolder:
        """Make a folder that stays until somebody removes it.

        Raises:
            OSError: it cannot be made.
        """
        return cls(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_place())))

    def remove(self) -> None:
        """Remove the folder with all that is in it; safe to call twice.

        What cannot be removed now is left to the next run.
        """
        if self.lock is None:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        with _folder_of_user(self.path.parent.parent, make=False) as parent:
            if parent is not None:
                _remove(self.path.name, parent)
        _held.discard(self.lock)
        os.close(self.lock)
        self.lock = None
        _remove_if_empty(self.path.parent)


def remove_abandoned() -> None:
    """Remove the folders of processes that ended, as far as possible."""
    with suppress(OSError):
        place = _place()
        with _folder_of_user(place, make=False) as parent:
            if parent is None:
                return
            with os.scandir(parent) as entries:
                names = [entry.name for entry in entries if entry.name.endswith(_LOCK)]
            for name in names:
                _remove_if_abandoned(name, parent)
        _remove_if_empty(place / _name_of_user())


def _place() -> Path:
    """Return where temporary files are made."""
    place = real_path(Path(tempfile.gettempdir()))
    plain = Path("/tmp")  # noqa: S108 - where the folder is made is not where it must be safe
    if shlex.quote(str(place)) != str(place) and is_folder(plain):
        # Templates may have quotes around the files in it: their paths need none of their own.
        return real_path(plain)
    return place


def _name_of_user() -> str:
    if sys.platform == "win32":
        return ""
    return f"{_PREFIX}{os.geteuid()}"


@contextmanager
def _folder_of_user(place: Path, *, make: bool) -> Iterator[int | None]:
    """Open the folder of this user.

    Yields:
        its descriptor; None where there is none, or others could change it.

    Raises:
        FileNotFoundError: another process has removed what was made.
    """
    if sys.platform == "win32":
        yield None
        return
    path = place / _name_of_user()
    if make:
        with suppress(FileExistsError):
            path.mkdir(0o700)
    try:
        descriptor = os.open(path, FOLDER)
    except OSError as error:  # it does not exist, or is a link
        if make and isinstance(error, FileNotFoundError):
            raise
        yield None
        return
    try:
        status = os.fstat(descriptor)
        own = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        yield descriptor if own else None
    finally:
        os.close(descriptor)


def _made(place: Path, parent: int) -> TemporaryFolder | None:
    """Make a folder and its lock; returns None where the file system has no locks.

    Raises:
        FileNotFoundError: another process has removed the folder of the user, or takes this one
            for abandoned.
        OSError: it cannot be made.
    """
    name = secrets.token_hex(8)
    lock = os.open(name + _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=parent)
    try:
        try:
            has_locks = lock_now(lock)
        except BlockingIOError:
            raise FileNotFoundError from None
        if not has_locks:
            os.unlink(name + _LOCK, dir_fd=parent)
            os.close(lock)
            return None
        if not _is_at(name + _LOCK, parent, lock):
            raise FileNotFoundError
        os.mkdir(name, 0o700, dir_fd=parent)
    except OSError:
        with suppress(OSError):
            os.unlink(name + _LOCK, dir_fd=parent)
        os.close(lock)
        raise
    _held.add(lock)
    return TemporaryFolder(place / _name_of_user() / name, lock)


def _remove_if_abandoned(lock_name: str, parent: int) -> None:
    if sys.platform == "win32":
        return
    try:
        lock = os.open(lock_name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    except OSError:
        return
    try:
        if certainly_locked(lock) and _is_at(lock_name, parent, lock):
            _remove(lock_name.removesuffix(_LOCK), parent)
    finally:
        os.close(lock)


def _remove(name: str, parent: int) -> None:
    """Remove a folder, and then its lock; where the folder stays, the lock does too."""
    try:
        try:
            remove_tree(name, parent)
        except NotADirectoryError:
            os.unlink(name, dir_fd=parent)  # a program put it in its place
        except FileNotFoundError:
            pass
        os.unlink(name + _LOCK, dir_fd=parent)
    except OSError:
        return


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _is_at(name: str, parent: int, descriptor: int) -> bool:
    try:
        there = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _close_in_child() -> None:
    """Close the locks in a process that was forked: it would hold them beyond the end of this one."""
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_close_in_child)
