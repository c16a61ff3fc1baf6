"""What a file has besides its content: owner, mode, access control list and extended attributes."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from suitecase.text.writing.refusals import NotWrittenError

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
        return {it: os.getxattr(descriptor, it) for it in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno in _NONE:
            return {}
        raise
