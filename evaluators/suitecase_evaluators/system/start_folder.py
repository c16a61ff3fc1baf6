"""The folder a script starts in: looked for as all that a suite names is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from suitecase_evaluators.system.path_kinds import is_folder, real_path


def start_folder(cwd: str | None, folders: Sequence[Path]) -> Path | None:
    """Return where a script starts: in `cwd`, seen from the first folder that has it.

    A leading slash means one of the folders, unless it is the path of a folder within them. Where
    none has it, the nearest place is returned at which it could be, though it does not exist.

    Args:
        cwd: as the suite says; None or nothing for the suite's own folder.
        folders: the suite's and those above it, up to the root of the workspace.

    Returns:
        None where every such place lies outside the root.
    """
    if cwd is None or not cwd.strip():
        return folders[0]
    if "\0" in cwd:
        return folders[0] / "\0"  # which is nowhere
    absolute = [Path(os.path.normpath(cwd))] if Path(cwd).is_absolute() else []
    relative = cwd.lstrip("/") or "."
    places = [*absolute, *(Path(os.path.normpath(folder / relative)) for folder in folders)]
    inside = [place for place in places if _lies_in(place, folders[-1])]
    there = [it for it in inside if is_folder(it)]
    # A path of the file system is none of the workspace, unless it leads there.
    near = [it for it in inside if it not in absolute]
    return next(iter((*there, *near)), None)


def _lies_in(path: Path, root: Path) -> bool:
    if not path.is_relative_to(root):
        return False
    try:
        return real_path(path).is_relative_to(real_path(root))
    except (OSError, RuntimeError, ValueError):
        return False
