"""What runs found as the protocol's diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.ide.results import CaseResult
from suitecase.ide.run_marks import RunMark, marks_of_case
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LineRelativeJson
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.rule import Severity
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.suite.target_files import find_targets

SOURCE = "suitecase run"
#: The protocol's words for severities, of findings too.
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


Information = types.DiagnosticRelatedInformation


@dataclass(frozen=True, slots=True)
class _Made:
    """The diagnostics of a case, all that they follow from, and as what they were told last.

    `line` is the one on which the case begins.
    """

    case: ParsedCase
    result: CaseResult | None
    problem: str | None
    movable: LineRelativeJson
    line: int
    text: JsonText

    def moved(self, line: int) -> _Made:
        return self if line == self.line else replace(self, line=line, text=self.movable.at(line))


@dataclass(frozen=True, slots=True)
class _Kept:
    """The diagnostics of a document's cases, in their order; between two keystrokes few are new."""

    suite: ParsedSuite
    judges: dict[str, types.Location]
    made: list[_Made]

    def reusable(
        self, suite: ParsedSuite, judges: dict[str, types.Location]
    ) -> tuple[list[_Made | None], int]:
        """Return for each case what was made where it stood, to be used if it is still the same.

        Returns:
            what was made, and the first case that is another one.
        """
        before, now = self.suite, suite
        if (
            not (before.document.segmented and now.document.segmented)
            or before.head is not now.head
            or self.judges != judges
        ):
            return [], 0
        more = len(now.cases) - len(before.cases)
        same = zip(self.made, now.cases, strict=False)
        shared = min(len(self.made), len(now.cases))
        first = next((n for n, (it, case) in enumerate(same) if it.case is not case), shared)
        # What stands below a case that came or went is as far from the end as before.
        below = self.made[first + max(-more, 0) :]
        return [*self.made[:first], *[None] * more, *below], first


_kept: WeakKeyDictionary[OpenDocument, _Kept] = WeakKeyDictionary()


def run_diagnostics(session: Session, document: OpenDocument) -> list[JsonText]:
    """Return the marks of a document's results as diagnostics in JSON, those of a case together.

    They lead to the score range that a judge's score lies in, and to the judge.
    """
    results = session.results(document)
    if not (results.last or results.problems):
        _kept.pop(document, None)
        return []
    judges: dict[str, types.Location] = {}
    if session.client.related_information and any(it.judges for it in results.last.values()):
        judges = _targets(session, document)
    suite = session.suite_of(document)
    before = _kept.get(document)
    known, first = before.reusable(suite, judges) if before is not None else ([], 0)
    last, problems = results.last, results.problems
    made: list[_Made] = []
    shift: int | None = None
    for number, case in enumerate(suite.cases):
        name = case.id.text if case.id is not None else None
        result = last.get(name) if name is not None else None
        problem = problems.get(name) if name is not None else None
        it = known[number] if number < len(known) else None
        if it is None or it.case is not case:
            it, shift = None, None
        elif number == first:
            shift = None
        if it is None:
            it = _made(session, document, number, result, problem, judges)
        else:
            # Cases that stood below each other move together.
            if shift is None:
                shift = _line(suite, number) - it.line
            it = it.moved(it.line + shift)
            if it.result is not result or it.problem != problem:
                it = _made(session, document, number, result, problem, judges)
        made.append(it)
    _kept[document] = _Kept(suite, judges, made)
    return [it.text for it in made if it.text]


def _made(
    session: Session,
    document: OpenDocument,
    number: int,
    result: CaseResult | None,
    problem: str | None,
    judges: dict[str, types.Location],
) -> _Made:
    suite = session.suite_of(document)
    marks = marks_of_case(suite, number, result, problem)
    shown = [_diagnostic(session, document, it, judges) for it in marks]
    line = _line(suite, number)
    movable = LineRelativeJson.of_diagnostics(session, document.uri, line, shown)
    return _Made(suite.cases[number], result, problem, movable, line, movable.at(line))


def _line(suite: ParsedSuite, number: int) -> int:
    """Return the line that a case begins on."""
    return suite.document.lines.position(suite.document.cases[number].start)[0]


def _diagnostic(
    session: Session, document: OpenDocument, mark: RunMark, judges: dict[str, types.Location]
) -> types.Diagnostic:
    related: list[Information] = []
    if session.client.related_information:
        for it in mark.related:
            place = types.Location(document.uri, document.positions.range(it.span))
            related.append(Information(place, it.message))
        if mark.judge in judges:
            related.append(Information(judges[mark.judge], f"judged by `{mark.judge}`"))
    return types.Diagnostic(
        range=document.positions.range(mark.span),
        severity=SEVERITIES[mark.severity],
        code=mark.verdict.value,
        source=SOURCE,
        message=mark.message,
        related_information=related or None,
    )


def _targets(session: Session, document: OpenDocument) -> dict[str, types.Location]:
    """Return where the targets are defined that hold for a document, by their names."""
    folder = session.snapshot(document).folder
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return {}
    opened = session.documents.at(targets.path)
    if opened is not None:
        uri, positions = opened.uri, opened.positions
    else:
        uri = from_fs_path(str(targets.path)) or targets.path.as_uri()
        positions = Positions(targets.document.lines, session.encoding)
    return {
        name: types.Location(uri, positions.range(span)) for name, span in targets.spans.items()
    }
