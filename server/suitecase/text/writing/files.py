"""Writing files: one, several of which all or none are written, and those that are appended to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from suitecase.text.writing.place import Place
from suitecase.text.writing.refusals import NotWrittenError
from suitecase.text.writing.staged_file import ANYTHING, Before, StagedFile
from suitecase_evaluators.system.path_kinds import is_folder

__all__ = ["ANYTHING", "Before", "Change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file and what is to be in it.

    Attributes:
        path: the file. A link stands for the file that it leads to, except where it must not exist.
        content: its new content.
        before: what was there when the content was made: the bytes that were read, or the status
            of the file; None if it must not exist; `ANYTHING` for what nobody else writes.
        within: the folder that no link may lead the file out of, as a rule the root of its
            workspace; None if it may be anywhere.
        make_folders: make the folders above it where they are missing.
    """

    path: Path
    content: bytes
    before: Before
    within: Path | None
    make_folders: bool = False


def write_file(change: Change) -> None:
    """Write a file: afterwards it has either the new content or the old one, whatever happens.

    Owner, mode, access control list and extended attributes stay as they are.

    Raises:
        ChangedMeanwhileError: it is no longer what it was before.
        OSError: it cannot be written.
    """
    write_pieces(
        change.path,
        (change.content,),
        before=change.before,
        within=change.within,
        make_folders=change.make_folders,
    )


def write_pieces(
    path: Path,
    pieces: Iterable[bytes],
    *,
    before: Before,
    within: Path | None,
    make_folders: bool = False,
) -> int:
    """Write a file like `write_file`, piece by piece; return its size in bytes.

    Raises:
        ChangedMeanwhileError: it is no longer what it was before.
        OSError: it cannot be written.
    """
    size = 0
    staged = StagedFile.make(
        path, within=within, follow=before is not None, make_folders=make_folders
    )
    try:
        for piece in pieces:
            size += staged.file.write(piece)
        staged.take_place(before)
    finally:
        staged.discard()
    return size


def write_files(changes: Sequence[Change]) -> None:
    """Write several files like `write_file`: all of them, or none.

    Raises:
        ChangedMeanwhileError: one is no longer what it was before.
        OSError: one cannot be written.
    """
    staged: list[StagedFile] = []
    done: list[tuple[Change, bytes | None]] = []
    try:
        for change in changes:
            follow = change.before is not None
            file = StagedFile.make(
                change.path, within=change.within, follow=follow, make_folders=change.make_folders
            )
            staged.append(file)
            file.file.write(change.content)
            file.file.flush()
        for change, file in zip(changes, staged, strict=True):
            old = _content(file.target) if len(changes) > 1 else None
            file.take_place(change.before)
            done.append((change, old))
    except BaseException:
        for change, old in done:
            with suppress(OSError):
                _put_back(change, old)
        raise
    finally:
        for file in staged:
            file.discard()


def open_for_appending(path: Path, *, within: Path | None) -> BinaryIO:
    """Open a file for appending, without a buffer; it is made where it is missing.

    A device is opened, too, such as `/dev/null`.

    Args:
        within: as for `Change`.

    Raises:
        OSError: it cannot be opened, is read-only, or is a pipe or the like.
    """
    place = Place.of(path, within=within)
    try:
        descriptor = place.open(os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISCHR(status.st_mode):
                place.require_writable(status)
            if hasattr(os, "set_blocking") and os.name != "nt":
                os.set_blocking(descriptor, True)
            return os.fdopen(descriptor, "ab", buffering=0)
        except BaseException:
            os.close(descriptor)
            raise
    finally:
        place.close()


def make_folder(folder: Path, *, within: Path | None) -> None:
    """Make a folder and those above it, where they are missing.

    Args:
        within: as for `Change`.

    Raises:
        OSError: one cannot be made, or a link leads out.
    """
    Place.of(folder / "x", within=within, follow=False, make_folders=True).close()


def require_writable(path: Path, *, within: Path | None) -> None:
    """Make sure that a file can be written, before its content costs anything.

    Raises:
        OSError: it cannot, as far as that can be told.
    """
    existing = path
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    if existing != path:
        if not is_folder(existing):
            raise NotWrittenError("a file is where its folder would be", existing)
        path = existing / path.relative_to(existing).parts[0]
    place = Place.of(path, within=within)
    try:
        status = place.status()
        if status is not None:
            place.require_writable(status)
        place.require_writable_folder()
        if not os.access(place.path.parent, os.W_OK):
            raise NotWrittenError("its folder is read-only", place.path.parent)
    finally:
        place.close()


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of a file as it is now, for `Change.before`; None if there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _content(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _put_back(change: Change, old: bytes | None) -> None:
    """Undo a change, unless somebody else has changed the file since."""
    if old is not None:
        write_pieces(change.path, (old,), before=change.content, within=change.within)
    elif _content(change.path) == change.content:
        change.path.unlink()
