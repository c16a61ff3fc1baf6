"""Removing a folder with all that a program left in it, however deep, and following no link."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import count

#: A folder itself, never what a link leads to.
FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY


def remove_tree(name: str, parent: int) -> None:
    """Remove a folder with all that is in it.

    Folders in it are moved to its top before they are emptied, since a program may have made more
    of them in one another than a path, a stack or the open files of a process can hold.

    Args:
        parent: the descriptor of the folder that it is in.

    Raises:
        OSError: not everything could be removed.
    """
    top = _opened(name, parent)
    try:
        numbers = count()
        folders = _without_files(top)
        while folders:
            folder = folders.pop()
            within = _opened(folder, top)
            try:
                for inner in _without_files(within):
                    # What is moved is written to as well: its `..` changes.
                    os.close(_opened(inner, within))
                    moved = _free_name(numbers, top)
                    os.rename(inner, moved, src_dir_fd=within, dst_dir_fd=top)
                    folders.append(moved)
            finally:
                os.close(within)
            os.rmdir(folder, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _opened(name: str, parent: int) -> int:
    descriptor = os.open(name, FOLDER, dir_fd=parent)
    # Programs make folders read-only, such as those of Go modules.
    if sys.platform != "win32":
        with suppress(OSError):
            os.fchmod(descriptor, 0o700)
    return descriptor


def _without_files(descriptor: int) -> list[str]:
    """Remove the files in a folder; return the names of the folders in it."""
    folders: list[str] = []
    with os.scandir(descriptor) as entries:
        listed = list(entries)
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            os.unlink(entry.name, dir_fd=descriptor)
    return folders


def _free_name(numbers: count[int], folder: int) -> str:
    while True:
        name = f"suitecase-{next(numbers)}"
        try:
            os.lstat(name, dir_fd=folder)
        except FileNotFoundError:
            return name
