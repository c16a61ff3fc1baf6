"""Files that are written beside those whose place they take, so that nobody reads half of one."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import BinaryIO, Final, Literal

from suitecase.text.writing.place import Place, real_path
from suitecase.text.writing.refusals import ChangedMeanwhileError, NotWrittenError
from suitecase_evaluators.system.file_lock import certainly_locked, lock

_SUFFIX = ".suitecase-tmp"
#: Of a name so many bytes are used: file systems take 255 for all of it.
_LONGEST = 200
#: Bytes that are compared at a time.
_PIECE = 1024 * 1024
#: What file systems without hard links answer.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class Earlier(Enum):
    """What may be in a place, if that is not a certain content."""

    ANYTHING = "anything"


#: An earlier version may be replaced whatever it has: a file that nobody else writes.
ANYTHING: Final = Earlier.ANYTHING
#: What was in a place when it was read: its content, its status, or None if nothing was there.
Before = bytes | os.stat_result | None | Literal[Earlier.ANYTHING]


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file that is to take the place of another one; locked as long as it is open.

    A process that is killed leaves it behind unlocked, and whoever writes to the same path next
    removes it.
    """

    target: Path
    path: Path
    file: BinaryIO
    place: Place

    @classmethod
    def make(
        cls,
        target: Path,
        *,
        within: Path | None = None,
        follow: bool = True,
        make_folders: bool = False,
        buffering: int = -1,
    ) -> StagedFile:
        """Make a file beside the one whose place it is to take, and open it for appending.

        What killed processes left there is removed before.

        Args:
            target: the file whose place it takes; for a link, the file that it leads to.
            within: no link may lead a target in this folder out of it.
            follow: whether a link of this name stands for the file that it leads to.
            make_folders: make the folders above it where they are missing.
            buffering: as for `open`.

        Raises:
            OSError: it cannot be made, or may not be written.
        """
        place = Place.of(target, within=within, follow=follow, make_folders=make_folders)
        try:
            there = place.status()
            if there is not None:
                place.require_writable(there)
            place.require_writable_folder()
            _remove_abandoned(place)
            return cls._beside(place, 0o666 if there is None else 0o600, buffering)
        except BaseException:
            place.close()
            raise

    @classmethod
    def _beside(cls, place: Place, mode: int, buffering: int) -> StagedFile:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        while True:
            name = f".{_stem(place.path)}.{secrets.token_hex(4)}{_SUFFIX}"
            try:
                descriptor = place.open(flags, mode, name=name)
            except FileExistsError:
                continue
            except OSError as error:
                error.filename = str(place.path.parent)
                raise
            file = os.fdopen(descriptor, "ab", buffering=buffering)
            # Another process may have taken it for abandoned just before it was locked.
            if lock(file, alone=True, seconds=0) and _is_at(place, name, file):
                return cls(place.path, place.path.with_name(name), file, place)
            file.close()

    def take_place(self, before: Before = ANYTHING) -> None:
        """Put the file in the place of the other one, with its attributes; on Windows that closes it.

        Args:
            before: what was there when the new content was made.

        Raises:
            ChangedMeanwhileError: something else is there now.
            OSError: that is not possible.
        """
        if not self.file.closed:
            self.file.flush()
        old = self._opened_target()
        if old is None:
            self._create(before)
            return
        try:
            status = os.fstat(old)
            self.place.require_writable(status)
            if not self.file.closed:
                keep_attributes(old, self.file.fileno(), self.target)
            if not _is_still(old, status, before):
                raise ChangedMeanwhileError(self.target)
            now = self.place.status()
            if now is None or not os.path.samestat(now, status):
                raise ChangedMeanwhileError(self.target)
        finally:
            os.close(old)
        self._rename()

    def _opened_target(self) -> int | None:
        """Open the file that is there, if any, for reading.

        Raises:
            OSError: it cannot be read, or is not a file.
        """
        there = self.place.status()
        if there is None:
            return None
        self.place.require_writable(there)
        try:
            return self.place.open(os.O_RDONLY)
        except FileNotFoundError:
            return None

    def _create(self, before: Before) -> None:
        """Take a place in which nothing is."""
        if before is not None and before is not ANYTHING:
            raise ChangedMeanwhileError(self.target)
        if before is None and sys.platform != "win32":
            # A new name of the file, which fails if there is one; a rename would replace that.
            name, folder = self.place.named(self.path.name), self.place.folder
            try:
                os.link(name, self.place.name, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                raise ChangedMeanwhileError(self.target) from None
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
            else:
                self._unlink()
                return
        self._rename()

    def _rename(self) -> None:
        if sys.platform == "win32":
            self.file.close()
        folder = self.place.folder
        name = self.place.named(self.path.name)
        os.replace(name, self.place.name, src_dir_fd=folder, dst_dir_fd=folder)

    def _unlink(self) -> None:
        with suppress(OSError):
            os.unlink(self.place.named(self.path.name), dir_fd=self.place.folder)

    def discard(self) -> None:
        """Remove the file, unless it has taken its place, and close it; safe to call twice."""
        if sys.platform == "win32":
            self.file.close()
        self._unlink()
        with suppress(OSError):
            self.file.close()
        self.place.close()


def remove_abandoned_beside(target: Path) -> None:
    """Remove the files that killed processes left beside one, as far as that is possible."""
    with suppress(OSError):
        place = Place.of(target)
        try:
            _remove_abandoned(place)
        finally:
            place.close()


def _remove_abandoned(place: Place) -> None:
    left = re.compile(rf"\.{re.escape(_stem(place.path))}\.[0-9a-f]{{8}}{re.escape(_SUFFIX)}")
    if sys.platform == "win32":
        return
    with suppress(OSError):
        with os.scandir(real_path(place.path.parent)) as entries:
            names = [entry.name for entry in entries if left.fullmatch(entry.name)]
        for name in names:
            with suppress(OSError):
                _remove_if_abandoned(place, name)


def _remove_if_abandoned(place: Place, name: str) -> None:
    if sys.platform == "win32":
        return
    descriptor = place.open(os.O_RDWR, name=name)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return
        if certainly_locked(descriptor) and _is_at(place, name, file):
            os.unlink(place.named(name), dir_fd=place.folder)


def _stem(target: Path) -> str:
    return os.fsdecode(os.fsencode(target.name)[:_LONGEST])


def _is_at(place: Place, name: str, file: BinaryIO) -> bool:
    status = place.status(name)
    return status is not None and os.path.samestat(status, os.fstat(file.fileno()))


def _is_still(file: int, status: os.stat_result, before: Before) -> bool:
    """Whether an open file is what was there before."""
    if before is ANYTHING:
        return True
    if before is None:
        return False
    if isinstance(before, os.stat_result):
        return os.path.samestat(before, status) and (before.st_size, before.st_mtime_ns) == (
            status.st_size,
            status.st_mtime_ns,
        )
    rest = memoryview(before)
    while piece := os.read(file, _PIECE):
        if rest[: len(piece)] != piece:
            return False
        rest = rest[len(piece) :]
    return not rest


#: What file systems without extended attributes answer.
_NONE = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


def keep_attributes(old: int, new: int, path: Path) -> None:
    """Give a file that takes the place of another one all that the other one has.

    Args:
        old: the descriptor of the file.
        new: the descriptor of the one that takes its place.
        path: its path, for messages.

    Raises:
        NotWrittenError: that is not possible, so the file had better stay.
    """
    status, own = os.fstat(old), os.fstat(new)
    if status.st_nlink > 1:
        raise NotWrittenError(
            f"it is one file with {status.st_nlink} names (hard links), and would become another "
            "one than that of the other names",
            path,
        )
    if sys.platform == "win32":
        return
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        try:
            os.fchown(new, status.st_uid, status.st_gid)
        except OSError as error:
            raise NotWrittenError(
                "it belongs to another user or group, and would no longer do so", path
            ) from error
    os.fchmod(new, stat.S_IMODE(status.st_mode))
    _keep_extended(old, new, path)


def _keep_extended(old: int, new: int, path: Path) -> None:
    """Copy access control lists and other extended attributes; Linux has calls for that."""
    if sys.platform != "linux":
        return
    kept, made = _extended(old), _extended(new)
    try:
        for name in made.keys() - kept.keys():
            os.removexattr(new, name)  # such as a list that the folder gives to new files
        for name, value in kept.items():
            if made.get(name) != value:
                os.setxattr(new, name, value)
    except OSError as error:
        raise NotWrittenError(
            "its access control list or another extended attribute cannot be kept", path
        ) from error


def _extended(descriptor: int) -> dict[str, bytes]:
    if sys.platform != "linux":
        return {}
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno in _NONE:
            return {}
        raise
