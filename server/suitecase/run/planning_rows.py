"""Planning a run of another tool's suite: its rows are the cases."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import cast, overload

from suitecase.run.case_store import Cases, CaseStore
from suitecase.run.choosing import Candidate, chosen_cases
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import CaseNotRun, Failed, Refused, RunRequest
from suitecase.run.row_errors import RowErrors
from suitecase.run.soundness import ReportedError, messages
from suitecase.suite.dialect import DialectFile
from suitecase.suite.effective_suite import EffectiveSuite
from suitecase.suite.runnable import MakesRunnable, NotRunnable, RunnableSuite, RunnableTest
from suitecase.suite.target_files import ParsedTargets, find_targets
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Span

#: For a row that cannot be run: its number among those that can.
_NOWHERE = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRows:
    """The rows of a suite as a plan has them; see `plan.Plan`.

    `tests` has the test of each row that is run.
    """

    suite: EffectiveSuite
    sound: Cases
    cases: Cases
    choice: str | None
    failed: FailedCases | None
    targets: ParsedTargets
    repeats: int
    notes: tuple[str, ...]
    not_run: tuple[CaseNotRun, ...]
    all_cases: int
    tests: Mapping[str, str]


def planned_rows(
    file: DialectFile, request: RunRequest, path: Path, folder: Folder
) -> PlannedRows | Refused | Failed | None:
    """Return the rows of another tool's suite that a request runs, or why it cannot be run.

    None is a file that cannot be run at all: its format cannot, or it is only a part of a suite.
    """
    runnable = _runnable(file, path, folder)
    if runnable is None:
        return None
    errors = RowErrors(file, path, folder)
    if errors.failure is not None:
        return errors.failure
    problems, notes = _that_count(runnable, request)
    errors.add(problems)
    provider = request.target if request.target in runnable.targets.configs else None
    replaced = frozenset(it.target for it in runnable.problems if it.is_replaced)
    left_out = replaced if request.target is None or request.target in replaced else frozenset()
    shown = folder.shown(path)
    try:
        rows = _Rows(runnable.tests, errors, provider, left_out)
    except OSError as error:
        return Failed(
            message=f"{shown} cannot be run: its cases cannot be written to "
            f"{tempfile.gettempdir()}: {error.strerror or error}",
            kind="environment",
        )
    if errors.everywhere or (errors.all and not request.takes_some):
        return Refused(findings=errors.all, sound=rows.sound_count)
    chosen = chosen_cases(rows, rows.with_cases_of_tests(request), shown)
    if isinstance(chosen, Failed):
        return chosen
    unsound = [it for it in chosen.numbers if rows.errors_of(it)]
    if unsound and len(unsound) == len(chosen.numbers):
        found = _once(it for number in unsound for it in rows.errors_of(number))
        return Refused(findings=found, cases=[asdict(rows.not_run(it)) for it in unsound])
    selected = {rows.stored[it] for it in chosen.numbers}
    sound = Cases(rows.store, rows.sound)
    return PlannedRows(
        suite=replace(runnable.suite, cases=sound),
        sound=sound,
        cases=sound.where(lambda index: rows.sound[index] in selected),
        choice=chosen.choice,
        failed=chosen.failed,
        targets=_with_file(runnable, folder),
        repeats=runnable.repeats,
        notes=(*runnable.notes, *notes),
        not_run=tuple(map(rows.not_run, unsound)),
        all_cases=rows.store_size,
        tests={rows.ids[it]: rows.test_of(it) for it in chosen.numbers},
    )


def _runnable(file: DialectFile, path: Path, folder: Folder) -> RunnableSuite | None:
    """Return a file as a suite that can be run."""
    module = file.dialect.run_by
    if module is None:
        return None
    made = cast("MakesRunnable", import_module(module))
    return made.runnable_suite(file, path, folder, os.environ)


def _that_count(
    runnable: RunnableSuite, request: RunRequest
) -> tuple[list[NotRunnable], list[str]]:
    """Return the problems that keep a request from being run, and notes about targets that it does without."""
    names = {it.target for it in runnable.problems} - {None}
    chosen = request.target
    if chosen is not None and (chosen in runnable.targets.configs or chosen in names):
        return [it for it in runnable.problems if it.target in (None, chosen)], []
    problems = [it for it in runnable.problems if chosen is None or not it.is_replaced]
    if not (request.keep_going and runnable.targets.configs):
        return problems, []
    left_out = [it for it in problems if it.target is not None]
    notes = [f"`{it.target}` is not asked: {it.message}" for it in left_out]
    return [it for it in problems if it.target is None], notes


def _with_file(runnable: RunnableSuite, folder: Folder) -> ParsedTargets:
    """Return the targets of a suite, and those of the files of targets, for `--target`."""
    found = runnable.targets
    for others in (runnable.others, find_targets(folder.workspace, folder.path)):
        if others is not None:
            configs = {**others.configs, **found.configs}
            found = replace(found, configs=configs, spans={**others.spans, **found.spans})
    return found


def _once(errors: Iterable[ReportedError]) -> list[ReportedError]:
    return list({id(it): it for it in errors}.values())


class _Rows(Sequence[Candidate]):
    """The rows of a suite, those that cannot be run included; the others are in `store`.

    A test that cannot be run has one row, of its name.

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
    ) -> None:
        """
        Args:
            tests: the tests.
            errors: those of the suite; why tests cannot be run is added.
            provider: the only target whose rows are taken; None for all.
            left_out: the targets whose rows are not taken.

        Raises:
            OSError: the temporary file cannot be written.
        """
        self.store = CaseStore()
        self.stored = array("L")
        self.ids: list[str] = []
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
                self._add(test.name, 1, number, _NOWHERE)
            for case in test.cases:
                if provider in (None, case.target) and case.target not in left_out:
                    self._add(case.id, case.line, number, len(self.store))
                    # Its place among those that are asked, of which there are so many.
                    position = len(self.store) + 1
                    is_moved = case.position != position
                    self.store.add(replace(case, position=position) if is_moved else case)
        errors.assign(places)
        self.sound = array(
            "L",
            (
                at
                for it, at in enumerate(self.stored)
                if at != _NOWHERE and not errors.everywhere and not self.errors_of(it)
            ),
        )

    def _add(self, name: str, line: int, test: int, stored: int) -> None:
        self.ids.append(name)
        self._lines.append(line)
        self._tests.append(test)
        self.stored.append(stored)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> list[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | list[Candidate]:
        if isinstance(number, slice):
            return [self[it] for it in range(*number.indices(len(self)))]
        return Candidate(number, self._lines[number], self.ids[number], (), True)

    @property
    def sound_count(self) -> int:
        """The number of rows without errors."""
        return len(self.sound)

    @property
    def store_size(self) -> int:
        """The number of rows that are stored."""
        return len(self.store)

    def errors_of(self, number: int) -> list[ReportedError]:
        """Return the errors in the test of a row."""
        return self._errors.by_test.get(self._tests[number], [])

    def not_run(self, number: int) -> CaseNotRun:
        """Return why a row is not run."""
        found = self.errors_of(number)
        return CaseNotRun(
            case=self.ids[number],
            line=found[0]["line"] if found else self._lines[number],
            kind="unsound",
            message=messages(found),
            findings=found,
            test=self.test_of(number),
        )

    def test_of(self, number: int) -> str:
        """Return the name of the test of a row."""
        return self._names[self._tests[number]]

    def with_cases_of_tests(self, request: RunRequest) -> RunRequest:
        """Return a request with the rows of each test that it names."""
        if request.cases is None:
            return request
        by_test: dict[str, list[str]] = {}
        for row, test in zip(self.ids, self._tests, strict=True):
            for name in (self._names[test], f"#{test + 1}"):
                by_test.setdefault(name, []).append(row)
        named = (by_test.get(it, [it]) for it in request.cases)
        return replace(request, cases=tuple(dict.fromkeys(row for rows in named for row in rows)))
