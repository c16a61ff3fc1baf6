"""What is at a path, and where it leads, without an error that the system reports.

The methods of `Path` raise for a folder that may not be entered, and some for a name that is too long.
Where an absent file means something else than one that nobody may look at, ask `may_be_file` and the like,
and let whatever reads the file report why it cannot.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG, S_ISVTX, S_IWOTH
from typing import Final

#: What stands before a path where a value may be a text or the path of a file.
FILE_SCHEME: Final = "file://"
#: Why it is not known whether a path exists, in the words of what reads files.
DENIED = "permission denied"


def is_file(path: Path) -> bool:
    """Whether the path is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_folder(path: Path) -> bool:
    """Whether the path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_link(path: Path) -> bool:
    """Whether the path is a symbolic link."""
    return os.path.islink(path)  # noqa: PTH114 - see above


def is_there(path: Path) -> bool:
    """Whether the path exists."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def may_be_file(path: Path) -> bool:
    """Whether the path is a file, or is in a folder that may not be entered."""
    mode = _mode(path)
    return mode is None or S_ISREG(mode)


def may_be_folder(path: Path) -> bool:
    """Whether the path is a folder, or is in one that may not be entered."""
    mode = _mode(path)
    return mode is None or S_ISDIR(mode)


def may_be_there(path: Path) -> bool:
    """Whether the path exists, or is in a folder that may not be entered."""
    return _mode(path) != 0


def registered_home() -> str:
    """Return the home folder of this user in the user database; empty where there is none."""
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _mode(path: Path) -> int | None:
    """Return the mode of what is at a path; 0 if nothing is, None if the system does not tell."""
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - for paths that are searched on each keystroke
    except PermissionError:
        return None
    except (OSError, ValueError):
        return 0


def real_path(path: Path) -> Path:
    """Return the path with its links followed, as far as they lead anywhere.

    `Path.resolve` raises for links that lead in a circle.
    """
    return Path(os.path.realpath(path))


def folders_above(path: Path) -> Iterator[Path]:
    """Yield the folders that a file is in, from its own upwards, as far as these may belong together.

    Anybody may have put something into a shared folder such as `/tmp`, so it says nothing about the folders below it.
    """
    for folder in path.parents:
        if folder != path.parent and is_shared(folder):
            return
        yield folder


def is_shared(folder: Path) -> bool:
    """Whether a folder is world-writable and has the sticky bit, as `/tmp` does."""
    return is_world_writable(folder) and bool((_mode(folder) or 0) & S_ISVTX)


def is_world_writable(folder: Path) -> bool:
    """Whether a folder is world-writable; on Windows, modes do not say that."""
    return os.name == "posix" and bool((_mode(folder) or 0) & S_IWOTH)


def owner_of(path: Path) -> int | None:
    """Return the number of the user whom a file, a folder or a link belongs to; None if there is none."""
    try:
        return path.lstat().st_uid
    except OSError:
        return None
