"""Results of runs as LSP diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from lsprotocol import types

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.gate_results import gate_marks
from suitecase.editor.results import CaseResult, DocumentResults
from suitecase.editor.run_mark import RunMark
from suitecase.editor.run_marks import marks_of_case, urgency
from suitecase.editor.runnable_cases import RunnableCase, RunnableCases
from suitecase.editor.test_marks import marks_of_shared
from suitecase.format.rule import Severity
from suitecase.format.target_files import find_targets
from suitecase.lsp.client_file import ClientFile, OtherFiles
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.lsp.shown_findings import Place, nearest
from suitecase.lsp.uris import uri_of
from suitecase.text.node import Span

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

#: What `urgency` says of cases that only have hints.
_HINTS = 2

Information = types.DiagnosticRelatedInformation


@dataclass(frozen=True, slots=True)
class _CaseDiagnostics:
    """The diagnostics of a case, all their inputs, and their JSON as last sent.

    `line` is the first line of the case, `count` how many diagnostics there are.
    """

    case: RunnableCase
    result: CaseResult | None
    problem: str | None
    movable: LineRelativeJson
    line: int
    text: JsonText
    count: int

    def moved(self, line: int) -> _CaseDiagnostics:
        return self if line == self.line else replace(self, line=line, text=self.movable.at(line))


@dataclass(frozen=True, slots=True)
class _CachedDiagnostics:
    """The diagnostics of a document's cases that are shown; few change between two keystrokes."""

    suite: RunnableCases
    judges: dict[str, types.Location]
    #: The setting `diagnostics.misses`.
    misses: str
    entries: dict[RunnableCase, _CaseDiagnostics]

    def reusable(
        self, suite: RunnableCases, judges: dict[str, types.Location], misses: str
    ) -> dict[RunnableCase, _CaseDiagnostics]:
        """Return the cached diagnostics by case, which are valid where the case is the same."""
        before, now = self.suite, suite
        if (
            not (before.document.segmented and now.document.segmented)
            or before.head is not now.head
            or self.judges != judges
            or self.misses != misses
        ):
            return {}
        return self.entries


_cache: WeakKeyDictionary[OpenDocument, _CachedDiagnostics] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class RunDiagnostics:
    """The diagnostics of results as JSON, one text per gate and per case.

    Attributes:
        texts: the texts.
        count: how many diagnostics they have.
        cases_left_out: how many cases have others, to be looked at, that are not shown.
    """

    texts: list[JsonText]
    count: int
    cases_left_out: int = 0


def run_diagnostics(
    session: Session, document: OpenDocument, room: int | None, place: Place
) -> RunDiagnostics:
    """Return the diagnostics of a document's results: of its gates and of its cases.

    Their related information links to the matching score range, to the judge, and to the cases that
    count against a gate. Of the results of too many cases, failures come first, then what is nearest
    the cursor.

    Args:
        session: the session.
        document: the document.
        room: how many diagnostics of cases are shown at most; None for all.
        place: where the cursor is.
    """
    gates = list(_gate_diagnostics(session, document))
    cases, left_out = _of_cases(session, document, room, place)
    gates += _shared_diagnostics(session, document)
    texts = [*gates, *(case.text for case in cases if case.text)]
    return RunDiagnostics(texts, len(gates) + sum(case.count for case in cases), left_out)


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


def _shared_diagnostics(session: Session, document: OpenDocument) -> Iterator[JsonText]:
    """Yield the diagnostics of assertions that grade several tests of another tool's suite."""
    results = session.results(document)
    tests = session.cases_of(document) if results.last else None
    if not isinstance(tests, DialectTests):
        return
    own = ClientFile(document.uri, document.positions)
    for mark in marks_of_shared(tests, results.last):
        diagnostic = mark_diagnostic(session, own, mark, {}, None)
        line = diagnostic.range.start.line
        yield LineRelativeJson.of_diagnostics(session, document.uri, line, [diagnostic]).at(line)


def _of_cases(
    session: Session, document: OpenDocument, room: int | None, place: Place
) -> tuple[list[_CaseDiagnostics], int]:
    """Return the diagnostics of the cases to show, and how many cases that matter are left out."""
    results = session.results(document)
    if not (results.last or results.problems):
        _cache.pop(document, None)
        return [], 0
    judges = judges_of(session, document)
    suite = session.cases_of(document)
    misses = session.settings_for(document).diagnostics.misses
    before = _cache.get(document)
    known = before.reusable(suite, judges, misses) if before is not None else {}
    entries: dict[int, _CaseDiagnostics] = {}
    used = left_out = 0
    for level, numbers in enumerate(_by_urgency(suite, results)):
        chosen = numbers
        if room is not None and len(numbers) > room - used:
            anchor = _case_at(suite, place.anchor)
            chosen = nearest(numbers, anchor, room - used, lambda it: it)
            # A case may have several diagnostics; those farthest away are left out.
            chosen.sort(key=lambda number: abs(number - anchor))
        taken: list[int] = []
        for number in chosen:
            entry = _entry(session, document, number, judges, misses, known)
            if room is not None and used + entry.count > room:
                break
            entries[number] = entry
            used += entry.count
            taken.append(number)
        if len(taken) < len(numbers) and level < _HINTS:
            left_out += len(numbers) - len(taken)
            starts = [suite.document.cases[it].start for it in sorted(taken)]
            above = bool(taken) and min(taken) > numbers[0]
            below = bool(taken) and max(taken) < numbers[-1]
            place.keep_within(starts, above=above, below=below)
    shown = [entries[it] for it in sorted(entries)]
    of_cases = {it.case: it for it in shown}
    _cache[document] = _CachedDiagnostics(suite, judges, misses, of_cases)
    return shown, left_out


def _by_urgency(suite: RunnableCases, results: DocumentResults) -> list[list[int]]:
    """Return the numbers of the cases that have marks, those that matter most first."""
    levels: list[list[int]] = [[] for _ in range(_HINTS + 1)]
    last, problems = results.last, results.problems
    for number, name in suite.named_cases():
        level = urgency(last.get(name), problems.get(name))
        if level <= _HINTS:
            levels[level].append(number)
    return levels


def _case_at(suite: RunnableCases, offset: int) -> int:
    return suite.document.cases.touching(Span(offset, offset)).start


def _entry(
    session: Session,
    document: OpenDocument,
    number: int,
    judges: dict[str, types.Location],
    misses: str,
    known: Mapping[RunnableCase, _CaseDiagnostics],
) -> _CaseDiagnostics:
    """Return the diagnostics of a case, from the cache if possible."""
    suite, results = session.cases_of(document), session.results(document)
    case = suite.cases[number]
    name = case.id.text if case.id is not None else ""
    result, problem = results.last.get(name), results.problems.get(name)
    entry = known.get(case)
    if entry is not None and entry.result is result and entry.problem == problem:
        return entry.moved(_line(suite, number))
    return _case_diagnostics(session, document, number, result, problem, judges, misses)


def _case_diagnostics(
    session: Session,
    document: OpenDocument,
    number: int,
    result: CaseResult | None,
    problem: str | None,
    judges: dict[str, types.Location],
    misses: str,
) -> _CaseDiagnostics:
    suite = session.cases_of(document)
    marks = marks_of_case(suite, number, result, problem)
    own = ClientFile(document.uri, document.positions)
    diagnostics = [
        mark_diagnostic(session, own, mark, judges, HINTS.get(misses))
        for mark in marks
        if not mark.is_hint or misses in HINTS
    ]
    line = _line(suite, number)
    movable = LineRelativeJson.of_diagnostics(session, document.uri, line, diagnostics)
    return _CaseDiagnostics(
        *(suite.cases[number], result, problem, movable, line, movable.at(line), len(diagnostics))
    )


def _line(suite: RunnableCases, number: int) -> int:
    """Return the first line of a case."""
    return suite.document.lines.position(suite.document.cases[number].start)[0]


def mark_diagnostic(
    session: Session,
    client_file: ClientFile,
    mark: RunMark,
    judges: dict[str, types.Location],
    of_hints: types.DiagnosticSeverity | None,
) -> types.Diagnostic:
    """Return a mark as a diagnostic.

    Args:
        session: the session.
        client_file: the file that it is in.
        mark: the mark.
        judges: the places of targets that judge, by name.
        of_hints: the severity of marks that fail nothing.
    """
    related: list[Information] = []
    if session.client.related_information:
        others = OtherFiles(session)
        for item in mark.related:
            file = client_file if item.path is None else others.at(item.path)
            place = types.Location(file.uri, file.positions.range(item.span))
            related.append(Information(place, item.message))
        if mark.judge in judges:
            related.append(Information(judges[mark.judge], f"judged by `{mark.judge}`"))
    return types.Diagnostic(
        range=client_file.positions.range(mark.span),
        severity=of_hints if mark.is_hint else SEVERITIES[mark.severity],
        code=mark.status.value,
        source=SOURCE,
        message=mark.message,
        related_information=related or None,
    )


def judges_of(session: Session, document: OpenDocument) -> dict[str, types.Location]:
    """Return where the targets are defined that may have judged the results of a document, by name."""
    results = session.results(document)
    if session.client.related_information and any(it.judges for it in results.last.values()):
        return _targets(session, document)
    return {}


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
