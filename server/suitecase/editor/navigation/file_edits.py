"""What renaming returns: edits of files, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.editor.index.summary import Summary
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.format.rule import Edit
from suitecase.text.lines import Lines
from suitecase.text.node import Span


class CannotRenameError(Exception):
    """Something cannot be renamed; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one file; `text` is the text of their spans."""

    path: Path | None
    text: str
    edits: tuple[Edit, ...]


def location_text(surroundings: WorkspaceView, summary: Summary, span: Span) -> str:
    """Describe a location to users: `suites/a.eval.yaml:12`."""
    text = surroundings.text_of(summary) or ""
    line = Lines(text).number(span.start)
    if summary.path is None:
        return f"line {line}"
    root = surroundings.workspace.root
    inside = summary.path.is_relative_to(root)
    path = summary.path.relative_to(root) if inside else summary.path
    return f"`{path.as_posix()}:{line}`"
