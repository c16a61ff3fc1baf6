"""What is wrong with a document."""

from __future__ import annotations

import logging
from collections import ChainMap
from collections.abc import Callable, Collection, Mapping
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
from suitecase.rule import Finding
from suitecase.suite.configuration import read_configuration
from suitecase.suite.reading import read_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenSuite, read_suite
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
            others = analysis.external_findings
            for path in document.paths:
                here += others.pop(path, ())
            named.failures += analysis.failures
            named.silenced += (*analysis.findings, *analysis.known, *analysis.silenced)
            named.silenced += (it for found in others.values() for it in found)
    named.findings = _new(session, document, here, text)
    return named


def check_and_keep(session: Session, document: OpenDocument) -> tuple[Analysis, set[Path]]:
    """Check a document, and keep what it says of other files.

    Returns:
        what was found, and the files of which now something else is said.
    """
    checked = _checked(session, document)
    read = checked.workspace.texts_read
    analysis = checked.analysis
    return analysis, session.other_files.take(document.uri, analysis.external_findings, read)


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
    """Return what is reported of what suites say of a document, or of a text in its place."""
    if document.path is None:
        return found
    lines = document.lines if text is None else Lines(text)
    workspace = session.recent_workspaces.of(document, session.root(document), session.documents)
    return check_external(document.path, found, workspace, lines=lines).findings


def _checked(
    session: Session,
    document: OpenDocument,
    text: str | None = None,
    texts: Mapping[Path, str] | None = None,
) -> Checked:
    """Check a document, or another text in its place, with other texts for some files.

    Where a rule takes long, it is checked in a thread, and this returns what was found last. Of
    another text than the document's, nothing is found then.
    """
    root = session.root(document)
    if texts:
        workspace = Workspace(root, ChainMap(dict(texts), dict(session.documents.texts())))
    else:
        workspace = session.recent_workspaces.of(document, root, session.documents)
    if not document.is_suite and document.path is None:
        return Checked(Analysis([]), workspace)
    is_of_document = text is None and not texts
    apart = session.checks_apart
    checked: Checked | None = None
    if not apart.holds(document):
        look = partial(_on_loop, document, text, workspace)
        try:
            found = in_time(look, limit=ON_LOOP, gives_up=True, length=len(document.text))
            checked = Checked(found, workspace)
        except AbandonedError as error:
            _log.info("%s is checked in a thread: %s takes long", document.uri, error.rule.code)
    if checked is None:
        if not is_of_document or session.rpc.ending:
            return Checked(Analysis([]), workspace)
        # The thread has files of its own: those here are for the event loop.
        files = Workspace(root, dict(session.documents.texts()))
        checked = apart.checked(document, files, _in_thread(document, files))
    _report(session, document, checked.analysis)
    return checked


def _on_loop(document: OpenDocument, text: str | None, workspace: Workspace) -> Analysis:
    if not document.is_suite and document.configuration is not None:
        now = document.text if text is None else text
        return _of_configuration(document.configuration.path, now, workspace)
    written = _written(document, text, workspace)
    return _found(document.path, written, workspace, document.failed_rules)


def _in_thread(document: OpenDocument, workspace: Workspace) -> Callable[[str], Checked]:
    """Return what checks a text of a document in any thread: what the loop has read is its own."""
    path, is_suite = document.path, document.is_suite
    configuration = document.configuration if not is_suite else None
    failed = set(document.failed_rules)

    def look(text: str) -> Analysis:
        if configuration is not None:
            return _of_configuration(configuration.path, text, workspace)
        if is_suite or path is None:
            return _found(path, read_suite(text), workspace, failed)
        return _found(path, read_file(path, text, workspace), workspace, failed)

    return lambda text: Checked(in_time(lambda: look(text)), workspace)


def _of_configuration(path: Path, text: str, workspace: Workspace) -> Analysis:
    configuration = read_configuration(path, text)
    if configuration is None:
        return Analysis([])
    return check_configuration(configuration, workspace)


def _found(
    path: Path | None,
    written: WrittenSuite | WrittenTargets,
    workspace: Workspace,
    failed_rules: Collection[str],
) -> Analysis:
    folder = Folder(workspace, path.parent if path else workspace.root)
    options = CheckOptions(ignore=tuple(failed_rules), cross_file=path is not None)
    return check_written(written, folder, path, options=options)


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
