"""Results of runs as LSP diagnostics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from lsprotocol import types

from suitecase.ide.gate_results import gate_marks
from suitecase.ide.results import CaseResult
from suitecase.ide.run_marks import RunMark, marks_of_case
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.lsp.uris import uri_of
from suitecase.rule import Severity
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.suite.target_files import find_targets

SOURCE = "suitecase run"
#: The LSP severities, for findings too.
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


#: Of marks that fail nothing, by the setting `diagnostics.misses`; with `off` there are none.
HINTS = {
    "hint": types.DiagnosticSeverity.Hint,
    "information": types.DiagnosticSeverity.Information,
}

Information = types.DiagnosticRelatedInformation


@dataclass(frozen=True, slots=True)
class _CaseDiagnostics:
    """The diagnostics of a case, all their inputs, and their JSON as last sent.

    `line` is the first line of the case.
    """

    case: ParsedCase
    result: CaseResult | None
    problem: str | None
    movable: LineRelativeJson
    line: int
    text: JsonText

    def moved(self, line: int) -> _CaseDiagnostics:
        return self if line == self.line else replace(self, line=line, text=self.movable.at(line))


@dataclass(frozen=True, slots=True)
class _CachedDiagnostics:
    """The diagnostics of a document's cases, in order; few change between two keystrokes."""

    suite: ParsedSuite
    judges: dict[str, types.Location]
    entries: list[_CaseDiagnostics]

    def reusable(
        self, suite: ParsedSuite, judges: dict[str, types.Location]
    ) -> tuple[list[_CaseDiagnostics | None], int]:
        """Return for each case the cached diagnostics at its position, valid if the case is the
        same.

        Returns:
            the cached diagnostics, and the index of the first case that differs.
        """
        before, now = self.suite, suite
        if (
            not (before.document.segmented and now.document.segmented)
            or before.head is not now.head
            or self.judges != judges
        ):
            return [], 0
        more = len(now.cases) - len(before.cases)
        same = zip(self.entries, now.cases, strict=False)
        shared = min(len(self.entries), len(now.cases))
        first = next(
            (n for n, (cached, case) in enumerate(same) if cached.case is not case), shared
        )
        # Cases below an inserted or removed case keep their distance from the end.
        below = self.entries[first + max(-more, 0) :]
        return [*self.entries[:first], *[None] * more, *below], first


_cache: WeakKeyDictionary[OpenDocument, _CachedDiagnostics] = WeakKeyDictionary()


def run_diagnostics(session: Session, document: OpenDocument) -> list[JsonText]:
    """Return the diagnostics of a document's results as JSON: of its gates, and one text per case.

    Their related information links to the matching score range, to the judge, and to the cases that
    count against a gate.
    """
    return [*_gate_diagnostics(session, document), *_of_cases(session, document)]


def _gate_diagnostics(session: Session, document: OpenDocument) -> Iterator[JsonText]:
    results = session.results(document)
    if results.gates is None:
        return
    for mark in gate_marks(session.suite_of(document), results):
        place = document.positions.range(mark.span)
        diagnostic = types.Diagnostic(
            range=place,
            severity=SEVERITIES[mark.severity],
            code=mark.outcome.value,
            source=SOURCE,
            message=mark.message,
            related_information=[
                Information(
                    types.Location(document.uri, document.positions.range(it.span)), it.message
                )
                for it in mark.related
                if session.client.related_information
            ]
            or None,
        )
        line = place.start.line
        yield LineRelativeJson.of_diagnostics(session, document.uri, line, [diagnostic]).at(line)


def _of_cases(session: Session, document: OpenDocument) -> list[JsonText]:
    results = session.results(document)
    if not (results.last or results.problems):
        _cache.pop(document, None)
        return []
    judges: dict[str, types.Location] = {}
    if session.client.related_information and any(it.judges for it in results.last.values()):
        judges = _targets(session, document)
    suite = session.suite_of(document)
    before = _cache.get(document)
    reusable, first = before.reusable(suite, judges) if before is not None else ([], 0)
    last, problems = results.last, results.problems
    entries: list[_CaseDiagnostics] = []
    shift: int | None = None
    for number, case in enumerate(suite.cases):
        name = case.id.text if case.id is not None else None
        result = last.get(name) if name is not None else None
        problem = problems.get(name) if name is not None else None
        entry = reusable[number] if number < len(reusable) else None
        if entry is None or entry.case is not case:
            entry, shift = None, None
        elif number == first:
            shift = None
        if entry is None:
            entry = _case_diagnostics(session, document, number, result, problem, judges)
        else:
            # Consecutive cases move together.
            if shift is None:
                shift = _line(suite, number) - entry.line
            entry = entry.moved(entry.line + shift)
            if entry.result is not result or entry.problem != problem:
                entry = _case_diagnostics(session, document, number, result, problem, judges)
        entries.append(entry)
    _cache[document] = _CachedDiagnostics(suite, judges, entries)
    return [it.text for it in entries if it.text]


def _case_diagnostics(
    session: Session,
    document: OpenDocument,
    number: int,
    result: CaseResult | None,
    problem: str | None,
    judges: dict[str, types.Location],
) -> _CaseDiagnostics:
    suite = session.suite_of(document)
    marks = marks_of_case(suite, number, result, problem)
    misses = session.settings_for(document).diagnostics.misses
    diagnostics = [
        _diagnostic(session, document, it, judges, HINTS.get(misses))
        for it in marks
        if not it.is_hint or misses in HINTS
    ]
    line = _line(suite, number)
    movable = LineRelativeJson.of_diagnostics(session, document.uri, line, diagnostics)
    return _CaseDiagnostics(suite.cases[number], result, problem, movable, line, movable.at(line))


def _line(suite: ParsedSuite, number: int) -> int:
    """Return the first line of a case."""
    return suite.document.lines.position(suite.document.cases[number].start)[0]


def _diagnostic(
    session: Session,
    document: OpenDocument,
    mark: RunMark,
    judges: dict[str, types.Location],
    of_hints: types.DiagnosticSeverity | None,
) -> types.Diagnostic:
    related: list[Information] = []
    if session.client.related_information:
        for item in mark.related:
            place = types.Location(document.uri, document.positions.range(item.span))
            related.append(Information(place, item.message))
        if mark.judge in judges:
            related.append(Information(judges[mark.judge], f"judged by `{mark.judge}`"))
    return types.Diagnostic(
        range=document.positions.range(mark.span),
        severity=of_hints if mark.is_hint else SEVERITIES[mark.severity],
        code=mark.verdict.value,
        source=SOURCE,
        message=mark.message,
        related_information=related or None,
    )


def _targets(session: Session, document: OpenDocument) -> dict[str, types.Location]:
    """Return where the targets that apply to a document are defined, by name."""
    folder = session.snapshot(document).folder
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return {}
    opened = session.documents.at(targets.path)
    if opened is not None:
        uri, positions = opened.uri, opened.positions
    else:
        uri = uri_of(targets.path)
        positions = Positions(targets.document.lines, session.encoding)
    return {
        name: types.Location(uri, positions.range(span)) for name, span in targets.spans.items()
    }
