"""Folders that Suitecase creates in a workspace, with a `.gitignore`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from suitecase.writing.files import Change, make_folder, write_file


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
