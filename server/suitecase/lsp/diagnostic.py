"""Findings and results of runs as the protocol's diagnostics."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.analysis import ReportedFinding
from suitecase.ide.run_marks import RunMark, run_marks
from suitecase.lsp.checking import check
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.rule import Related, Severity
from suitecase.suite.workspace import read_text
from suitecase.syntax.lines import Lines

FINDINGS = "suitecase"
RUNS = "suitecase run"
#: The codes of rules on older spellings start with this.
_LEGACY = "SC6"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def diagnostics(session: Session, document: OpenDocument) -> list[types.Diagnostic]:
    """Return all there is to show in a document: what was found, and what the last runs said.

    Both are made anew each time, so that neither can push the other out.
    """
    if not document.is_checked:
        return []
    found = [finding_diagnostic(session, document, it) for it in check(session, document).findings]
    marks = run_marks(document.suite, session.results(document).last)
    return found + [_run_diagnostic(document, it) for it in marks]


def finding_diagnostic(
    session: Session, document: OpenDocument, found: ReportedFinding
) -> types.Diagnostic:
    """Return a finding as a diagnostic."""
    related = [_related(session, document, it) for it in found.related]
    return types.Diagnostic(
        range=document.positions.range(found.span),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        code_description=types.CodeDescription(found.rule.url),
        source=FINDINGS,
        message=found.message,
        tags=[types.DiagnosticTag.Deprecated] if found.code.startswith(_LEGACY) else None,
        related_information=related if related and session.client.related_information else None,
    )


def _run_diagnostic(document: OpenDocument, mark: RunMark) -> types.Diagnostic:
    return types.Diagnostic(
        range=document.positions.range(mark.span),
        severity=_SEVERITIES[mark.severity],
        code=mark.verdict.value,
        source=RUNS,
        message=mark.message,
    )


def _related(
    session: Session, document: OpenDocument, related: Related
) -> types.DiagnosticRelatedInformation:
    if related.path is None:
        location = types.Location(document.uri, document.positions.range(related.span))
    else:
        positions = _positions_in(related.path, session.encoding)
        location = types.Location(_uri(related.path), positions.range(related.span))
    return types.DiagnosticRelatedInformation(location, related.message)


def _positions_in(path: Path, encoding: str) -> Positions:
    text = read_text(path)
    return Positions(Lines(text if isinstance(text, str) else ""), encoding)


def _uri(path: Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()
