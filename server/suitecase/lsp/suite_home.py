"""The name of a document in records, and where the results of its runs are stored."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.workspace import read_text
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import EditorResultsDir, make_results_dir
from suitecase.lsp.session import Session


def suite_path(session: Session, document: OpenDocument) -> Path:
    """Return the path a document is run as; if it is not a file, it is placed in the root."""
    return document.path or session.root(document) / "untitled.eval.yaml"


def unsaved_texts(session: Session, document: OpenDocument) -> dict[str, str]:
    """Return the texts of other open files with unsaved changes, by path."""
    root = session.root(document)
    others = [
        other for other in session.documents if other is not document and other.path is not None
    ]
    return {
        str(path): other.text
        for other in others
        if any(path.is_relative_to(root) for path in other.paths) and _is_unsaved(other)
        for path in other.paths
    }


def _is_unsaved(document: OpenDocument) -> bool:
    return document.path is not None and read_text(document.path) != document.text


def suite_name(session: Session, document: OpenDocument) -> str:
    """Return the suite's path as its records have it: relative to the root of its workspace."""
    path = suite_path(session, document)
    return session.snapshot(document).folder.shown(path)


def results_dir_of(session: Session, document: OpenDocument) -> EditorResultsDir:
    """Return where the results of a document's runs are stored; creates the folder if needed.

    Documents that are not files share one name, but each has its own results file.
    """
    lasting = document.path is not None
    name = suite_name(session, document) if lasting else document.uri
    return make_results_dir(session.root(document), name, lasting=lasting)
