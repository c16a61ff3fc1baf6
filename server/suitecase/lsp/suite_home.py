"""What a document is called in records, and where results of running it are kept."""

from __future__ import annotations

from pathlib import Path

from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import EditorResultsDir, home
from suitecase.lsp.session import Session
from suitecase.suite.workspace import read_text


def suite_path(session: Session, document: OpenDocument) -> Path:
    """Return the path a document is run under; one that is not a file lies in the root."""
    return document.path or session.root(document) / "untitled.eval.yaml"


def unsaved_texts(session: Session, document: OpenDocument) -> dict[str, str]:
    """Return the texts of other open files that are not what lies on the disk, by their paths."""
    root = session.root(document)
    others = [it for it in session.documents if it is not document and it.path is not None]
    return {
        str(path): it.text
        for it in others
        if any(path.is_relative_to(root) for path in it.paths) and _is_unsaved(it)
        for path in it.paths
    }


def _is_unsaved(document: OpenDocument) -> bool:
    return document.path is not None and read_text(document.path) != document.text


def suite_name(session: Session, document: OpenDocument) -> str:
    """Return the suite as its records have it: from the root of its workspace."""
    path = suite_path(session, document)
    return session.snapshot(document).folder.shown(path)


def results_dir_of(session: Session, document: OpenDocument) -> EditorResultsDir:
    """Return where results of running a document are kept; the folder is made if need be.

    Several documents that are not files have one name, and a file of their own each.
    """
    lasting = document.path is not None
    name = suite_name(session, document) if lasting else document.uri
    return home(session.root(document), name, lasting=lasting)
