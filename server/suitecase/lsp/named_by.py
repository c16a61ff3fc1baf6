"""The suite of another tool that names an open file."""

from __future__ import annotations

from suitecase.editor.dialect_features import Naming
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session


def naming(session: Session, document: OpenDocument) -> Naming | None:
    """Return a suite of another tool that names a document; None if there is none."""
    for uri in session.referenced_files.referrers(document.paths):
        suite = session.suite(uri)
        if suite is None or suite is document:
            continue
        snapshot = session.snapshot(suite)
        if snapshot.dialect_file is not None and snapshot.dialect_file.is_suite:
            return Naming(snapshot.dialect_file, snapshot.folder)
    return None
