"""Folders that Suitecase makes in a workspace, which version control ignores."""

from __future__ import annotations

import os
from pathlib import Path


def make_own_folder(folder: Path, ignored: str = "*") -> None:
    """Make a folder where it is missing; answers and prompts in it are nobody's to commit by accident.

    A `.gitignore` that is there stays as it is.

    Args:
        ignored: the pattern of the files in it that are not to be committed.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not os.path.lexists(ignore):
        ignore.write_text(f"{ignored}\n", encoding="utf-8")
