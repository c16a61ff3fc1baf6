"""The paths in suites that have to be written anew because files or folders get another place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from suitecase.ide.index.occurrence import Occurrence
from suitecase.ide.index.summary import Found, Summary
from suitecase.ide.index.workspace_index import summary_of_file
from suitecase.ide.navigation.renaming import FileEdits
from suitecase.ide.navigation.spelled_name import spelled
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.rule import Edit, Fix
from suitecase.suite.workspace import Folder, Workspace
from suitecase.syntax.node import Span

#: What may stand in a command line without quotes.
_WORD = re.compile(r"[\w./@+\-]+")


@dataclass(frozen=True, slots=True)
class Moves:
    """What is moved: files and folders, each with its place before and after."""

    all: Sequence[tuple[Path, Path]]

    def after(self, path: Path) -> Path:
        """Return where something lies afterwards."""
        for old, new in self.all:
            if path.is_relative_to(old):
                return new / path.relative_to(old)
        return path

    def is_file_after(self, path: Path) -> bool:
        """Whether a file lies somewhere afterwards."""
        for old, new in self.all:
            if path.is_relative_to(new):
                return (old / path.relative_to(new)).is_file()
        return self.after(path) == path and path.is_file()


def moved_references(surroundings: WorkspaceView, moves: Moves) -> list[FileEdits]:
    """Return the edits that keep each path in each suite leading to the file that it leads to.

    The places are those before the move. A file is left as it is where that cannot be done for
    sure, such as a path that is put together, or one that would lead out of the workspace.

    Args:
        surroundings: the workspace before the move.
        moves: what is moved.

    Raises:
        GivenUpError: nobody waits for the answer any more.
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
        written = text[found.span.start : found.span.end]
        made = _written(occurrence, new, written, is_json=summary.kind == "dataset")
        if new is not None and made is not None:
            edits[found.span] = Edit(found.span, made)
            expected.append(new)
        else:
            expected.append(occurrence.name)
    if not edits:
        return
    made_edits = tuple(edits[it] for it in sorted(edits))
    again = summary_of_file(path, Fix("", made_edits).apply(text), surroundings.workspace.root)
    if [it.occurrence.name for it in again if it.occurrence.kind.is_file] == expected:
        yield FileEdits(path, text, made_edits)


def _path(
    surroundings: WorkspaceView, summary: Summary, path: Path, found: Found, moves: Moves
) -> str | None:
    """Return the path that is to stand at a place; None where the one that stands there stays."""
    target = surroundings.file_at(summary, found)
    if target is None:
        return None
    occurrence, workspace = found.occurrence, surroundings.workspace
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
    # From where it was found; else from the suite, which is always looked at first.
    for base in (*map(moves.after, bases[:1]), folder):
        new = _relative(after, base, name)
        if _leads_to(new, folder, workspace, moves) == after:
            return new
    return None


def _start(cwd: str, folder: Folder, new_folder: Path, moves: Moves) -> Path | None:
    """Return where a command starts afterwards; None where that is not sure."""
    if os.path.normpath(cwd) == ".":
        return new_folder
    start = folder.start_folder(cwd)
    if start is None or moves.after(folder.path) != new_folder:
        return None
    stays = moves.after(start) == start and new_folder == folder.path
    along = start.is_relative_to(folder.path) and moves.after(start).is_relative_to(new_folder)
    return moves.after(start) if stays or along else None


def _leads_to(name: str, folder: Path, workspace: Workspace, moves: Moves) -> Path | None:
    """Return the file that a path leads to afterwards, looked up as suites look files up."""
    for up in workspace.folders_up(folder):
        path = _at(up, name)
        if path.is_relative_to(workspace.root) and moves.is_file_after(path):
            return path
    return None


def _at(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / name.lstrip("/")))


def _relative(path: Path, base: Path, like: str) -> str:
    """Return a path from a folder, beginning as another one does."""
    made = Path(os.path.relpath(path, base)).as_posix()
    if made.startswith("../"):
        return made
    if like.startswith("/"):
        return f"/{made}"
    return f"./{made}" if like.startswith("./") else made


def _written(occurrence: Occurrence, new: str | None, written: str, *, is_json: bool) -> str | None:
    """Return what is to stand in the text; None where it is not sure how."""
    if new is None:
        return None
    if occurrence.starts_in is not None and written == occurrence.name:
        return new if _WORD.fullmatch(new) else None  # a word of a command
    return spelled(new, written, is_json=is_json)
