"""Findings and run results as LSP diagnostics."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from suitecase.checking.check import check_external
from suitecase.checking.findings import At, Findings
from suitecase.format.configuration import OWN_FILE, PROJECT_FILE, find_configuration
from suitecase.format.rule import Finding, Related, Severity, Tag
from suitecase.format.target_files import targets_path
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Workspace, configures_suitecase, find_root
from suitecase.lsp.checking import check_and_store, check_beginning, findings_of_referrers
from suitecase.lsp.client_file import ClientFile, OtherFiles, client_file_at
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.marks_elsewhere import mark_other_files, marks_in_file
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.run_diagnostic import SEVERITIES, RunDiagnostics, run_diagnostics
from suitecase.lsp.session import Session
from suitecase.lsp.shown_findings import Place, choose
from suitecase.lsp.truncation import LeftOut
from suitecase.lsp.uris import uri_of
from suitecase.text.cache import Cache
from suitecase.text.lines import Lines
from suitecase_evaluators.system.path_kinds import is_file

FINDINGS = "suitecase"
_TAGS = {
    Tag.UNNECESSARY: types.DiagnosticTag.Unnecessary,
    Tag.DEPRECATED: types.DiagnosticTag.Deprecated,
}


def diagnostics(session: Session, document: OpenDocument) -> tuple[list[JsonText], set[Path]]:
    """Return all diagnostics of a document: its findings and the results of its last runs.

    While the user types, findings that follow from unfinished text are left out. Both kinds are
    computed together each time, so that neither replaces the other. Findings that suites report for
    a document they name are included.

    Returns:
        the diagnostics as JSON, and the other files whose external findings have changed.
    """
    findings: Sequence[Finding] = ()
    changed: set[Path] = set()
    snapshot = session.snapshots.of(document, fresh=True)
    if snapshot.is_checked:
        analysis, changed = check_and_store(session, document)
        findings = analysis.findings
    else:  # it may have been a suite
        changed = session.referenced_files.forget(document.uri)
    external, changed_by_referrers = findings_of_referrers(session, document)
    every = _findings(findings).with_others(external)
    place = session.place_in(document)
    # While the user types elsewhere, nothing new is shown: what is shown stays until a pause.
    place.begin(stays=session.calm.is_writing)
    limit = session.settings_for(document).diagnostics.limit
    room = _room(limit, len(every))
    results = RunDiagnostics([], 0)
    if snapshot.is_checked:
        results = run_diagnostics(session, document, room, place)
    changed |= mark_other_files(session, document)
    own = ClientFile(document.uri, document.positions)
    left = room if room is None else max(room - results.count, 0)
    others = marks_in_file(session, own, document.paths, document.text, left)
    cases_left_out = results.cases_left_out + others.tests_left_out
    most = limit - results.count - len(others.diagnostics) if limit else None
    if most is not None and (len(every) > most or cases_left_out):
        most -= 1  # for what says that some are left out
    calm = partial(session.calm.visible, document.uri, document=document)
    shown, left_out = choose(every, most, place, calm)
    texts = _texts(session, document, shown, OtherFiles(session, snapshot.workspace))
    texts += results.texts
    texts += [_dumped(session, diagnostic) for diagnostic in others.diagnostics]
    missing = LeftOut(left_out, cases_left_out)
    if missing:
        note = missing.diagnostic(document.path, session.root(document), limit)
        texts.append(_dumped(session, note))
    if snapshot.is_checked and document.path is not None:
        texts += [_dumped(session, it) for it in unread_above(session, document.path)]
    return texts, (changed | changed_by_referrers) - document.paths


def first_diagnostics(session: Session, document: OpenDocument) -> list[JsonText]:
    """Return diagnostics of the first cases of a long document as JSON, before all of it is read.

    There are none of a short one, or of one that is read already.
    """
    findings = check_beginning(session, document)
    if not findings:
        return []
    limit = session.settings_for(document).diagnostics.limit
    calm = partial(session.calm.visible, document.uri, document=document)
    shown, _ = choose(findings, limit or None, Place(), calm)
    return _texts(session, document, shown, OtherFiles(session))


def _texts(
    session: Session, document: OpenDocument, shown: Sequence[At], others: OtherFiles
) -> list[JsonText]:
    """Return findings of a document as JSON."""
    client_file = ClientFile(document.uri, document.positions)
    return [_as_json(session, client_file, it, others) for it in shown]


def _room(limit: int, findings: int) -> int | None:
    """Return how many results of runs are shown beside some findings: half of all, if need be."""
    return max(limit - findings - 1, limit // 2) if limit else None


def _findings(findings: Sequence[Finding]) -> Findings:
    return findings if isinstance(findings, Findings) else Findings(findings)


def diagnostics_of_file(session: Session, path: Path) -> tuple[str, list[types.Diagnostic]]:
    """Return the URI of a file that is not open, and the diagnostics that open suites have for it.

    Suites that are not open are looked at for the sake of an open file that they name, and say
    nothing of others.
    """
    client_file, text = client_file_at(session, path)
    reported = session.referenced_files.findings_for(
        (path,), text, lambda uri: session.documents.find(uri) is not None
    )
    findings = check_external(
        path, reported, session.workspace_around(path), lines=client_file.positions.lines
    ).findings
    calm = partial(session.calm.visible, client_file.uri)
    return client_file.uri, _of_closed_file(session, path, client_file, text, findings, calm)


def diagnostics_of(
    session: Session, path: Path, text: str, findings: Sequence[Finding]
) -> list[types.Diagnostic]:
    """Return the findings of a file that is not open as diagnostics, and the results of its tests."""
    client_file = ClientFile(uri_of(path), Positions(Lines(text), session.encoding))
    return _of_closed_file(session, path, client_file, text, findings)


def _of_closed_file(
    session: Session,
    path: Path,
    client_file: ClientFile,
    text: str,
    findings: Sequence[Finding],
    calm: Callable[[list[At]], list[At]] = lambda it: it,
) -> list[types.Diagnostic]:
    """Return the diagnostics of a file that is not open: the first findings, if there are many."""
    root = session.root_of(path)
    limit = session.settings_at(path).diagnostics.limit
    marks = marks_in_file(session, client_file, (path,), text, _room(limit, len(findings)))
    most = limit - len(marks.diagnostics) if limit else None
    if most is not None and (len(findings) > most or marks.tests_left_out):
        most -= 1  # for what says that some are left out
    shown, left_out = choose(_findings(findings), most, Place(), calm)
    items = [finding_diagnostic(session, client_file, it.placed()) for it in shown]
    items += [*marks.diagnostics, *unread_above(session, path)]
    missing = LeftOut(left_out, marks.tests_left_out)
    return [*items, missing.diagnostic(path, root, limit)] if missing else items


class _Rendered(NamedTuple):
    """A finding as JSON, and as it was sent last, with the case that it is in at a line."""

    movable: LineRelativeJson
    line: int
    text: JsonText


_RENDERED: Cache[dict[Severity, _Rendered]] = Cache()


def _as_json(session: Session, client_file: ClientFile, at: At, others: OtherFiles) -> JsonText:
    """Return a finding as JSON.

    The JSON of findings in cases is cached relative to the case's first line, so that typing in one
    case costs the others next to nothing.
    """
    finding = at.finding
    origin = finding.origin
    if origin is None or finding.external is not None:
        return _dumped(session, finding_diagnostic(session, client_file, at.placed(), others))
    line, column = _line_at(client_file.positions.lines, at.offset - origin.start)
    by_severity = _RENDERED.of(origin, dict)
    rendered = by_severity.get(finding.severity)
    if rendered is not None and rendered.line == line:
        return rendered.text
    if rendered is None:
        diagnostic = finding_diagnostic(session, client_file, at.placed(), others)
        if column or any(other.location.uri != client_file.uri for other in _others(diagnostic)):
            return _dumped(session, diagnostic)
        movable = LineRelativeJson.of_diagnostics(session, client_file.uri, line, [diagnostic])
    else:
        movable = rendered.movable
    text = movable.at(line)
    by_severity[finding.severity] = _Rendered(movable, line, text)
    return text


def _line_at(lines: Lines, offset: int) -> tuple[int, int]:
    """Return the line and column of an offset at which a case starts, and so mostly a chunk."""
    number = bisect_left(lines.starts, offset)
    if number < len(lines.starts) and lines.starts[number] == offset:
        return lines.first_lines[number], 0
    return lines.position(offset)


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
        tags=[_TAGS[tag] for tag in finding.rule.tags] or None,
        related_information=related if related and session.client.related_information else None,
    )


def _related(
    client_file: ClientFile, related: Related, others: OtherFiles
) -> types.DiagnosticRelatedInformation:
    if related.path is not None:
        client_file = others.at(related.path)
    location = types.Location(client_file.uri, client_file.positions.range(related.span))
    return types.DiagnosticRelatedInformation(location, related.message)


CODE, SOURCE = "outside-the-opened-folder", "suitecase"
_SEVERAL = ("apply to this file, but are", "them")
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def unread_above(session: Session, path: Path) -> list[types.Diagnostic]:
    """Return what says which configuration and targets of a file are not read for want of trust."""
    opened = session.outermost_folder_of(path)
    if session.trusted or opened is None:
        return []
    root = find_root(path, opened)
    if root.is_relative_to(opened):
        return []
    unread = [*_unread(path, opened, root)]
    if not unread:
        return []
    listed = " and ".join(f"`{place.as_posix()}`" for place in unread)
    apply, them = ("applies to this file, but is", "it") if len(unread) == 1 else _SEVERAL
    message = (
        f"{listed} {apply} not read, because the opened folder `{opened.name}` is below "
        f"{them} and is not trusted; `suitecase check` reads {them}. "
        f"Open the folder `{root.name}`, or trust this one."
    )
    severity = types.DiagnosticSeverity.Information
    return [types.Diagnostic(_START, message, severity, CODE, source=SOURCE)]


def _unread(path: Path, opened: Path, root: Path) -> Iterator[Path]:
    """Yield the configuration and the targets file that the command line would find above a folder."""
    above = [folder for folder in opened.parents if folder.is_relative_to(root)]
    workspace = Workspace(opened)
    if find_configuration(workspace, path.parent) is None:
        places = ((folder / OWN_FILE, folder) for folder in above)
        yield from _first(
            own if is_file(own) else folder / PROJECT_FILE
            for own, folder in places
            if is_file(own) or configures_suitecase(folder)
        )
    if targets_path(workspace, path.parent) is None:
        yield from _first(
            folder / place for folder in above for place in PLACES if is_file(folder / place)
        )


def _first(paths: Iterator[Path]) -> Iterator[Path]:
    found = next(paths, None)
    if found is not None:
        yield found
