"""Bringing what is written to a file to the disk, in batches and beside the writing."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path

#: Seconds after which what was written is on the disk, at the latest begun to be.
INTERVAL = 1.0
#: Pipes, devices and some file systems cannot bring anything to a disk; that is no failure.
_IMPOSSIBLE = frozenset((errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS))


class Syncing:
    """Brings a file to the disk from a thread, so that nobody who writes waits for the disk.

    The file has to stay open until `close`.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor
        self._written = threading.Event()
        self._closing = threading.Event()
        #: Why what was written may not be on the disk.
        self.error: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self._thread.start()

    def written(self) -> None:
        """Note that something was written."""
        if not self._written.is_set():
            self._written.set()

    def close(self) -> None:
        """Bring the rest to the disk; `error` tells then whether all of it is there."""
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
    """Bring an open file to the disk, where that is possible.

    Raises:
        OSError: what was written may be lost.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _IMPOSSIBLE:
            raise


def sync_folder(folder: Path) -> None:
    """Bring the names of new files to the disk, where that is possible."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
