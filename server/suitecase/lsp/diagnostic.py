"""Findings and results of runs as the protocol's diagnostics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.checking.check import check_external
from suitecase.lsp.checking import check_and_keep, said_by_others
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.run_diagnostic import SEVERITIES, run_diagnostics
from suitecase.lsp.session import Session
from suitecase.rule import Finding, Related, Severity, Tag
from suitecase.suite.workspace import read_text
from suitecase.syntax.cache import Cache
from suitecase.syntax.lines import Lines

FINDINGS = "suitecase"
_TAGS = {
    Tag.UNNECESSARY: types.DiagnosticTag.Unnecessary,
    Tag.DEPRECATED: types.DiagnosticTag.Deprecated,
}


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as the client is told of it: its address, and the positions of its text."""

    uri: str
    positions: Positions


def shown_file(session: Session, path: Path) -> tuple[ClientFile, str]:
    """Return a file as it is shown, with its text: as the client has it, or as it is on the disk."""
    document = session.documents.at(path)
    if document is not None:
        return ClientFile(document.uri, document.positions), document.text
    text = read_text(path, within=session.root_of(path))
    text = text if isinstance(text, str) else ""
    return ClientFile(_uri(path), Positions(Lines(text), session.encoding)), text


def diagnostics(session: Session, document: OpenDocument) -> tuple[list[JsonText], set[Path]]:
    """Return all there is to show in a document: what was found, and what the last runs said.

    While someone writes, this leaves out what follows from what is half written.

    Both are made anew each time, so that neither can push the other out. What suites find in a
    document that they name is shown with it.

    Returns:
        the diagnostics as JSON, and the other files of which now something else is said.
    """
    found: list[Finding] = []
    changed: set[Path] = set()
    snapshot = session.snapshots.of(document, fresh=True)
    if snapshot.is_checked:
        analysis, changed = check_and_keep(session, document)
        found += analysis.findings
    said, changed_too = said_by_others(session, document)
    shown = ClientFile(document.uri, document.positions)
    showing = session.calm.shown(document.uri, [*found, *said], document)
    made = [_as_json(session, shown, it) for it in showing]
    if snapshot.is_checked:
        made += run_diagnostics(session, document)
    return made, (changed | changed_too) - document.paths


def diagnostics_of_file(session: Session, path: Path) -> tuple[str, list[types.Diagnostic]]:
    """Return the address of a file that is not open, and what suites say of it."""
    shown, text = shown_file(session, path)
    said = session.referenced_files.findings_for((path,), text)
    found = check_external(
        path, said, session.workspace_around(path), lines=shown.positions.lines
    ).findings
    showing = session.calm.shown(shown.uri, found)
    return shown.uri, [finding_diagnostic(session, shown, it) for it in showing]


def diagnostics_of(
    session: Session, path: Path, text: str, found: Iterable[Finding]
) -> list[types.Diagnostic]:
    """Return what was found in the text of a file that is not open as diagnostics."""
    shown = ClientFile(_uri(path), Positions(Lines(text), session.encoding))
    return [finding_diagnostic(session, shown, it) for it in found]


_MOVABLE: Cache[dict[Severity, LineRelativeJson]] = Cache()


def _as_json(session: Session, shown: ClientFile, found: Finding) -> JsonText:
    """Return a finding in a document as JSON.

    For what was found in a case, that is kept but for the numbers of the lines, so that typing in
    one case costs the others next to nothing.
    """
    origin = found.origin
    if origin is None or found.external is not None:
        return _dumped(session, finding_diagnostic(session, shown, found))
    line, column = shown.positions.lines.position(found.span.start - origin.start)
    by_severity = _MOVABLE.of(origin, dict)
    kept = by_severity.get(found.severity)
    if kept is None:
        diagnostic = finding_diagnostic(session, shown, found)
        if column or any(it.location.uri != shown.uri for it in _others(diagnostic)):
            return _dumped(session, diagnostic)
        kept = LineRelativeJson.of_diagnostics(session, shown.uri, line, [diagnostic])
        by_severity[found.severity] = kept
    return kept.at(line)


def _others(diagnostic: types.Diagnostic) -> Sequence[types.DiagnosticRelatedInformation]:
    return diagnostic.related_information or ()


def _dumped(session: Session, diagnostic: types.Diagnostic) -> JsonText:
    return JsonText(json.dumps(session.rpc.unstructured(diagnostic)))


def finding_diagnostic(session: Session, shown: ClientFile, found: Finding) -> types.Diagnostic:
    """Return a finding in a file as a diagnostic."""
    related = [_related(session, shown, it) for it in found.related]
    return types.Diagnostic(
        range=shown.positions.range(found.span),
        severity=SEVERITIES[found.severity],
        code=found.code,
        code_description=types.CodeDescription(found.rule.url),
        source=FINDINGS,
        message=found.message,
        tags=[_TAGS[it] for it in found.rule.tags] or None,
        related_information=related if related and session.client.related_information else None,
    )


def _related(
    session: Session, shown: ClientFile, related: Related
) -> types.DiagnosticRelatedInformation:
    if related.path is not None:
        shown, _ = shown_file(session, related.path)
    location = types.Location(shown.uri, shown.positions.range(related.span))
    return types.DiagnosticRelatedInformation(location, related.message)


def _uri(path: Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()
