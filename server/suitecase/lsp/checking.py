"""What is wrong with a document."""

from __future__ import annotations

import logging

from suitecase.analysis import Analysis, analyze
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.suite.reading import read_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenSuite, read_suite

_log = logging.getLogger(__name__)


def check(session: Session, document: OpenDocument) -> Analysis:
    """Check a document as it is now, with the files it names as they are now.

    One that is no file has no folder to look for files in, so nothing is said about those.
    """
    return check_text(session, document, document.text)


def check_text(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Check a text as if it were a document's."""
    root = session.root(document)
    folder = Folder(Workspace(root), document.path.parent if document.path else root)
    written: WrittenSuite | WrittenTargets
    if document.is_suite:
        same = text == document.text
        written = document.suite if same else read_suite(text, reuse=document.suite)
    elif document.path is not None:
        written = read_file(document.path, text, folder.workspace)
    else:
        return Analysis([])
    analysis = analyze(written, folder, document.path)
    if document.path is None:
        analysis.findings = [it for it in analysis.findings if not it.rule.reads_files]
    for failure in analysis.failures:
        _log.error("the rule %s failed, a bug:\n%s", failure.rule.code, failure.trace)
    return analysis
