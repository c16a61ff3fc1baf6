"""Paths for display."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from suitecase.text.git_ignored import LeftOutByGit
from suitecase.text.working_directory import working_directory

_MOST_NAMED = 5


def shown_path(path: Path) -> str:
    """Return a path for display: relative to the working directory if it is below."""
    here = working_directory()
    relative = os.path.relpath(here / path, here)
    return Path(relative).as_posix() if not relative.startswith("..") else path.as_posix()


def links_passed_over(links: Sequence[Path]) -> str:
    """Return a note about links out of the workspace, which were not read but may lead to suites."""
    names = _named(links)
    what = "1 link leads" if len(links) == 1 else f"{len(links)} links lead"
    verb = "is" if len(links) == 1 else "are"
    return f"{what} out of the workspace and {verb} not read: {names}"


def left_out_by_git(left_out: LeftOutByGit, instead: str) -> list[str]:
    """Return notes about what a search has left out since git ignores it.

    Args:
        left_out: what it is.
        instead: what to do so that it is not, as in `name them to check them`.
    """
    notes: list[str] = []
    if paths := [*dict.fromkeys(left_out.suites)]:
        what = (
            "1 file with the name of a suite is left out, since git ignores it"
            if len(paths) == 1
            else f"{len(paths):,} files with names of suites are left out, since git ignores them"
        )
        notes.append(f"{what}: {_named(paths)}; {instead}")
    notes += (
        f"{shown_path(Path(repository))}: it is not known what git tracks there, since the index of the "
        f"repository cannot be read, so a suite that it tracks may be among what `.gitignore` leaves out; {instead}"
        for repository in sorted(left_out.unknown)
    )
    return notes


def _named(paths: Sequence[Path]) -> str:
    names = ", ".join(map(shown_path, paths[:_MOST_NAMED]))
    return names + (f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else "")
