"""What an isolated program may not change in a folder that it may write to.

Tools run what these files and folders say: git its hooks, editors their tasks, and Suitecase takes
targets and limits from them. A program that could change them would get out of the sandbox by the
hands of whoever uses the folder next.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

#: Read-only wherever they are; a folder of such a name is never one that may be written to.
_FOLDERS = frozenset(
    (
        *(".git", ".hg", ".svn", ".jj", ".husky", ".githooks"),
        *(".suitecase", ".vscode", ".idea", ".zed", ".devcontainer", ".direnv"),
        *(".github", ".gitlab", ".circleci", ".venv"),
        *(".claude", ".codex", ".cursor", ".gemini"),
    )
)
_FILES = frozenset(
    (
        *("suitecase.toml", "pyproject.toml", "targets.yaml", "targets.yml"),
        *(".gitmodules", ".envrc", ".mcp.json", ".pre-commit-config.yaml", ".gitlab-ci.yml"),
    )
)
#: A run makes it too, for its results.
_OURS = ".suitecase"
#: Folders that are not searched: they are large, and do not contain workspaces.
_SKIPPED = frozenset(("node_modules", "__pycache__"))
#: A folder with more of them is not written to at all: each one is a mount.
MOST = 300


class TooManyError(Exception):
    """A folder holds more protected places than can be protected."""


def is_protected(place: Path, root: Path) -> bool:
    """Whether a folder of a workspace is protected, or is inside a protected one."""
    return not _FOLDERS.isdisjoint(place.relative_to(root).parts)


def protected_in(folder: Path) -> list[Path]:
    """Return what a program may not change in a folder itself: all that is hidden, and by name."""
    return [
        folder / entry.name
        for entry in _entries(folder)
        if (entry.name.startswith(".") or entry.name in _FILES) and not entry.is_symlink()
    ]


def protected_below(folder: Path) -> list[Path]:
    """Return what a program may not change in the folders within a folder.

    Raises:
        TooManyError: there are more than `MOST`.
    """
    found = list(islice(_below(folder), MOST + 1))
    if len(found) > MOST:
        raise TooManyError
    return found


def _below(folder: Path) -> Iterator[Path]:
    folders = [
        entry.path
        for entry in _entries(folder)
        if _is_folder(entry) and not entry.name.startswith(".") and entry.name not in _SKIPPED
    ]
    while folders:
        for entry in _entries(folders.pop()):
            if _is_folder(entry):
                if entry.name in _FOLDERS:
                    yield Path(entry.path)
                elif entry.name not in _SKIPPED:
                    folders.append(entry.path)
            elif (entry.name in _FILES or entry.name in _FOLDERS) and not entry.is_symlink():
                # A file `.git` says where the repository of a worktree or a submodule lies.
                yield Path(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def unprotected_in(folder: Path) -> dict[str, str]:
    """Return what no mount can protect in a folder: links by what they lead to, and what is there.

    Taken before and after a program, it tells what the program made; see `made_since`.
    """
    marks: dict[str, str] = {}
    for entry in _entries(folder):
        if entry.name in _FOLDERS or entry.name in _FILES:
            try:
                marks[entry.name] = str(Path(entry.path).readlink()) if entry.is_symlink() else ""
            except OSError:
                continue
    return marks


def made_since(folder: Path, before: dict[str, str]) -> list[str]:
    """Return the names that a folder did not have before, or that led elsewhere."""
    now = unprotected_in(folder)
    return sorted(
        name
        for name, mark in now.items()
        if before.get(name) != mark and not (name == _OURS and not _has_targets(folder / name))
    )


def _has_targets(folder: Path) -> bool:
    return any(entry.name in _FILES for entry in _entries(folder))
