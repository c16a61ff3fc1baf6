"""Folders that Suitecase creates in a workspace, with a `.gitignore`."""

from __future__ import annotations

import os
from pathlib import Path


def make_own_folder(folder: Path, ignored: str = "*") -> None:
    """Create a folder with a `.gitignore`, so that its content is not committed by accident.

    An existing `.gitignore` is kept.

    Args:
        ignored: the pattern for the `.gitignore`.

    Raises:
        OSError: it cannot be created.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not os.path.lexists(ignore):
        ignore.write_text(f"{ignored}\n", encoding="utf-8")
