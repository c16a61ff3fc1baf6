"""The path that a wrong one most likely means."""

from __future__ import annotations

import os
from pathlib import Path

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    from_another_folder,
    near_file,
    path_from,
)
from suitecase_evaluators.system.path_kinds import is_file


def better_path(path: str, folder: Folder) -> str | None:
    """Return the path of the file that a wrong path most likely means, or None.

    That is the same path from a folder above or from within the folder that it starts with, or a
    file of nearly the same name in the same folder.
    """
    if path.startswith("/") or "\0" in path or "*" in path:
        return None
    above = from_another_folder(FileReference(path), folder)
    if above is not None:
        return path_from(folder, above)
    inner = path.removeprefix("./").removeprefix(f"{folder.path.name}/")
    if inner != path and is_file(folder.path / inner):
        return inner
    near = near_file(Path(os.path.normpath(folder.path / path)), folder)
    return path_from(folder, near) if near is not None else None
