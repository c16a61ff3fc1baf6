"""Syncing a file to disk in the background, in batches."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path

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
