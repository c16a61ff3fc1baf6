"""Writing a folder as a whole: under a temporary name, which becomes its own when all is written."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

#: What the names of folders that are being written end with.
SUFFIX = ".suitecase-tmp"


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

    def __enter__(self) -> Self:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self._path.mkdir()
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
                self._path.rename(self.target)
        finally:
            shutil.rmtree(self._path, ignore_errors=True)

    def path_of(self, name: str) -> Path:
        """Return where a file is that was written, while the folder has no name yet."""
        return self._path / name

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a file.

        Raises:
            OSError: it cannot be written.
        """
        digest, size = hashlib.sha256(), 0
        with (self._path / name).open("xb") as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.digests[name] = digest.hexdigest()
        self.sizes[name] = size
