"""Hovers on `file://` paths: which files they lead to, and how these begin."""

from __future__ import annotations

from pathlib import Path

from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileProblem,
    FileReference,
    located,
)
from suitecase_evaluators.system.path_kinds import is_there

#: How much of a file is shown.
_LINES = 12
_MOST = 1_200
_MOST_FILES = 8
#: Longer files are not read for a hover.
_MOST_BYTES = 1_000_000
_LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".cjs": "javascript",
    ".mjs": "javascript",
    ".ts": "typescript",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "json",
    ".md": "markdown",
}


def file_text(reference: FileReference, folder: Folder) -> str | None:
    """Return which files a path leads to; None if it is filled in first."""
    if reference.is_template or not reference.path:
        return None
    found = located(reference, folder)
    match found.problem:
        case FileProblem.MISSING:
            shown = folder.shown(found.path) if found.path is not None else reference.path
            return f"File {code(shown)} not found."
        case FileProblem.NO_MATCH:
            return f"No file matches {code(reference.path)}."
        case FileProblem.FOLDER:
            return f"{code(reference.path)} is a folder."
        case FileProblem.OUTSIDE:
            return (
                f"{code(reference.path)} is outside the workspace, where Suitecase reads nothing."
            )
        case FileProblem.TOO_MUCH:
            return f"{code(reference.path)} would look at too many files."
    if len(found.files) == 1:
        return _of_one(found.files[0], reference, folder)
    rows = [f"- {code(folder.shown(file))}" for file in found.files[:_MOST_FILES]]
    more = len(found.files) - _MOST_FILES
    if more > 0:
        rows.append(f"- and {more:,} more")
    return f"**{len(found.files):,} files** match:\n\n" + "\n".join(rows)


def _of_one(path: Path, reference: FileReference, folder: Folder) -> str:
    title = f"**{code(folder.shown(path))}**"
    if reference.function:
        title += f" · function {code(reference.function)}"
    if path.name.startswith(".env"):
        return title  # what is in it is secret
    try:
        is_long = is_there(path) and path.stat().st_size > _MOST_BYTES
    except OSError:
        is_long = True
    text = Unreadable("") if is_long else folder.read(path)
    if isinstance(text, Unreadable):
        return title
    lines = text.splitlines()
    title += f" · {len(lines):,} lines" if len(lines) != 1 else " · 1 line"
    if not text.strip():
        return f"{title}\n\nThe file is empty."
    head = "\n".join(_shown_lines(lines, reference.function))
    return (
        f"{title}\n\n{fenced(cut_text(head, _MOST), _LANGUAGES.get(path.suffix.lower(), 'text'))}"
    )


def _shown_lines(lines: list[str], function: str | None) -> list[str]:
    """Return the lines that are shown: those of a function if one is named, else the first."""
    start = 0
    if function:
        named = (
            number
            for number, it in enumerate(lines)
            if f"def {function}(" in it or f"function {function}(" in it or f"{function} =" in it
        )
        start = next(named, 0)
    shown = lines[start : start + _LINES]
    return [*shown, "…"] if start + _LINES < len(lines) else shown
