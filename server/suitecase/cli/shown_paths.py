"""Paths as they are printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_MOST_NAMED = 5


def shown_path(path: Path) -> str:
    """Return a path as it is printed: relative to the working directory where it lies below."""
    relative = os.path.relpath(path)
    return Path(relative).as_posix() if not relative.startswith("..") else path.as_posix()


def links_passed_over(links: Sequence[Path]) -> str:
    """Return a line that says which links out of the workspace were not read: suites may lie behind them."""
    names = ", ".join(shown_path(it) for it in links[:_MOST_NAMED])
    more = f" and {len(links) - _MOST_NAMED} more" if len(links) > _MOST_NAMED else ""
    what = "1 link leads" if len(links) == 1 else f"{len(links)} links lead"
    verb = "is" if len(links) == 1 else "are"
    return f"{what} out of the workspace and {verb} not read: {names}{more}"
