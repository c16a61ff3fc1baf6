"""A parcel: the files that the machines of a cluster are sent, by content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.run.cluster.dependencies import Dependencies
from suitecase.run.cluster.errors import ClusterError

#: The most that is sent of one file, and of all files.
MAX_FILE = 64 * 1024 * 1024
MAX_BYTES = 256 * 1024 * 1024
MAX_FILES = 20_000
#: The number of files in messages.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Item:
    """A file of a parcel: its path below the root of the workspace, and its content's digest."""

    path: str
    digest: str
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Parcel:
    """The files and folders of a run; each content counts once, however many files have it.

    Attributes:
        items: the files.
        folders: paths of folders below the root, which may have no files.
        contents: the content of each digest.
    """

    items: tuple[Item, ...] = ()
    folders: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of bytes that a machine is sent if it has none of the contents."""
        return sum(map(len, self.contents.values()))


def packed(
    needed: Dependencies,
    *,
    open_texts: Mapping[Path, str] | None = None,
    without_secrets: Callable[[str], str],
) -> Parcel:
    """Return the parcel of what a run depends on.

    Args:
        open_texts: unsaved texts of editors, which are sent in place of the files.
        without_secrets: returns a text with its secrets replaced.

    Raises:
        ClusterError: a file is outside the workspace, is too long, cannot be read or contains a
            secret, or there are too many.
    """
    needed.require_sendable()
    root = needed.workspace.root
    _require_few(needed.files)
    items: list[Item] = []
    contents: dict[str, bytes] = {}
    revealing: list[str] = []
    total = 0
    for path in sorted(needed.files):
        name = path.relative_to(root).as_posix()
        text = (open_texts or {}).get(path)
        content = _content(path, name) if text is None else text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(content).hexdigest()
        items.append(Item(name, digest, executable=os.access(path, os.X_OK)))
        if digest in contents:
            continue
        contents[digest] = content
        total += len(content)
        if total > MAX_BYTES:
            raise ClusterError(_too_much(needed.files, root))
        if _reveals(content, without_secrets):
            revealing.append(name)
    if revealing:
        raise ClusterError(
            f"{_listed(revealing)} would be sent to the cluster and contains a secret of this machine's "
            "environment or of a target; secrets do not travel. Take it out, and set it in "
            "a variable on each machine; nothing was sent"
        )
    folders = {folder.relative_to(root).as_posix() for folder in needed.folders}
    return Parcel(tuple(items), tuple(sorted(folders)), contents)


def _content(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE:
            raise ClusterError(
                f"{name} is larger than {_megabytes(MAX_FILE)}, which is the most that is sent to a "
                "cluster of one file; put it where each machine can read it. Nothing was sent"
            )
        return path.read_bytes()
    except OSError as error:
        raise ClusterError(
            f"{name} cannot be read, so it cannot be sent to the cluster: "
            f"{(error.strerror or str(error)).lower()}"
        ) from error


def _reveals(content: bytes, without_secrets: Callable[[str], str]) -> bool:
    text = content.decode("utf-8", "replace")
    return without_secrets(text) != text


def _require_few(files: Iterable[Path]) -> None:
    number = len(list(files))
    if number > MAX_FILES:
        raise ClusterError(
            f"this run depends on {number:,} files, and at most {MAX_FILES:,} are sent to a cluster; "
            "put them where each machine can read them. Nothing was sent"
        )


def _too_much(files: Iterable[Path], root: Path) -> str:
    largest = sorted(sorted(files), key=lambda it: it.stat().st_size, reverse=True)
    named = _listed(
        [
            f"{it.relative_to(root).as_posix()} ({_megabytes(it.stat().st_size)})"
            for it in largest[:3]
        ]
    )
    return (
        f"the files of this run are larger than {_megabytes(MAX_BYTES)}, which is the most that is sent "
        f"to a cluster; the largest are {named}. Put them where each machine can read them. "
        "Nothing was sent"
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _megabytes(size: int) -> str:
    return f"{size / (1024 * 1024):,.0f} MB"
