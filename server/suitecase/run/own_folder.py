"""Folders that Suitecase creates in a workspace, with a `.gitignore`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.text.writing.files import Change, make_folder, write_file


@contextmanager
def removed_if_unused(root: Path) -> Iterator[None]:
    """Remove the folder `.suitecase` of a workspace at the end, if it was not there and is empty.

    The sandbox makes it before programs that may write to the root.
    """
    folder = root / RESULTS_FOLDER.parts[0]
    was_there = os.path.lexists(folder)
    try:
        yield
    finally:
        if not was_there:
            with suppress(OSError):
                folder.rmdir()


def make_own_folder(folder: Path, ignored: str = "*", *, within: Path | None = None) -> None:
    """Create a folder with a `.gitignore`, so that its content is not committed by accident.

    An existing `.gitignore` is kept.

    Args:
        ignored: the pattern for the `.gitignore`.
        within: the root of the workspace, which no link may lead the folder out of.

    Raises:
        OSError: it cannot be created.
    """
    make_folder(folder, within=within)
    ignore = folder / ".gitignore"
    if not os.path.lexists(ignore):
        with suppress(FileExistsError):
            content = f"{ignored}\n".encode()
            write_file(Change(path=ignore, content=content, before=None, within=within))
