"""The errors of another tool's suite, and the tests that each keeps from running."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Severity
from suitecase.format.runnable import NOT_RUNNABLE, NotRunnable
from suitecase.format.workspace import Folder
from suitecase.run.blocking_findings import ReportedError, failure_of, of_release, reported_error
from suitecase.run.protocol import CaseNotRun, Failed
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase_evaluators.targets.redactor import Redactor


class RowErrors:
    """The errors that a check finds in a suite, and the parts of it that cannot be run.

    Attributes:
        failure: a rule failed, so there may be errors that were not found.
        of_suite: the errors that are not those of one test: the suite cannot be run at all.
        by_test: for the number of each test, those in it.
    """

    def __init__(self, file: DialectFile, path: Path, folder: Folder) -> None:
        analysis = check(file, folder, path)
        self._own = str(path)
        self.failure: Failed | None = failure_of(analysis.failures)
        self.of_suite: list[ReportedError] = []
        self.by_test: dict[int, list[ReportedError]] = defaultdict(list)
        self._placed = list(_errors(analysis, path))
        #: Why tests, by their numbers, or the whole suite cannot be run.
        self._problems: list[tuple[int | None, NotRunnable]] = []
        #: What seems to be missing may be where the text has errors of syntax.
        self._is_unread = bool(self._placed) and file.document.head.content.broken
        #: A message may quote what a template was filled with.
        self._redact = Redactor()
        self._redact.remember_environment(os.environ)

        @cache
        def lines(other: Path) -> Lines:
            if other == path:
                return file.document.lines
            text = folder.read(other)
            return Lines(text if isinstance(text, str) else "")

        self._lines = lines

    @property
    def all(self) -> list[ReportedError]:
        """All errors, in the order of the suite's file, then those in other files."""
        listed = [
            *self.of_suite,
            *(error for errors in self.by_test.values() for error in errors),
        ]
        return in_order(listed, self._own)

    def add(self, problems: Iterable[NotRunnable], test: int | None = None) -> None:
        """Add why a test, or the whole suite, cannot be run.

        Of a suite with errors of syntax outside of tests, only those are reported.

        Args:
            problems: the reasons.
            test: the number of the test; None for the whole suite.
        """
        if test is None and self._is_unread:
            return
        self._problems += ((test, problem) for problem in problems)

    def assign(self, tests: Sequence[tuple[Path, Span | None]]) -> None:
        """Assign the errors of the check to the tests that they are in, and sort those of each test.

        Why a part of the text cannot be run is left out if the check has found an error in it.

        Args:
            tests: the file and the span of each test.
        """
        starts: dict[Path, list[tuple[int, int, int]]] = defaultdict(list)
        for number, (path, span) in enumerate(tests):
            if span is not None:
                starts[path].append((span.start, span.end, number))
        for listed in starts.values():
            listed.sort()
        for path, span, error in self._placed:
            listed = starts[path]
            before = bisect_right(listed, span.start, key=lambda it: it[0]) - 1
            if before >= 0 and span.start < listed[before][1]:
                self.by_test[listed[before][2]].append(error)
            else:
                self.of_suite.append(error)
        found: dict[Path, list[int]] = defaultdict(list)
        for path, span, _ in self._placed:
            found[path].append(span.start)
        for offsets in found.values():
            offsets.sort()
        for test, problem in self._problems:
            if not _is_found(problem, found.get(problem.path, [])):
                errors = self.of_suite if test is None else self.by_test[test]
                errors.append(self.reported(problem))
        for errors in (self.of_suite, *self.by_test.values()):
            errors.sort(key=_place)
        self._placed, self._problems = [], []

    def left_out(self, problem: NotRunnable) -> CaseNotRun:
        """Return why the rows of a target are not run although others are."""
        found = self.reported(problem)
        return CaseNotRun(
            case=None,
            line=found["line"],
            kind="unsound",
            message=found["message"],
            findings=[found],
        )

    def reported(self, problem: NotRunnable) -> ReportedError:
        """Return a problem as an error with its place."""
        place = self._lines(problem.path).place(problem.span)
        return {
            "file": str(problem.path),
            "line": place.line,
            "column": place.column,
            "code": NOT_RUNNABLE,
            "message": self._redact(problem.message),
        }


def _is_found(problem: NotRunnable, found: Sequence[int]) -> bool:
    """Whether the check has found an error, at some offsets in order, in the part of a problem."""
    if problem.part is None:
        return False
    start, end = problem.part
    following = bisect_left(found, start)
    return following < len(found) and found[following] < end


def _place(error: ReportedError) -> tuple[str, int, int]:
    return error["file"], error["line"], error["column"]


def in_order(errors: Iterable[ReportedError], own: str) -> list[ReportedError]:
    """Return errors in the order of the suite's file, then those in other files.

    An error in what all tests inherit counts for each of them, and is listed once.

    Args:
        errors: the errors.
        own: the suite's file.
    """
    once = {_identity(error): error for error in errors}.values()
    return sorted(once, key=lambda it: (it["file"] != own, *_place(it)))


def _identity(error: ReportedError) -> tuple[str, int, int, str]:
    return *_place(error), error["message"]


def _errors(analysis: Analysis, own: Path) -> Iterable[tuple[Path, Span, ReportedError]]:
    for path, of_file in ((own, analysis), *analysis.external.items()):
        for finding in of_file.findings:
            if finding.severity is Severity.ERROR and not of_release(finding):
                yield path, finding.span, reported_error(finding, path, of_file)
