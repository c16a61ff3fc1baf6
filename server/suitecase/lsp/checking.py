"""What is wrong with a document."""

from __future__ import annotations

import logging
from collections import ChainMap
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from lsprotocol import types

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check as check_written
from suitecase.checking.check import check_configuration, check_external
from suitecase.checking.options import CheckOptions
from suitecase.lsp.checks_apart import ON_LOOP, Checked
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.snapshot import Snapshot
from suitecase.rule import Finding
from suitecase.suite.workspace import Folder, Workspace
from suitecase.syntax.lines import Lines
from suitecase.time_limits import AbandonedError, in_time

_log = logging.getLogger(__name__)


def check(session: Session, document: OpenDocument) -> Analysis:
    """Check a document as it is now, with the files it names as they are now.

    What the client has open counts as it stands there. A document that is not a file has no folder to
    look for files in, so nothing is said about those.
    """
    return _checked(session, document).analysis


def check_text(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Check a text as if it were a document's."""
    if text == document.text:
        return _checked(session, document).analysis
    return _in_another_text(session, document, session.snapshot(document).with_text(text))


def check_as_named(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Return what suites that name a document say of a text as if it were the document's.

    What else is wrong with these suites is among what is silenced.
    """
    named = Analysis([])
    here: list[Finding] = []
    for uri in session.referenced_files.referrers(document.paths):
        suite = session.suite(uri)
        if suite is not None:
            analysis = _analysis_of_referrer(session, suite, document, text)
            others = analysis.external_findings
            for path in document.paths:
                here += others.pop(path, ())
            named.failures += analysis.failures
            named.silenced += (*analysis.findings, *analysis.known, *analysis.silenced)
            named.silenced += (it for found in others.values() for it in found)
    named.findings = _new(session, document, here, text)
    return named


def _analysis_of_referrer(
    session: Session, suite: OpenDocument, document: OpenDocument, text: str
) -> Analysis:
    """Check a suite that names a document, with a text in the place of the document's."""
    if text == document.text:
        return _checked(session, suite).analysis
    texts = ChainMap(dict.fromkeys(document.paths, text), dict(session.documents.texts()))
    snapshot = session.snapshot(suite)
    workspace = Workspace(snapshot.workspace.root, texts)
    return _in_another_text(session, suite, replace(snapshot, workspace=workspace))


def check_and_keep(session: Session, document: OpenDocument) -> tuple[Analysis, set[Path]]:
    """Check a document, and keep what it says of other files.

    Returns:
        what was found, and the files of which now something else is said.
    """
    checked = _checked(session, document)
    found, read = checked.analysis.external_findings, checked.read
    return checked.analysis, session.referenced_files.take(document.uri, found, read)


def said_by_others(session: Session, document: OpenDocument) -> tuple[list[Finding], set[Path]]:
    """Return what suites that name a document say of it as it is now.

    Returns:
        what was found, and the other files of which now something else is said.
    """
    changed: set[Path] = set()
    others = session.referenced_files
    referrers = others.referrers(document.paths)
    if not referrers:
        return [], changed
    for uri in referrers:
        suite = session.suite(uri)
        if suite is not None and others.is_outdated(uri, document.paths, document.text):
            changed |= check_and_keep(session, suite)[1]
    said = _new(session, document, others.findings_for(document.paths, document.text))
    return said, changed - document.paths


def _new(
    session: Session, document: OpenDocument, found: list[Finding], text: str | None = None
) -> list[Finding]:
    """Return what is reported of what suites say of a document, or of a text in its place."""
    if document.path is None:
        return found
    lines = document.lines if text is None else Lines(text)
    workspace = session.snapshot(document).workspace
    return check_external(document.path, found, workspace, lines=lines).findings


def _checked(session: Session, document: OpenDocument) -> Checked:
    """Check a document, unless that has been done.

    Where a rule takes long, it is checked in a thread, and this returns what was found last.
    """
    snapshot = session.snapshot(document)
    checked = session.snapshots.checked.get(snapshot)
    if checked is not None:
        return checked
    if session.checks_apart.holds(document):
        return _in_thread(session, document, snapshot)
    found = _on_loop(document, snapshot)
    if found is None:
        return _in_thread(session, document, snapshot)
    _report(session, document, found)
    # What the workspace reads from here on is not what the findings depend on.
    checked = Checked(found, dict(snapshot.workspace.texts_read))
    session.snapshots.checked[snapshot] = checked
    return checked


def _in_another_text(session: Session, document: OpenDocument, snapshot: Snapshot) -> Analysis:
    """Check a document with another text, or with other files around it.

    Nothing is found where a rule takes long.
    """
    found = None if session.checks_apart.holds(document) else _on_loop(document, snapshot)
    if found is None:
        return Analysis([])
    _report(session, document, found)
    return found


def _on_loop(document: OpenDocument, snapshot: Snapshot) -> Analysis | None:
    """Check a snapshot; None where a rule takes too long for the event loop."""
    look = partial(_found, snapshot, document.failed_rules)
    try:
        return in_time(look, limit=ON_LOOP, gives_up=True, length=snapshot.lines.size)
    except AbandonedError as error:
        _log.info("%s is checked in a thread: %s takes long", document.uri, error.rule.code)
        return None


def _in_thread(session: Session, document: OpenDocument, snapshot: Snapshot) -> Checked:
    if session.rpc.ending:
        return Checked(Analysis([]), {})
    # The thread has files of its own: those of the snapshot are for the event loop.
    workspace = Workspace(snapshot.workspace.root, dict(session.documents.texts()))
    failed = set(document.failed_rules)

    def check(text: str) -> Checked:
        def look() -> Analysis:
            return _found(snapshot.with_text(text, workspace), failed)

        return Checked(in_time(look), workspace.texts_read)

    checked = session.checks_apart.checked(document, check)
    _report(session, document, checked.analysis)
    return checked


def _found(snapshot: Snapshot, failed_rules: Collection[str]) -> Analysis:
    path, workspace = snapshot.path, snapshot.workspace
    options = CheckOptions(failed_rules=frozenset(failed_rules), cross_file=path is not None)
    if snapshot.configuration is not None:
        return check_configuration(snapshot.configuration, workspace, options)
    if snapshot.parsed is None:
        return Analysis([])
    folder = Folder(workspace, path.parent if path is not None else workspace.root)
    return check_written(snapshot.parsed, folder, path, options=options)


def _report(session: Session, document: OpenDocument, analysis: Analysis) -> None:
    """Report each rule that failed on a document once, and leave it out there from now on.

    It is a bug of ours: no finding, and no reason to lose what the other rules find.
    """
    for failure in analysis.failures:
        rule = failure.rule
        if rule.code in document.failed_rules:
            continue
        document.failed_rules.add(rule.code)
        _log.error("the rule %s failed, a bug:\n%s", rule.code, failure.trace)
        message = (
            f"The rule {rule.code} ({rule.name}) failed on {document.uri} and is switched off "
            f"there. This is a bug in Suitecase, please report it:\n{failure.trace}"
        )
        session.window_log_message(types.LogMessageParams(types.MessageType.Error, message))
