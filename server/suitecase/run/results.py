"""Results files: JSON lines, written as cases are graded."""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.run.own_folder import make_own_folder
from suitecase.text.writing.files import make_folder, open_for_appending
from suitecase.text.writing.staged_file import StagedFile, remove_abandoned_beside
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.system.file_lock import lock
from suitecase_evaluators.system.path_kinds import is_folder, is_there, real_path

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
#: Seconds to wait for another run to release its file.
PATIENCE = 10.0
#: A file of results that is replaced while it is waited for is opened again, so many times.
_MOST_TRIES = 100


class ResultsError(Exception):
    """A results file cannot be written; `message` is shown to users."""

    def __init__(self, path: Path, error: OSError) -> None:
        self.message = (
            f"the results file {path} cannot be written: {error.strerror or error}; name another "
            "one with --output, or write none with --no-results"
        )
        super().__init__(self.message)


class ResultsInUseError(Exception):
    """A results file is being written by another run; `message` is shown to users."""

    def __init__(self, path: Path) -> None:
        self.message = (
            f"another run is writing {path}; wait until it has finished, or start a new file by "
            "leaving out --resume"
        )
        super().__init__(self.message)


class ResultsFile:
    """A results file that is appended to.

    Each record is passed to the operating system before `append` returns, so that a crash of this
    process loses at most the record it is writing. Records are synced to disk within a second, and
    by `sync`.
    """

    def __init__(self, path: Path, file: BinaryIO, within: Path | None = None) -> None:
        self.path = path
        self._within = within
        self._file = file
        #: The last line was not written completely.
        self._torn = False
        self._syncing: Syncing | None = None
        self._unsynced: OSError | None = None
        #: The least size of the file, which only grows while it is open.
        self._size = os.fstat(file.fileno()).st_size

    @property
    def failure(self) -> ResultsError | None:
        """Why appended records may not be on disk; None if there is no sign of that."""
        error = self._unsynced or (self._syncing and self._syncing.error)
        return ResultsError(self.path, error) if error else None

    @classmethod
    def open(cls, path: Path, *, within: Path | None = None) -> ResultsFile:
        """Open a file for appending; create it and its folders if they do not exist.

        Several runs may append to one file. A line that was truncated by a crash gets a newline, so
        that it does not corrupt the next record.

        Args:
            within: the root of the workspace, which no link may lead the file out of.

        Raises:
            ResultsError: it cannot be written.
            ResultsInUseError: another run is rewriting it.
        """
        return cls(path, _opened(path, within, alone=False), within)

    @classmethod
    def open_alone(cls, path: Path, *, within: Path | None = None) -> ResultsFile:
        """Open a file like `open`, but with an exclusive lock until `share`.

        Raises:
            ResultsError: it cannot be written.
            ResultsInUseError: another run has it open.
        """
        return cls(path, _opened(path, within, alone=True), within)

    def drop(self, lines: Collection[int]) -> None:
        """Remove lines of a file under an exclusive lock.

        The file is replaced atomically: a crash leaves either the old one or the new one.

        Raises:
            ResultsError: it cannot be written.
        """
        if not lines:
            return
        try:
            file = _without(self.path, lines, self._within)
        except OSError as error:
            raise ResultsError(self.path, error) from error
        self.close()
        self._file, self._size = file, os.fstat(file.fileno()).st_size

    def take_alone(self) -> bool:
        """Try to lock the file exclusively until `share`; return whether that worked."""
        return lock(self._file, alone=True, seconds=0) and _is_at(
            self.path, os.fstat(self._file.fileno())
        )

    def share(self) -> None:
        """Allow other runs to append again."""
        lock(self._file, alone=False, seconds=0)

    def append(self, record: ResultRecord) -> None:
        """Write a record.

        Raises:
            ResultsError: it cannot be written, or not completely.
        """
        text = record.line()
        rest = memoryview(b"\n" + text if self._torn else text)
        whole = len(rest)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            self._torn = False
        except OSError as error:
            # If there is room again, the next record starts on a new line.
            self._torn = self._torn or 0 < len(rest) < whole
            raise ResultsError(self.path, error) from error
        self._size += whole
        if (loss := self._loss()) is not None:
            raise ResultsError(self.path, loss)
        if self._syncing is None:
            try:
                self._syncing = Syncing(self.path, self._file.fileno())
            except RuntimeError:  # no further thread can be started
                with suppress(OSError):
                    sync(self._file.fileno())
                return
        self._syncing.written()

    def sync(self) -> None:
        """Wait until all records are on disk, as far as the file system supports that.

        Raises:
            ResultsError: some may not be on disk.
        """
        syncing, self._syncing = self._syncing, None
        if syncing is not None:
            syncing.close()
            self._unsynced = self._unsynced or syncing.error or self._loss()
        if (failure := self.failure) is not None:
            raise failure

    def _loss(self) -> OSError | None:
        """Return why records that were written are not in the file; None if there is no sign of that."""
        status = os.fstat(self._file.fileno())
        # What is written to a file without a name is lost when the run ends.
        if not _is_at(self.path, status):
            return FileNotFoundError(errno.ENOENT, "it was removed or replaced during the run")
        if stat.S_ISREG(status.st_mode) and status.st_size < self._size:
            return OSError(errno.EIO, "it was emptied or truncated during the run")
        self._size = status.st_size
        return None

    def close(self) -> None:
        """Sync and close the file; safe to call twice."""
        with suppress(ResultsError):
            self.sync()
        self._file.close()


def results_path(output: str, dataset: str, now: datetime | None = None) -> Path:
    """Return the path itself, or for a folder, the path of a new file in it.

    The new file is named after the data set and the time in milliseconds, so that files sort by time.
    """
    path = Path(output)
    if ".." in path.parts:
        # The system looks for what is in front of it, even if nobody has made that.
        path = real_path(path.parent) / path.name
    if not (output.endswith(("/", os.sep)) or is_folder(path)):
        return path
    at = (now or datetime.now(UTC)).astimezone(UTC)
    moment = f"{at:%Y%m%dT%H%M%S}.{at.microsecond // 1000:03}Z"
    stem = _NOT_IN_NAMES.sub("-", dataset).strip("-.")[:100] or "suite"
    new_path = path / f"{stem}-{moment}.jsonl"
    number = 2
    while is_there(new_path):
        new_path = path / f"{stem}-{moment}-{number}.jsonl"
        number += 1
    return new_path


def _opened(path: Path, within: Path | None, *, alone: bool) -> BinaryIO:
    """Open a file for appending, locked."""
    try:
        _make_folder(path.parent, within)
        remove_abandoned_beside(path)
        for _ in range(_MOST_TRIES):
            file = open_for_appending(path, within=within)
            try:
                if not lock(file, alone=alone, seconds=PATIENCE):
                    raise ResultsInUseError(path)
                if not _is_at(path, os.fstat(file.fileno())):
                    file.close()  # it was replaced while we waited for the lock
                    continue
                if file.tell() and not _ends_with_newline(path):
                    file.write(b"\n")
            except (OSError, ResultsInUseError):
                file.close()
                raise
            return file
        raise FileNotFoundError(errno.ENOENT, "it is removed or replaced again and again")
    except OSError as error:
        raise ResultsError(path, error) from error


def _without(path: Path, lines: Collection[int], within: Path | None) -> BinaryIO:
    """Replace a file by a copy without some lines; return the copy, open for appending."""
    staged = StagedFile.make(path, within=within, buffering=0)
    try:
        with path.open("rb") as old:
            before = os.fstat(old.fileno())
            for number, line in enumerate(old):
                if number not in lines:
                    staged.file.write(line)
        sync(staged.file.fileno())
        staged.take_place(before)
        staged.place.close()
        sync_folder(path.parent)
        if staged.file.closed:
            return open_for_appending(path, within=within)
        return staged.file
    except OSError:
        staged.discard()
        raise


def _is_at(path: Path, status: os.stat_result) -> bool:
    """Whether a path leads to the open file of this status."""
    try:
        return os.path.samestat(path.stat(), status)
    except FileNotFoundError:
        return False


def _make_folder(folder: Path, within: Path | None) -> None:
    if is_folder(folder):
        return
    if folder.parts[-2:] == RESULTS_FOLDER.parts:
        make_own_folder(folder, within=within)
    else:
        make_folder(folder, within=within)


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


#: Seconds between syncs.
INTERVAL = 1.0
#: Pipes, devices and some file systems do not support syncing, which is not an error.
_IMPOSSIBLE = frozenset((errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS))


class Syncing:
    """Syncs a file from a thread, so that writing does not wait for the disk.

    The file has to stay open until `close`.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor
        self._written = threading.Event()
        self._closing = threading.Event()
        #: Why written data may not be on disk.
        self.error: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self._thread.start()

    def written(self) -> None:
        """Note that something was written."""
        if not self._written.is_set():
            self._written.set()

    def close(self) -> None:
        """Sync the rest; afterwards `error` tells whether everything is on disk."""
        self._closing.set()
        self._written.set()
        self._thread.join()

    def _run(self) -> None:
        folder_synced = False
        while not self._closing.is_set():
            self._written.wait()
            self._closing.wait(INTERVAL)
            self._written.clear()
            try:
                sync(self._descriptor)
            except OSError as error:
                self.error = error
                return
            if not folder_synced:
                sync_folder(self._path.parent)
                folder_synced = True


def sync(descriptor: int) -> None:
    """Sync an open file, if that is supported.

    Raises:
        OSError: written data may be lost.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _IMPOSSIBLE:
            raise


def sync_folder(folder: Path) -> None:
    """Sync the names of new files, if that is supported."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
