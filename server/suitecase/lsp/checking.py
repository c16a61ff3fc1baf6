"""What is wrong with a document."""

from __future__ import annotations

import logging

from suitecase.analysis import Analysis, analyze
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.suite.workspace import Folder, Workspace

_log = logging.getLogger(__name__)


def check(session: Session, document: OpenDocument) -> Analysis:
    """Check a document as it is now, with the files it names as they are now.

    One that is no file has no folder to look for files in, so nothing is said about those.
    """
    root = session.root(document)
    folder = Folder(Workspace(root), document.path.parent if document.path else root)
    analysis = analyze(document.suite, folder)
    if document.path is None:
        analysis.findings = [it for it in analysis.findings if not it.rule.reads_files]
    for failure in analysis.failures:
        _log.error("the rule %s failed, a bug:\n%s", failure.rule.code, failure.trace)
    return analysis
