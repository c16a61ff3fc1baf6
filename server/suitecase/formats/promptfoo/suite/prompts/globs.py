"""The files that a pattern matches, inside the workspace only."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from suitecase.suite.path_kinds import is_file
from suitecase.suite.workspace import Folder

#: No more files of one pattern are looked at.
MOST_FILES = 2_000
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MAGIC = re.compile(r"[*?\[{]")


def files_matching(pattern: str, folder: Folder) -> tuple[Path, ...] | None:
    """Return the files that a pattern matches, sorted; None if it looks outside the workspace."""
    fixed = pattern[: found.start()] if (found := _MAGIC.search(pattern)) else pattern
    base = Path(os.path.normpath(folder.path / fixed.rpartition("/")[0]))
    if not folder.workspace.holds(base):
        return None
    files: set[Path] = set()
    for plain in _expanded(pattern):
        found_names = glob.iglob(plain, root_dir=folder.path, recursive=True)  # noqa: PTH207 - braces
        for name in islice(found_names, MOST_FILES):
            path = Path(os.path.normpath(folder.path / name))
            if is_file(path) and folder.workspace.holds(path):
                files.add(path)
    return tuple(sorted(files))


def _expanded(pattern: str) -> Iterator[str]:
    """Yield the patterns of one with alternatives in braces."""
    pending = [pattern]
    for _ in range(100):
        if not pending:
            return
        current = pending.pop()
        braces = _BRACES.search(current)
        if braces is None:
            yield current
            continue
        before, after = current[: braces.start()], current[braces.end() :]
        pending.extend(f"{before}{it}{after}" for it in braces[1].split(","))
