"""Paths for display."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from suitecase.text.working_directory import working_directory

_MOST_NAMED = 5


def shown_path(path: Path) -> str:
    """Return a path for display: relative to the working directory if it is below."""
    here = working_directory()
    relative = os.path.relpath(here / path, here)
    return Path(relative).as_posix() if not relative.startswith("..") else path.as_posix()


def links_passed_over(links: Sequence[Path]) -> str:
    """Return a note about links out of the workspace, which were not read but may lead to suites."""
    names = ", ".join(shown_path(it) for it in links[:_MOST_NAMED])
    more = f" and {len(links) - _MOST_NAMED} more" if len(links) > _MOST_NAMED else ""
    what = "1 link leads" if len(links) == 1 else f"{len(links)} links lead"
    verb = "is" if len(links) == 1 else "are"
    return f"{what} out of the workspace and {verb} not read: {names}{more}"
