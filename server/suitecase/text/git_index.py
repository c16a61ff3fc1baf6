"""What git tracks: the paths in the index of a repository.

Git itself is not started. The format: https://git-scm.com/docs/index-format
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG

GIT = ".git"
_INDEX = "index"
#: An index of a million files has about this size.
_LONGEST = 128 * 1024 * 1024
#: Files that only have a path in them.
_LONGEST_LINK = 4096
_HEADER = 12
#: Of an entry, what stands in front of the hash: times, device, mode, owner and size.
_STATUS = 40
_EXTENDED = 0x4000
_NAME_LENGTH = 0x0FFF


class _DamagedError(Exception):
    """A text is not an index, or one in a form that is not read."""


class GitIndex:
    """The paths that git tracks in a repository.

    Args:
        paths: the paths, relative to the top of the repository; the path of a folder of which nothing is
            checked out ends with a slash.
    """

    def __init__(self, paths: list[bytes]) -> None:
        self._paths = sorted(paths)
        self._whole = tuple(path for path in self._paths if path.endswith(b"/"))

    def holds(self, path: str) -> bool:
        """Whether a file, a folder with a tracked file in it, or a submodule is tracked."""
        name = os.fsencode(path)
        return (
            self._first_from(name) == name
            or self._first_from(name + b"/").startswith(name + b"/")
            or name.startswith(self._whole)
        )

    def _first_from(self, name: bytes) -> bytes:
        place = bisect_left(self._paths, name)
        return self._paths[place] if place < len(self._paths) else b""


NOTHING_TRACKED = GitIndex([])


def index_of(top: str) -> GitIndex | None:
    """Return the index of the repository that begins in a folder; None if it cannot be known.

    A repository to which nothing was added has none, so that it tracks nothing.

    Args:
        top: the folder with `.git`, which is a file in the worktrees and the submodules of a repository.
    """
    folder = _git_folder(Path(top))
    if folder is None:
        return None
    try:
        about = (folder / _INDEX).lstat()
    except FileNotFoundError:
        return NOTHING_TRACKED
    except OSError:
        return None
    if not S_ISREG(about.st_mode) or about.st_size > _LONGEST:
        return None
    return _read_index(folder, about.st_mtime_ns, about.st_size)


def _git_folder(top: Path) -> Path | None:
    """Return the folder that has the index; None if there is none that may be looked at.

    A file may lead anywhere, such as one in an archive that somebody sent. It is followed into the
    repository of a folder above, as that of a submodule does, and to a repository that itself
    names the file as that of one of its worktrees.
    """
    link = top / GIT
    try:
        mode = link.lstat().st_mode
        if S_ISDIR(mode):
            return link
        named = _path_in(link, "gitdir: ")
        if named is None or _is_on_another_machine(named):
            return None
        folder = Path(os.path.realpath(top / named))
        outer = next((above for above in top.parents if os.path.lexists(above / GIT)), None)
        outer = None if outer is None else _git_folder(outer)
        if outer is not None and folder.is_relative_to(os.path.realpath(outer)):
            return folder
        if folder.parent.name == "worktrees":
            back = _path_in(folder / "gitdir")
            if back is not None and os.path.realpath(folder / back) == os.path.realpath(link):
                return folder
    except (OSError, ValueError):
        pass
    return None


def _path_in(file: Path, before: str = "") -> str | None:
    """Return the path that a file has; None if it is not such a file."""
    about = file.lstat()
    if not S_ISREG(about.st_mode) or about.st_size > _LONGEST_LINK:
        return None
    text = os.fsdecode(file.read_bytes())
    return text.removeprefix(before).rstrip("\r\n") if text.startswith(before) else None


def _is_on_another_machine(path: str) -> bool:
    return path.replace("\\", "/").startswith("//")


@lru_cache(maxsize=4)
def _read_index(folder: Path, _modified: int, _size: int) -> GitIndex | None:
    try:
        paths, shared = _parsed((folder / _INDEX).read_bytes())
        if shared is not None:
            base = folder / f"sharedindex.{shared}"
            about = base.lstat()
            if not S_ISREG(about.st_mode) or about.st_size > _LONGEST:
                return None
            # What was removed since is in it, too: that is checked rather than left out.
            paths += _parsed(base.read_bytes())[0]
    except (OSError, _DamagedError):
        return None
    return GitIndex(paths)


def _parsed(data: bytes) -> tuple[list[bytes], str | None]:
    """Return the paths in an index, and the hash that names another one with the rest of them.

    Raises:
        _DamagedError: it is not an index.
    """
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise _DamagedError
    number = int.from_bytes(data[8:_HEADER])
    for hash_size in _hash_sizes(data):
        end = len(data) - hash_size
        try:
            paths, place = _entries(data, number, version, hash_size)
            if place > end:
                raise _DamagedError
            return paths, _shared(data, place, end, hash_size)
        except (IndexError, ValueError, _DamagedError):
            continue
    raise _DamagedError


def _hash_sizes(data: bytes) -> Iterator[int]:
    """Yield how long hashes are; by `index.skipHash`, zeros stand where one would say."""
    for kind in ("sha1", "sha256"):
        size = hashlib.new(kind, usedforsecurity=False).digest_size
        expected = data[-size:]
        if (
            not any(expected)
            or hashlib.new(kind, data[:-size], usedforsecurity=False).digest() == expected
        ):
            yield size


def _entries(data: bytes, number: int, version: int, hash_size: int) -> tuple[list[bytes], int]:
    """Return the paths of the entries, and where they end.

    Raises:
        ValueError: a path does not end.
        IndexError: there are fewer entries than the index says.
        _DamagedError: a path is not as long as it is said to be.
    """
    paths: list[bytes] = []
    path = b""
    place = _HEADER
    before_path = _STATUS + hash_size + 2
    for _ in range(number):
        start = place + before_path
        flags = data[start - 2] << 8 | data[start - 1]
        if flags & _EXTENDED and version > 2:
            start += 2
        if version == 4:
            removed, start = _variable_number(data, start)
            kept = len(path) - removed
            if kept < 0:
                raise _DamagedError
        else:
            kept = 0
        end = data.index(0, start)
        path = path[:kept] + data[start:end]
        if min(len(path), _NAME_LENGTH) != flags & _NAME_LENGTH:
            raise _DamagedError
        paths.append(path)
        place = end + 1 if version == 4 else end + 8 - (end - place) % 8
    return paths, place


def _variable_number(data: bytes, place: int) -> tuple[int, int]:
    """Return a number as packs have offsets, and where it ends."""
    byte = data[place]
    number = byte & 0x7F
    while byte & 0x80:
        place += 1
        byte = data[place]
        number = (number + 1) << 7 | byte & 0x7F
    return number, place + 1


def _shared(data: bytes, place: int, end: int, hash_size: int) -> str | None:
    """Return the hash that names the index with the other paths, if this one is split.

    Raises:
        _DamagedError: there is an extension without which the index cannot be understood.
    """
    while place + 8 <= end:
        name, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8])
        content = data[place + 8 : place + 8 + size]
        place += 8 + size
        if name == b"link":
            base = content[:hash_size]
            return base.hex() if any(base) else None
        # Those whose names begin in capitals may be passed over.
        if not name[:1].isupper() and name != b"sdir":
            raise _DamagedError
    return None
