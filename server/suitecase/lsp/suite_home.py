"""What a document is called in records, and where results of running it are kept."""

from __future__ import annotations

from pathlib import Path

from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.kept_results import Home, home
from suitecase.lsp.session import Session
from suitecase.suite.workspace import Folder, Workspace


def suite_path(session: Session, document: OpenDocument) -> Path:
    """Return the path a document is run under; one that is no file lies in the root."""
    return document.path or session.root(document) / "untitled.eval.yaml"


def suite_name(session: Session, document: OpenDocument) -> str:
    """Return the suite as its records have it: from the root of its workspace."""
    path = suite_path(session, document)
    return Folder(Workspace(session.root(document)), path.parent).shown(path)


def home_of(session: Session, document: OpenDocument) -> Home:
    """Return where results of running a document are kept; the folder is made if need be.

    Several documents that are no files have one name, and a file of their own each.
    """
    lasting = document.path is not None
    name = suite_name(session, document) if lasting else document.uri
    return home(session.root(document), name, lasting=lasting)
