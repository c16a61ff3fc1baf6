"""Files that a command writes: where they may be, and the message about one that cannot be written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import click

from suitecase.cli import EXIT_UNGRADED, EXIT_USAGE
from suitecase.cli.shown_paths import shown_path
from suitecase.format.workspace import ROOT_MARKS, configures_suitecase, leads_out
from suitecase.text.working_directory import normalized, working_directory
from suitecase.text.writing.files import Before, Change, write_file, write_files
from suitecase.text.writing.refusals import LeadsOutError
from suitecase_evaluators.system.path_kinds import is_there

#: What to do about a link that leads out.
NAME_THE_TARGET = "name the place that it leads to"
#: What is at fault with a disk, rather than with the place that was named.
_OF_DISKS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})


def boundary(path: Path) -> Path:
    """Return the folder that no link may lead a file out of that a command writes.

    That is the outermost folder above the file that is the root of a workspace, or the working directory:
    a folder that a link leads to may look like the root of another one.

    Args:
        path: the file, as it was named.

    Raises:
        LeadsOutError: a link leads out of one of these folders.
    """
    path = normalized(path)
    above = _boundaries(path) or [path.parent]
    if any(leads_out(path, folder) for folder in above):
        raise LeadsOutError(path)
    return above[-1]


def why_led_out(path: Path, found: Path) -> str | None:
    """Return why nothing is written where a path has led to: that is out of its workspace; else None.

    A path is followed once, and what was found is asked about then: a link that takes the place of a
    folder between a look at the path and following it would not be seen.

    Args:
        path: the file or folder, as it was named.
        found: what it, or something in it, was found to be, with links of folders followed.
    """
    path = normalized(path)
    inside = (found.is_relative_to(os.path.realpath(folder)) for folder in _boundaries(path))
    return None if all(inside) else why_not_written(LeadsOutError(path))


def require_led_inside(path: Path, found: Path) -> None:
    """Make sure that a path has not led out of its workspace; the arguments are those of `why_led_out`.

    Raises:
        click.UsageError: it has.
    """
    if (why := why_led_out(path, found)) is not None:
        raise click.UsageError(f"{shown_path(path)}: cannot be written: {why}")


def _boundaries(path: Path) -> list[Path]:
    """Return the folders above an absolute path that it may not lead out of, the outermost last."""
    here = working_directory()
    return [folder for folder in path.parents if folder == here or _is_root(folder)]


def why_not_inside(path: Path) -> str | None:
    """Return why nothing is written at or beside a path: a link leads it out of its workspace; else None."""
    try:
        boundary(path)
    except LeadsOutError as error:
        return why_not_written(error)
    return None


def require_inside(path: Path) -> None:
    """Make sure that no link leads out of its workspace a path, at or beside which a command writes.

    Raises:
        click.UsageError: one does.
    """
    if (why := why_not_inside(path)) is not None:
        raise click.UsageError(f"{shown_path(path)}: cannot be written: {why}")


def text_change(
    path: Path, text: str, before: str | Before, *, make_folders: bool = False
) -> Change:
    """Return a change to a text in UTF-8, with the line endings that it has.

    Args:
        path: the file, as it was named.
        text: its new text.
        before: as for `Change`; the text that was read.
        make_folders: make the folders above it where they are missing.

    Raises:
        LeadsOutError: a link leads out of its workspace.
    """
    was = before.encode("utf-8") if isinstance(before, str) else before
    return Change(
        path=path,
        content=text.encode("utf-8"),
        before=was,
        within=boundary(path),
        make_folders=make_folders,
    )


def write_text(path: Path, text: str, before: str | Before, *, make_folders: bool = False) -> None:
    """Write a text file, all of it or nothing; the arguments are those of `text_change`.

    Raises:
        ChangedMeanwhileError: it is no longer what was read.
        OSError: it cannot be written.
    """
    write_file(text_change(path, text, before, make_folders=make_folders))


def write_texts(changes: Iterable[Change]) -> None:
    """Write several files: all of them, or none.

    Raises:
        ChangedMeanwhileError: one is no longer what was read.
        OSError: one cannot be written.
    """
    write_files(tuple(changes))


def why_not_written(error: OSError) -> str:
    """Return why a file was not written, as the end of a message."""
    reason = error.strerror or str(error)
    hint = f"; {NAME_THE_TARGET}" if isinstance(error, LeadsOutError) else ""
    return f"{reason[:1].lower()}{reason[1:]}{hint}"


def code_of_unwritten(error: OSError) -> int:
    """Return the exit code where a file could not be written: is the disk full, or the path wrong?"""
    return EXIT_UNGRADED if error.errno in _OF_DISKS else EXIT_USAGE


def unwritten(path: Path, error: OSError) -> click.ClickException:
    """Return what to raise where a file could not be written; the exit code is that of the reason."""
    message = f"{shown_path(path)}: cannot be written: {why_not_written(error)}"
    if code_of_unwritten(error) == EXIT_UNGRADED:
        return DiskError(message)
    return click.UsageError(message)


class DiskError(click.ClickException):
    """A disk is full or fails."""

    exit_code = EXIT_UNGRADED


def _is_root(folder: Path) -> bool:
    return any(is_there(folder / root_mark) for root_mark in ROOT_MARKS) or configures_suitecase(
        folder
    )
