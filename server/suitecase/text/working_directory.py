"""The working directory, which somebody may remove while a command runs, or before it starts.

What needs it asks here, and goes on with the place where it was.
"""

from __future__ import annotations

import os
from pathlib import Path

#: Where it was last.
_known: Path | None = None


class NoWorkingDirectoryError(Exception):
    """The working directory was removed before anything asked for it."""

    def __init__(self) -> None:
        super().__init__("the working directory no longer exists; change to another folder")


def working_directory() -> Path:
    """Return the working directory; once it is removed, where it was.

    Raises:
        NoWorkingDirectoryError: it was gone before.
    """
    global _known
    try:
        _known = Path.cwd()
    except FileNotFoundError:
        if _known is None:
            raise NoWorkingDirectoryError from None
    return _known


def absolute_path(path: Path) -> Path:
    """Return a path relative to the working directory as an absolute one, with links as they are.

    Raises:
        NoWorkingDirectoryError: it is relative, and there is no such folder.
    """
    return path if path.is_absolute() else working_directory() / path


def normalized(path: Path) -> Path:
    """Return `absolute_path` without `.` and `..`, with links as they are.

    Raises:
        NoWorkingDirectoryError: it is relative, and there is no such folder.
    """
    return Path(os.path.normpath(absolute_path(path)))
