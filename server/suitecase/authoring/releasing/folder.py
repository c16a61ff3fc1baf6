"""Writing a folder as a whole: under a temporary name, which becomes its own when all is written.

The folder is locked until then. What is not locked was left by a process that was killed, and is
removed by the next one that writes beside it.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from suitecase_evaluators.system.file_lock import certainly_locked
from suitecase_evaluators.system.tree_removal import FOLDER, remove_tree

#: What the names of folders that are being written end with.
SUFFIX = ".suitecase-tmp"
_NAME = re.compile(rf"\.bundle\.[0-9a-f]{{16}}{re.escape(SUFFIX)}")


class StagedFolder:
    """A folder that is there with all its files, or not at all.

    Used as a context manager: the folder gets its name when the block ends without an error.

    Args:
        target: the folder, which does not exist.

    Attributes:
        digests: the SHA-256 of each file that was written, by its name.
        sizes: its size in bytes.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.digests: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._path = target.with_name(f".bundle.{secrets.token_hex(8)}{SUFFIX}")
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(self.target.parent)
        self._path.mkdir()
        if sys.platform != "win32":
            self._lock = os.open(self._path, FOLDER)
            certainly_locked(self._lock)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                # On POSIX, renaming would replace an empty folder that has appeared meanwhile.
                if os.path.lexists(self.target):
                    raise FileExistsError(17, "it exists", str(self.target))
                if self._lock is not None and not os.path.samestat(
                    os.fstat(self._lock), self._path.lstat()
                ):
                    raise FileNotFoundError(2, "somebody moved it meanwhile", str(self._path))
                self._path.rename(self.target)
        finally:
            shutil.rmtree(self._path, ignore_errors=True)
            if self._lock is not None:
                os.close(self._lock)

    def _opened(self, name: str) -> BinaryIO:
        """Create a file in the folder that was made, whatever is in its place by now."""
        if sys.platform == "win32" or self._lock is None:
            return (self._path / name).open("xb")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(name, flags, 0o666, dir_fd=self._lock), "wb")

    def path_of(self, name: str) -> Path:
        """Return where a file is that was written, while the folder has no name yet."""
        return self._path / name

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file.

        Raises:
            OSError: it cannot be written.
        """
        digest, size = hashlib.sha256(), 0
        with self._opened(name) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.digests[name] = digest.hexdigest()
        self.sizes[name] = size


def _remove_abandoned(parent: Path) -> None:
    """Remove the folders that killed processes left, as far as that is possible."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        place = os.open(parent, FOLDER)
        try:
            with os.scandir(place) as entries:
                left = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
            for name in left:
                with suppress(OSError):
                    _remove_if_abandoned(name, place)
        finally:
            os.close(place)


def _remove_if_abandoned(name: str, parent: int) -> None:
    folder = os.open(name, FOLDER, dir_fd=parent)
    try:
        if certainly_locked(folder):
            remove_tree(name, parent)
    finally:
        os.close(folder)
