"""What is wrong with a document."""

from __future__ import annotations

import logging
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from suitecase.checking.analysis import Analysis, analyze, analyze_configuration, merged
from suitecase.checking.baseline import filter_baseline
from suitecase.checking.selection import Choice
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.rule import Finding
from suitecase.suite.configuration import read_configuration
from suitecase.suite.reading import read_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenSuite, read_suite
from suitecase.syntax.lines import Lines

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a document and in the files it names, and these as they were."""

    analysis: Analysis
    workspace: Workspace


def check(session: Session, document: OpenDocument) -> Analysis:
    """Check a document as it is now, with the files it names as they are now.

    What the client has open counts as it stands there. A document that is not a file has no folder to
    look for files in, so nothing is said about those.
    """
    return _checked(session, document).analysis


def check_text(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Check a text as if it were a document's."""
    # What the document holds is known already, case by case.
    return _checked(session, document, None if text == document.text else text).analysis


def check_as_named(session: Session, document: OpenDocument, text: str) -> Analysis:
    """Return what suites that name a document say of a text as if it were the document's.

    What else is wrong with these suites is among what is silenced.
    """
    named = Analysis([])
    here: list[Finding] = []
    for uri in session.other_files.namers(document.paths):
        suite = session.suite(uri)
        if suite is not None:
            texts = dict.fromkeys(document.paths, text)
            analysis = _checked(session, suite, texts=texts).analysis
            for path in document.paths:
                here += analysis.external.pop(path, ())
            named.failures += analysis.failures
            named.silenced += (*analysis.everything, *analysis.silenced)
    named.findings = _new(session, document, merged(here), text)
    return named


def check_and_keep(session: Session, document: OpenDocument) -> tuple[Analysis, set[Path]]:
    """Check a document, and keep what it says of other files.

    Returns:
        what was found, and the files of which now something else is said.
    """
    checked = _checked(session, document)
    read = checked.workspace.texts_read
    analysis = checked.analysis
    return analysis, session.other_files.take(document.uri, analysis.external, read)


def said_by_others(session: Session, document: OpenDocument) -> tuple[list[Finding], set[Path]]:
    """Return what suites that name a document say of it as it is now.

    Returns:
        what was found, and the other files of which now something else is said.
    """
    changed: set[Path] = set()
    others = session.other_files
    namers = others.namers(document.paths)
    if not namers:
        return [], changed
    for uri in namers:
        suite = session.suite(uri)
        if suite is not None and others.is_outdated(uri, document.paths, document.text):
            changed |= check_and_keep(session, suite)[1]
    said = _new(session, document, others.said_of(document.paths, document.text))
    return said, changed - document.paths


def _new(
    session: Session, document: OpenDocument, found: list[Finding], text: str | None = None
) -> list[Finding]:
    """Return what no baseline knows of what suites say of a document, or of a text in its place."""
    if document.path is None:
        return found
    lines = document.lines if text is None else Lines(text)
    workspace = session.recent_workspaces.of(document, session.root(document), session.documents)
    return filter_baseline(found, document.path, lines, workspace)


def analyze_text(path: Path, text: str, workspace: Workspace) -> Analysis:
    """Check a text as that of a file that is not open; for any thread."""
    written = read_file(path, text, workspace)
    analysis = analyze(written, Folder(workspace, path.parent), path)
    suite = written if isinstance(written, WrittenSuite) else None
    lines = written.document.lines
    analysis.findings = filter_baseline(analysis.findings, path, lines, workspace, suite)
    return analysis


def _checked(
    session: Session,
    document: OpenDocument,
    text: str | None = None,
    texts: Mapping[Path, str] | None = None,
) -> Checked:
    """Check a document, or another text in its place, with other texts for some files."""
    root = session.root(document)
    if texts:
        workspace = Workspace(root, ChainMap(dict(texts), dict(session.documents.texts())))
    else:
        workspace = session.recent_workspaces.of(document, root, session.documents)
    if not document.is_suite and document.configuration is not None:
        now = document.text if text is None else text
        configuration = read_configuration(document.configuration.path, now)
        found = Analysis([])
        if configuration is not None:
            found = analyze_configuration(configuration, workspace)
        return Checked(found, workspace)
    folder = Folder(workspace, document.path.parent if document.path else root)
    if not document.is_suite and document.path is None:
        return Checked(Analysis([]), workspace)
    written = _written(document, text, workspace)
    failed = Choice(ignore=tuple(document.failed_rules))
    analysis = analyze(written, folder, document.path, choice=failed)
    if document.path is None:
        analysis.findings = [it for it in analysis.findings if not it.rule.reads_files]
        analysis.external = {}
    else:
        suite = written if isinstance(written, WrittenSuite) else None
        analysis.findings = filter_baseline(
            analysis.findings, document.path, written.document.lines, workspace, suite
        )
    _report(session, document, analysis)
    return Checked(analysis, workspace)


def _written(
    document: OpenDocument, text: str | None, workspace: Workspace
) -> WrittenSuite | WrittenTargets:
    if document.is_suite or document.path is None:
        return document.suite if text is None else read_suite(text, reuse=document.suite)
    kept = document.read_last
    written = read_file(
        document.path, document.text if text is None else text, workspace, reuse=kept
    )
    if text is None and isinstance(written, WrittenSuite):
        document.read_last = written
    return written


def _report(session: Session, document: OpenDocument, analysis: Analysis) -> None:
    """Say once of each rule that failed on a document that it did, and switch it off there.

    It is a bug of ours: no finding, and no reason to keep what the other rules find.
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
    off = document.failed_rules
    analysis.findings = [it for it in analysis.findings if it.code not in off]
