"""What runs found as the protocol's diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.ide.results import CaseResult, is_stale
from suitecase.ide.run_marks import RunMark, marks_of_case
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.rule import Severity
from suitecase.suite.target_files import find_targets
from suitecase.suite.workspace import Workspace
from suitecase.suite.written import WrittenCase

SOURCE = "suitecase run"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


Information = types.DiagnosticRelatedInformation


class _Key(NamedTuple):
    """All that the diagnostics of a case follow from.

    Of a document that was parsed case by case, `text` is None: a case then has its diagnostics
    where it begins, whatever is typed in others.
    """

    case: int
    result: int
    problem: str | None
    stale: bool
    line: int
    text: str | None


@dataclass(slots=True)
class _Kept:
    """The diagnostics of a document's cases; between two keystrokes few are new.

    The cases and results are kept, so that no other one can have their identity.
    """

    judges: dict[str, types.Location]
    made: dict[_Key, tuple[WrittenCase, CaseResult | None, list[types.Diagnostic]]]


_kept: WeakKeyDictionary[OpenDocument, _Kept] = WeakKeyDictionary()


def run_diagnostics(session: Session, document: OpenDocument) -> list[types.Diagnostic]:
    """Return the marks of a document's results as diagnostics.

    They lead to the score range that a judge's score lies in, and to the judge.
    """
    results = session.results(document)
    if not (results.last or results.problems):
        return []
    judges: dict[str, types.Location] = {}
    if session.client.related_information and any(it.judges for it in results.last.values()):
        judges = _targets(session, document)
    before = _kept.get(document)
    known = before.made if before is not None and before.judges == judges else {}
    kept = _kept[document] = _Kept(judges, {})
    suite = document.suite
    segmented = suite.document.segmented
    found: list[types.Diagnostic] = []
    for number, case in enumerate(suite.cases):
        name = case.id.text if case.id is not None else None
        result = results.last.get(name) if name is not None else None
        problem = results.problems.get(name) if name is not None else None
        if result is None and problem is None:
            continue
        key = _Key(
            id(case),
            id(result),
            problem,
            result is not None and is_stale(suite, number, result),
            suite.document.lines.position(suite.document.cases[number].start)[0],
            None if segmented else suite.document.text,
        )
        entry = known.get(key)
        if entry is None:
            marks = marks_of_case(suite, number, result, problem)
            entry = (case, result, [_diagnostic(session, document, it, judges) for it in marks])
        kept.made[key] = entry
        found += entry[2]
    return found


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
        severity=_SEVERITIES[mark.severity],
        code=mark.verdict.value,
        source=SOURCE,
        message=mark.message,
        related_information=related or None,
    )


def _targets(session: Session, document: OpenDocument) -> dict[str, types.Location]:
    """Return where the targets are defined that hold for a document, by their names."""
    root = session.root(document)
    workspace = Workspace(root, session.documents.texts())
    folder = document.path.parent if document.path is not None else root
    targets = find_targets(workspace, folder)
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
