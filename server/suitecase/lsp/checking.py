"""Checking documents: their own findings, and those that suites report for files they name."""

from __future__ import annotations

import logging
import time
from collections import ChainMap
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lsprotocol import types

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check as check_written
from suitecase.checking.check import check_configuration, check_external
from suitecase.checking.findings import Findings
from suitecase.checking.options import CheckOptions
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.lsp.checks_apart import Checked
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.snapshot import Snapshot
from suitecase.text.lines import Lines
from suitecase.text.time_limits import ON_LOOP, AbandonedError, in_time

_log = logging.getLogger(__name__)


def check(session: Session, document: OpenDocument) -> Analysis:
    """Check a document in its current state, with the files it names in theirs.

    Unsaved text of open files counts. A document that is not a file has no folder to look for files
    in, so rules about other files are skipped.
    """
    return _checked(session, document).analysis


def check_beginning(session: Session, document: OpenDocument) -> Findings:
    """Return the findings in the first cases of a long document that has not been read yet.

    These stay once it is read. What its other cases may change is not among them: findings about the
    whole, those in other files, and those that a baseline or a comment may suppress. There are none
    of a short document.
    """
    beginning = document.beginning()
    if beginning is None:
        return Findings(())
    analysis = _in_another_text(session, document, session.snapshot(beginning))
    found = analysis.findings
    return found.only_in_cases() if isinstance(found, Findings) else Findings(())


def check_text(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Check a text as if it were a document's."""
    if text == document.text:
        return _checked(session, document).analysis
    return _in_another_text(session, document, session.snapshot(document).with_text(text))


def check_as_referenced(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Check a text in place of a document that suites name, and return what they report for it.

    Their other findings are returned as silenced.
    """
    findings: list[Finding] = []
    silenced: list[Finding] = []
    combined = Analysis([], silenced=silenced)
    for uri in session.referenced_files.referrers(document.paths):
        suite = session.suite(uri)
        if suite is not None:
            analysis = _analysis_of_referrer(session, suite, document, text)
            others = analysis.external_findings
            for path in document.paths:
                findings += others.pop(path, ())
            combined.failures += analysis.failures
            silenced += (*analysis.findings, *analysis.known, *analysis.silenced)
            silenced += (it for external in others.values() for it in external)
    combined.findings = _reportable(session, document, findings, text)
    return combined


def _analysis_of_referrer(
    session: Session, suite: OpenDocument, document: OpenDocument, text: str
) -> Analysis:
    """Check a suite that names a document, with a text in place of the document's."""
    if text == document.text:
        return _checked(session, suite).analysis
    texts = ChainMap(dict.fromkeys(document.paths, text), dict(session.documents.texts()))
    snapshot = session.snapshot(suite)
    workspace = Workspace(snapshot.workspace.root, texts)
    return _in_another_text(session, suite, replace(snapshot, workspace=workspace))


def check_and_store(session: Session, document: OpenDocument) -> tuple[Analysis, set[Path]]:
    """Check a document, and store what it reports for other files.

    Returns:
        the analysis, and the files whose external findings have changed.
    """
    checked = _checked(session, document)
    external, read = checked.analysis.external_findings, checked.read
    return checked.analysis, session.referenced_files.replace(document.uri, external, read)


def findings_of_referrers(
    session: Session, document: OpenDocument
) -> tuple[Sequence[Finding], set[Path]]:
    """Return what suites that name a document report for its current text.

    Returns:
        the findings, and the other files whose external findings have changed.
    """
    changed: set[Path] = set()
    referenced = session.referenced_files
    referrers = referenced.referrers(document.paths)
    if not referrers:
        return [], changed
    for uri in referrers:
        suite = session.suite(uri)
        if suite is None:
            continue
        # A suite that is not open is not checked for its own sake after a change of its other files.
        is_closed = uri in session.closed_suites
        if is_closed or referenced.is_outdated(uri, document.paths, document.text):
            changed |= check_and_store(session, suite)[1]
    findings = _reportable(
        session, document, referenced.findings_for(document.paths, document.text)
    )
    return findings, changed - document.paths


def _reportable(
    session: Session, document: OpenDocument, findings: list[Finding], text: str | None = None
) -> Sequence[Finding]:
    """Filter what suites report for a document, or for a text in its place, by its configuration."""
    if document.path is None:
        return findings
    lines = document.lines if text is None else Lines(text)
    workspace = session.snapshot(document).workspace
    return check_external(document.path, findings, workspace, lines=lines).findings


def _checked(session: Session, document: OpenDocument) -> Checked:
    """Check a snapshot, unless its result is cached.

    Where a rule is slow, the check runs in a thread, and this returns the previous result.
    """
    snapshot = session.snapshot(document)
    checked = session.snapshots.checked.get(snapshot)
    if checked is not None:
        return checked
    if session.checks_apart.is_threaded(document):
        return _in_thread(session, document, snapshot)
    began = time.perf_counter()
    analysis = _on_loop(document, snapshot)
    if analysis is None:
        return _in_thread(session, document, snapshot)
    session.snapshots.note(document, time.perf_counter() - began)
    _report(session, document, analysis)
    # Files that the workspace reads from here on do not affect these findings.
    checked = Checked(analysis, dict(snapshot.workspace.texts_read))
    session.snapshots.checked[snapshot] = checked
    return checked


def _in_another_text(session: Session, document: OpenDocument, snapshot: Snapshot) -> Analysis:
    """Check a document with another text, or with other files around it.

    Returns no findings if a rule is slow.
    """
    analysis = None if session.checks_apart.is_threaded(document) else _on_loop(document, snapshot)
    if analysis is None:
        return Analysis([])
    _report(session, document, analysis)
    return analysis


def _on_loop(document: OpenDocument, snapshot: Snapshot) -> Analysis | None:
    """Check a snapshot; None if a rule is too slow for the event loop."""
    analyze = partial(_analyze, snapshot, document.failed_rules)
    try:
        return in_time(analyze, limit=ON_LOOP, gives_up=True, length=snapshot.lines.size)
    except AbandonedError as error:
        _log.info("%s is checked in a thread: %s takes long", document.uri, error.rule.code)
        return None


def _in_thread(session: Session, document: OpenDocument, snapshot: Snapshot) -> Checked:
    if session.rpc.ending:
        return Checked(Analysis([]), {})
    # The thread reads files on its own: the snapshot's belong to the event loop.
    workspace = Workspace(snapshot.workspace.root, dict(session.documents.texts()))
    failed = set(document.failed_rules)

    def check(text: str) -> Checked:
        def analyze() -> Analysis:
            return _analyze(snapshot.with_text(text, workspace), failed)

        return Checked(in_time(analyze), workspace.texts_read)

    checked = session.checks_apart.checked(document, check)
    _report(session, document, checked.analysis)
    return checked


def _analyze(snapshot: Snapshot, failed_rules: Collection[str]) -> Analysis:
    path, workspace = snapshot.path, snapshot.workspace
    options = CheckOptions(
        failed_rules=frozenset(failed_rules), cross_file=path is not None, places_later=True
    )
    if snapshot.configuration is not None:
        return check_configuration(snapshot.configuration, workspace, options)
    if snapshot.file is None:
        return Analysis([])
    folder = Folder(workspace, path.parent if path is not None else workspace.root)
    return check_written(snapshot.file, folder, path, options=options)


def _report(session: Session, document: OpenDocument, analysis: Analysis) -> None:
    """Report each rule that failed on a document once, and skip it there from now on.

    A failure is a bug of ours: not a finding, and no reason to lose the other findings.
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
