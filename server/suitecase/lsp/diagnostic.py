"""Findings and run results as LSP diagnostics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lsprotocol import types

from suitecase.checking.check import check_external
from suitecase.lsp.checking import check_and_store, findings_of_referrers
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.run_diagnostic import SEVERITIES, run_diagnostics
from suitecase.lsp.session import Session
from suitecase.lsp.uris import uri_of
from suitecase.rule import Finding, Related, Severity, Tag
from suitecase.suite.workspace import Workspace, read_text
from suitecase.syntax.cache import Cache
from suitecase.syntax.lines import Lines

FINDINGS = "suitecase"
_TAGS = {
    Tag.UNNECESSARY: types.DiagnosticTag.Unnecessary,
    Tag.DEPRECATED: types.DiagnosticTag.Deprecated,
}


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as the client knows it: its URI, and the positions of its text."""

    uri: str
    positions: Positions


class OtherFiles:
    """The files that findings of a text refer to, each read once.

    Args:
        session: the session.
        workspace: has the texts that the check read; None to read the files.
    """

    def __init__(self, session: Session, workspace: Workspace | None = None) -> None:
        self._session, self._workspace = session, workspace
        self._files: dict[Path, ClientFile] = {}

    def at(self, path: Path) -> ClientFile:
        """Return a file as the client sees it."""
        if path not in self._files:
            text = self._workspace.read(path) if self._workspace is not None else None
            if isinstance(text, str) and self._session.documents.at(path) is None:
                positions = Positions(_lines(text), self._session.encoding)
                self._files[path] = ClientFile(_uri(path), positions)
            else:
                self._files[path], _ = client_file_at(self._session, path)
        return self._files[path]


def client_file_at(session: Session, path: Path) -> tuple[ClientFile, str]:
    """Return a file as the client sees it, with its text: the unsaved text, or that on disk."""
    document = session.documents.at(path)
    if document is not None:
        return ClientFile(document.uri, document.positions), document.text
    text = read_text(path, within=session.root_of(path))
    text = text if isinstance(text, str) else ""
    return ClientFile(_uri(path), Positions(_lines(text), session.encoding)), text


@lru_cache(maxsize=8)
def _lines(text: str) -> Lines:
    """Return the lines of a text; label files have many, and several findings refer to each."""
    return Lines(text)


def diagnostics(session: Session, document: OpenDocument) -> tuple[list[JsonText], set[Path]]:
    """Return all diagnostics of a document: its findings and the results of its last runs.

    While the user types, findings that follow from unfinished text are left out. Both kinds are
    computed together each time, so that neither replaces the other. Findings that suites report for
    a document they name are included.

    Returns:
        the diagnostics as JSON, and the other files whose external findings have changed.
    """
    findings: list[Finding] = []
    changed: set[Path] = set()
    snapshot = session.snapshots.of(document, fresh=True)
    if snapshot.is_checked:
        analysis, changed = check_and_store(session, document)
        findings += analysis.findings
    external, changed_by_referrers = findings_of_referrers(session, document)
    client_file = ClientFile(document.uri, document.positions)
    visible = session.calm.visible(document.uri, [*findings, *external], document)
    others = OtherFiles(session, snapshot.workspace)
    texts = [_as_json(session, client_file, it, others) for it in visible]
    if snapshot.is_checked:
        texts += run_diagnostics(session, document)
    return texts, (changed | changed_by_referrers) - document.paths


def diagnostics_of_file(session: Session, path: Path) -> tuple[str, list[types.Diagnostic]]:
    """Return the URI of a file that is not open, and the diagnostics that suites report for it."""
    client_file, text = client_file_at(session, path)
    reported = session.referenced_files.findings_for((path,), text)
    findings = check_external(
        path, reported, session.workspace_around(path), lines=client_file.positions.lines
    ).findings
    visible = session.calm.visible(client_file.uri, findings)
    return client_file.uri, [finding_diagnostic(session, client_file, it) for it in visible]


def diagnostics_of(
    session: Session, path: Path, text: str, findings: Iterable[Finding]
) -> list[types.Diagnostic]:
    """Return the findings of a file that is not open as diagnostics."""
    client_file = ClientFile(_uri(path), Positions(Lines(text), session.encoding))
    return [finding_diagnostic(session, client_file, it) for it in findings]


_MOVABLE: Cache[dict[Severity, LineRelativeJson]] = Cache()


def _as_json(
    session: Session, client_file: ClientFile, finding: Finding, others: OtherFiles
) -> JsonText:
    """Return a finding as JSON.

    The JSON of findings in cases is cached relative to the case's first line, so that typing in one
    case costs the others next to nothing.
    """
    origin = finding.origin
    if origin is None or finding.external is not None:
        return _dumped(session, finding_diagnostic(session, client_file, finding, others))
    line, column = client_file.positions.lines.position(finding.span.start - origin.start)
    by_severity = _MOVABLE.of(origin, dict)
    cached = by_severity.get(finding.severity)
    if cached is None:
        diagnostic = finding_diagnostic(session, client_file, finding, others)
        if column or any(it.location.uri != client_file.uri for it in _others(diagnostic)):
            return _dumped(session, diagnostic)
        cached = LineRelativeJson.of_diagnostics(session, client_file.uri, line, [diagnostic])
        by_severity[finding.severity] = cached
    return cached.at(line)


def _others(diagnostic: types.Diagnostic) -> Sequence[types.DiagnosticRelatedInformation]:
    return diagnostic.related_information or ()


def _dumped(session: Session, diagnostic: types.Diagnostic) -> JsonText:
    return JsonText(json.dumps(session.rpc.unstructured(diagnostic)))


def finding_diagnostic(
    session: Session, client_file: ClientFile, finding: Finding, others: OtherFiles | None = None
) -> types.Diagnostic:
    """Return a finding as a diagnostic.

    Args:
        session: the session.
        client_file: the file that it is in.
        finding: the finding.
        others: the files that findings of the same text refer to.
    """
    others = OtherFiles(session) if others is None else others
    related = [_related(client_file, it, others) for it in finding.related]
    return types.Diagnostic(
        range=client_file.positions.range(finding.span),
        severity=SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(finding.rule.url),
        source=FINDINGS,
        message=finding.message,
        tags=[_TAGS[it] for it in finding.rule.tags] or None,
        related_information=related if related and session.client.related_information else None,
    )


def _related(
    client_file: ClientFile, related: Related, others: OtherFiles
) -> types.DiagnosticRelatedInformation:
    if related.path is not None:
        client_file = others.at(related.path)
    location = types.Location(client_file.uri, client_file.positions.range(related.span))
    return types.DiagnosticRelatedInformation(location, related.message)


def _uri(path: Path) -> str:
    return uri_of(path)
