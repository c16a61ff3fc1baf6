"""Where a file is: an open folder and a name in it, so that no link that appears later leads elsewhere."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from suitecase.text.working_directory import normalized
from suitecase.text.writing.refusals import LeadsOutError, NotWrittenError
from suitecase_evaluators.system.path_kinds import is_folder

#: Whether files can be named relative to an open folder. Windows cannot do that, and needs a
#: privilege to make links.
ANCHORED = {os.open, os.stat, os.rename, os.unlink, os.mkdir, os.link} <= os.supports_dir_fd
_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_OPENED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(slots=True)
class Place:
    """The place of a file, which need not exist. `close` it in the end.

    Attributes:
        path: its path, with links followed.
        folder: the descriptor of its folder; None where the platform knows no such names.
    """

    path: Path
    folder: int | None

    @classmethod
    def of(
        cls,
        path: Path,
        *,
        within: Path | None = None,
        follow: bool = True,
        make_folders: bool = False,
    ) -> Place:
        """Find the place of a file.

        Args:
            path: the file, as it was named.
            within: no link may lead a path in this folder out of it.
            follow: whether a link of this name stands for the file that it leads to.
            make_folders: make the folders above it where they are missing.

        Raises:
            LeadsOutError: a link leads out.
            OSError: its folder cannot be opened or made.
        """
        path = normalized(path)
        real = real_path(path) if follow else real_path(path.parent) / path.name
        base = _base(path, real, within)
        if not ANCHORED:
            if make_folders:
                real.parent.mkdir(parents=True, exist_ok=True)
            return cls(real, None)
        folder = os.open(base, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for name in real.parent.relative_to(base).parts:
                if make_folders:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
                below = _open_folder(name, folder, real)
                os.close(folder)
                folder = below
        except BaseException:
            os.close(folder)
            raise
        return cls(real, folder)

    def named(self, name: str) -> str | Path:
        """Return a file in the same folder, for calls that get `folder` as `dir_fd`."""
        return name if self.folder is not None else self.path.with_name(name)

    @property
    def name(self) -> str | Path:
        """The file itself, for such calls."""
        return self.named(self.path.name)

    def open(self, flags: int, mode: int = 0o666, *, name: str | None = None) -> int:
        """Open a file of the folder; never waits for a pipe, and never follows a link.

        Raises:
            OSError: that is not possible.
        """
        opened = self.name if name is None else self.named(name)
        return os.open(opened, flags | _OPENED, mode, dir_fd=self.folder)

    def status(self, name: str | None = None) -> os.stat_result | None:
        """Return the status of a file of the folder, with no link followed; None if there is none.

        Raises:
            OSError: it cannot be told.
        """
        looked_at = self.name if name is None else self.named(name)
        try:
            return os.stat(looked_at, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def require_writable_folder(self) -> None:
        """Make sure that files can be made here; by its mode, which holds for root, too.

        Raises:
            OSError: they cannot.
        """
        parent = self.path.parent
        status = os.stat(self.folder if self.folder is not None else parent)  # noqa: PTH116
        if sys.platform != "win32" and not status.st_mode & _WRITABLE:
            raise NotWrittenError("its folder is read-only", parent)

    def require_writable(self, status: os.stat_result) -> None:
        """Make sure that the file is an ordinary one that this user may change.

        Raises:
            NotWrittenError: it is not.
        """
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise NotWrittenError(f"it is {what}", self.path)
        if not status.st_mode & _WRITABLE or not _may_write(self.name, self.folder):
            raise NotWrittenError("it is read-only", self.path)

    def close(self) -> None:
        """Close the folder; safe to call twice."""
        folder, self.folder = self.folder, None
        if folder is not None:
            os.close(folder)


def real_path(path: Path) -> Path:
    """Return a path with all links followed.

    Raises:
        NotWrittenError: a link leads to itself.
    """
    try:
        return Path(os.path.realpath(path))
    except OSError as error:
        raise NotWrittenError((error.strerror or str(error)).lower(), path) from error


def _base(path: Path, real: Path, within: Path | None) -> Path:
    """Return the folder below which no link is followed any more."""
    if within is not None:
        root = real_path(within)
        if path.is_relative_to(within) or path.is_relative_to(root):
            if not real.is_relative_to(root):
                raise LeadsOutError(path)
            if real != root and is_folder(root):
                return root
    return next((parent for parent in real.parents if is_folder(parent)), Path(real.anchor))


def _open_folder(name: str, above: int, path: Path) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            status = os.stat(name, dir_fd=above, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise LeadsOutError(path) from error
        error.filename = str(path.parent)
        raise


def _may_write(name: str | Path, folder: int | None) -> bool:
    if os.access not in os.supports_effective_ids:
        return os.access(name, os.W_OK, dir_fd=folder)
    return os.access(name, os.W_OK, dir_fd=folder, effective_ids=True)
