"""The rows that a run of another tool's suite can select from."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from suitecase.format.runnable import RunnableTest
from suitecase.run.blocking_findings import ReportedError, messages
from suitecase.run.candidates import Candidate, CandidateList
from suitecase.run.case_store import CaseStore
from suitecase.run.protocol import CaseNotRun, RunRequest
from suitecase.run.row_errors import RowErrors
from suitecase.text.node import Span
from suitecase_evaluators.answers.row import Row

#: In place of a number in the store, for a row that cannot be run.
_NOT_STORED = 2**32 - 1


def _asked_of_row(row: Row) -> str:
    """Return what tells rows of a test apart, but for who answers."""
    asked = (row.prompt_label, row.prompt, row.repeat, dict(row.variables))
    return json.dumps(asked, sort_keys=True, default=str)


class RowCandidates(CandidateList):
    """The rows of a suite. Those that can be run are in `store`.

    A test that cannot be run counts as one row with its name.

    Attributes:
        store: the cases.
        stored: for each row, its number in the store.
        sound: the numbers in the store of the cases without errors.
    """

    def __init__(
        self,
        tests: Iterator[RunnableTest],
        errors: RowErrors,
        provider: str | None,
        left_out: Collection[str | None] = (),
        *,
        once: bool = False,
    ) -> None:
        """
        Args:
            tests: the tests.
            errors: those of the suite; why tests cannot be run is added.
            provider: the only target whose rows are taken; None for all.
            left_out: the targets whose rows are not taken.
            once: whether rows that differ only in their target are taken once, since another answers all.

        Raises:
            OSError: the temporary file cannot be written.
        """
        self.store = CaseStore()
        self.stored = array("L")
        self._ids: list[str] = []
        self._lines = array("L")
        self._tests = array("L")
        self._names: list[str] = []
        self._errors = errors
        places: list[tuple[Path, Span | None]] = []
        for number, test in enumerate(tests):
            places.append((test.path, test.span))
            self._names.append(test.name)
            errors.add(test.problems, number)
            if test.problems:
                self._add(test.name, 1, number, _NOT_STORED)
            taken: set[str] = set()
            for case in test.cases:
                if once and case.row is not None:
                    asked = _asked_of_row(case.row)
                    if asked in taken:
                        continue
                    taken.add(asked)
                if provider in (None, case.target) and case.target not in left_out:
                    self._add(case.id, case.line, number, len(self.store))
                    # Positions count the rows of this run: other targets' rows are not among them.
                    position = len(self.store) + 1
                    is_moved = case.position != position
                    self.store.add(replace(case, position=position) if is_moved else case)
        errors.assign(places)
        self.sound = array("L", () if errors.of_suite else self._sound())

    def _add(self, name: str, line: int, test: int, stored: int) -> None:
        self._ids.append(name)
        self._lines.append(line)
        self._tests.append(test)
        self.stored.append(stored)

    def _sound(self) -> Iterator[int]:
        for row, number in enumerate(self.stored):
            if number != _NOT_STORED and not self.errors_of(row):
                yield number

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> list[str]:
        """The id of each row."""
        return self._ids

    def candidate(self, number: int) -> Candidate:
        """Return a row by its index."""
        return Candidate(number, self._lines[number], self._ids[number], (), True)

    def errors_of(self, row: int) -> list[ReportedError]:
        """Return the errors in the test of a row."""
        return self._errors.by_test.get(self._tests[row], [])

    def not_run(self, row: int) -> CaseNotRun:
        """Return why a row is not run."""
        found = self.errors_of(row)
        return CaseNotRun(
            case=self._ids[row],
            line=found[0]["line"] if found else self._lines[row],
            kind="unsound",
            message=messages(found),
            findings=found,
            test=self.test_of(row),
        )

    def test_of(self, row: int) -> str:
        """Return the name of the test of a row."""
        return self._names[self._tests[row]]

    def with_rows_of_tests(self, request: RunRequest) -> RunRequest:
        """Return a request that names rows, each test that it names replaced by its rows."""
        if request.cases is None:
            return request
        by_test: dict[str, list[str]] = {}
        for row, test in zip(self._ids, self._tests, strict=True):
            for name in (self._names[test], f"#{test + 1}"):
                by_test.setdefault(name, []).append(row)
        named = (by_test.get(it, [it]) for it in request.cases)
        return replace(request, cases=tuple(dict.fromkeys(row for rows in named for row in rows)))
