"""Marks of results in other files than the suite that was run: tests that it names, such as `cases.csv`.

The marks are found with those of the suite, and shown in the file, open or not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.run_mark import RunMark
from suitecase.editor.test_marks import FileMarks, marks_elsewhere
from suitecase.format.rule import Severity
from suitecase.lsp.client_file import ClientFile
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.run_diagnostic import HINTS, judges_of, mark_diagnostic
from suitecase.lsp.session import Session
from suitecase.text.node import Span

_GRAVEST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True)
class OtherMarks:
    """The marks that suites have in a file.

    Attributes:
        diagnostics: the marks as diagnostics.
        tests_left_out: how many tests have others, to be looked at, that are not shown.
    """

    diagnostics: list[types.Diagnostic] = field(default_factory=list)
    tests_left_out: int = 0


@dataclass(slots=True)
class _Said:
    """A mark, with the suites whose results it is of, and where each names the file."""

    mark: RunMark
    by: list[tuple[OpenDocument, Span]] = field(default_factory=list)


def mark_other_files(session: Session, document: OpenDocument) -> set[Path]:
    """Find the marks that the results of a suite have in other files now.

    Returns:
        the files whose marks have changed.
    """
    return session.marked_files.replace(document.uri, _marks(session, document))


def marks_in_file(
    session: Session,
    client_file: ClientFile,
    paths: Collection[Path],
    text: str,
    room: int | None,
) -> OtherMarks:
    """Return the marks that open suites have in a file.

    What several suites say at one place is shown once, with the places that name the file.

    Args:
        session: the session.
        client_file: the file.
        paths: its paths.
        text: its text.
        room: how many marks are shown at most, those that matter most; None for all.
    """
    found: dict[tuple[Span, str], _Said] = {}
    for uri, stored in session.marked_files.of(paths):
        suite = session.documents.find(uri)
        if suite is None:
            continue
        marked = stored if stored.text == text else _marks_in_text(session, suite, paths, text)
        if marked is None:
            continue
        hints_are_shown = session.settings_for(suite).diagnostics.misses in HINTS
        for mark in marked.marks:
            if hints_are_shown or not mark.is_hint:
                said = found.setdefault((mark.span, mark.message), _Said(mark))
                said.by.append((suite, marked.entry))
    said_first = sorted(found.values(), key=lambda it: _urgency(it.mark))
    shown, others = (said_first, []) if room is None else (said_first[:room], said_first[room:])
    shown.sort(key=lambda it: it.mark.span)
    left_out = {other.mark.case for other in others if not other.mark.is_hint}
    return OtherMarks([_diagnostic(session, client_file, it) for it in shown], len(left_out))


def _diagnostic(session: Session, client_file: ClientFile, said: _Said) -> types.Diagnostic:
    """Return a mark as a diagnostic that leads to the suites whose results it is of."""
    first = said.by[0][0]
    misses = session.settings_for(first).diagnostics.misses
    judges = judges_of(session, first) if said.mark.judge is not None else {}
    diagnostic = mark_diagnostic(session, client_file, said.mark, judges, HINTS.get(misses))
    if session.client.related_information:
        named = [
            types.DiagnosticRelatedInformation(
                types.Location(suite.uri, suite.positions.range(entry)),
                f"run from {suite.path.name if suite.path is not None else suite.uri}",
            )
            for suite, entry in said.by
        ]
        diagnostic.related_information = [*(diagnostic.related_information or ()), *named]
    return diagnostic


def _urgency(mark: RunMark) -> tuple[bool, int]:
    return mark.is_hint, _GRAVEST_FIRST.index(mark.severity)


def _marks_in_text(
    session: Session, suite: OpenDocument, paths: Collection[Path], text: str
) -> FileMarks | None:
    """Return the marks that a suite has in another text of a file than before."""
    marks = _marks(session, suite)
    found = (marks[path] for path in paths if path in marks)
    return next((it for it in found if it.text == text), None)


def _marks(session: Session, document: OpenDocument) -> Mapping[Path, FileMarks]:
    results = session.results(document)
    tests = session.cases_of(document) if results.last or results.problems else None
    if not isinstance(tests, DialectTests):
        return {}
    return marks_elsewhere(tests, results.last, results.problems)
