"""Updating the paths in suites when files or folders are moved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from suitecase.editor.index.occurrence import Occurrence
from suitecase.editor.index.summary import Found, Summary
from suitecase.editor.index.workspace_index import summary_of_file
from suitecase.editor.navigation.file_edits import FileEdits
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.format.rule import Edit, Fix
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.node import Span
from suitecase_evaluators.system.path_kinds import is_file

#: Words that need no quotes in a command line.
_WORD = re.compile(r"[\w./@+\-]+")


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of files and folders, each as old and new path."""

    all: Sequence[tuple[Path, Path]]

    def after(self, path: Path) -> Path:
        """Return the path of a file after the moves."""
        for old, new in self.all:
            if path.is_relative_to(old):
                return new / path.relative_to(old)
        return path

    def is_file_after(self, path: Path) -> bool:
        """Whether there is a file at a path after the moves."""
        for old, new in self.all:
            if path.is_relative_to(new):
                return is_file(old / path.relative_to(new))
        return self.after(path) == path and is_file(path)


def moved_references(surroundings: WorkspaceView, moves: Moves) -> list[FileEdits]:
    """Return the edits that keep the paths in all suites pointing to the same files.

    Spans are those before the move. A file is left unchanged if the edits are not certain to be
    right, such as for composed paths, or paths that would leave the workspace.

    Args:
        surroundings: the workspace before the move.
        moves: the moves.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    return [it for summary in surroundings.all() for it in _in_file(surroundings, summary, moves)]


def _in_file(surroundings: WorkspaceView, summary: Summary, moves: Moves) -> Iterator[FileEdits]:
    if summary.path is None or not any(it.occurrence.kind.is_file for it in summary):
        return
    summary = surroundings.current(summary)
    path, text = summary.path, surroundings.text_of(summary)
    if path is None or text is None:
        return
    edits: dict[Span, Edit] = {}
    expected: list[str] = []
    for found in summary:
        occurrence = found.occurrence
        if not occurrence.kind.is_file:
            continue
        new = _path(surroundings, summary, path, found, moves)
        old_text = text[found.span.start : found.span.end]
        new_text = _written(occurrence, new, old_text, is_json=summary.kind == "dataset")
        if new is not None and new_text is not None:
            edits[found.span] = Edit(found.span, new_text)
            expected.append(new)
        else:
            expected.append(occurrence.name)
    if not edits:
        return
    sorted_edits = tuple(edits[edit] for edit in sorted(edits))
    reparsed = summary_of_file(path, Fix("", sorted_edits).apply(text), surroundings.workspace.root)
    if [it.occurrence.name for it in reparsed if it.occurrence.kind.is_file] == expected:
        yield FileEdits(path, text, sorted_edits)


def _path(
    surroundings: WorkspaceView, summary: Summary, path: Path, reference: Found, moves: Moves
) -> str | None:
    """Return the new path for a reference; None to keep the old one."""
    target = surroundings.file_at(summary, reference)
    if target is None:
        return None
    occurrence, workspace = reference.occurrence, surroundings.workspace
    after, folder = moves.after(target), moves.after(path).parent
    if not after.is_relative_to(workspace.root) or not folder.is_relative_to(workspace.root):
        return None
    name = occurrence.name.strip()
    if occurrence.starts_in is not None:
        start = _start(occurrence.starts_in, Folder(workspace, path.parent), folder, moves)
        if start is None or Path(os.path.normpath(start / name)) == after:
            return None
        return _relative(after, start, name)
    if _leads_to(name, folder, workspace, moves) == after:
        return None
    bases = [it for it in workspace.folders_up(path.parent) if _at(it, name) == target]
    # Relative to where it was found, else to the suite, which is always searched first.
    for base in (*map(moves.after, bases[:1]), folder):
        new = _relative(after, base, name)
        if _leads_to(new, folder, workspace, moves) == after:
            return new
    return None


def _start(cwd: str, folder: Folder, new_folder: Path, moves: Moves) -> Path | None:
    """Return the folder a command starts in after the moves; None if it is uncertain."""
    if os.path.normpath(cwd) == ".":
        return new_folder
    start = folder.start_folder(cwd)
    if start is None or moves.after(folder.path) != new_folder:
        return None
    stays = moves.after(start) == start and new_folder == folder.path
    moves_along = start.is_relative_to(folder.path) and moves.after(start).is_relative_to(
        new_folder
    )
    return moves.after(start) if stays or moves_along else None


def _leads_to(name: str, folder: Path, workspace: Workspace, moves: Moves) -> Path | None:
    """Return the file a path resolves to after the moves, with the lookup of suites."""
    for up in workspace.folders_up(folder):
        path = _at(up, name)
        if path.is_relative_to(workspace.root) and moves.is_file_after(path):
            return path
    return None


def _at(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / name.lstrip("/")))


def _relative(path: Path, base: Path, like: str) -> str:
    """Return a path relative to a folder, with the prefix style of another path."""
    relative = Path(os.path.relpath(path, base)).as_posix()
    if relative.startswith("../"):
        return relative
    if like.startswith("/"):
        return f"/{relative}"
    return f"./{relative}" if like.startswith("./") else relative


def _written(
    occurrence: Occurrence, new: str | None, old_text: str, *, is_json: bool
) -> str | None:
    """Return the text for a new path; None if it is uncertain how to quote it."""
    if new is None:
        return None
    if occurrence.starts_in is not None and old_text == occurrence.name:
        return new if _WORD.fullmatch(new) else None  # a word of a command
    return spelled(new, old_text, is_json=is_json)
