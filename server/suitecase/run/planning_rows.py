"""Planning a run of another tool's suite: its rows are the cases."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Collection, Iterator
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from suitecase.format.configuration import find_configuration
from suitecase.format.dialect import DialectFile
from suitecase.format.runnable import MakesRunnable, NotRunnable, RunnableSuite, RunnableTest
from suitecase.format.target_files import EMBEDDED, ParsedTargets, find_targets, with_target
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.run.blocking_findings import ReportedError, messages
from suitecase.run.candidates import Candidate, CandidateList
from suitecase.run.case_store import Cases, CaseStore, not_writable
from suitecase.run.choosing import chosen_cases, named
from suitecase.run.plan import Plan
from suitecase.run.protocol import CaseNotRun, Failed, Refused, RunRequest
from suitecase.run.requested_gates import with_requested_gates
from suitecase.run.row_errors import RowErrors, in_order
from suitecase.text.node import Span
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.targets.address_target import config_at, is_address
from suitecase_evaluators.targets.config.target import TargetConfig

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


def plan_of_rows(
    file: DialectFile, request: RunRequest, path: Path, folder: Folder
) -> Plan | Refused | Failed | None:
    """Return the plan of another tool's suite, or why it cannot be run.

    None if the file cannot be run at all: its format cannot, or it is only a part of a suite.
    """
    instead = config_at(request.target) if is_address(request.target) else None
    runnable = _runnable(file, path, folder, instead)
    if runnable is None:
        return None
    errors = RowErrors(file, path, folder)
    if errors.failure is not None:
        return errors.failure
    blocking, skipped = _blocking_and_skipped(runnable, request)
    errors.add(blocking)
    wanted = request.target if instead is None else None
    provider = wanted if wanted in runnable.targets.configs else None
    replaced = frozenset(problem.target for problem in runnable.problems if problem.is_replaced)
    left_out = replaced if request.target is None or request.target in replaced else frozenset()
    shown_path = folder.shown(path)
    try:
        rows = RowCandidates(runnable.tests, errors, provider, left_out, once=instead is not None)
    except OSError as error:
        return Failed(message=not_writable(error, shown_path), kind="environment")
    # Other errors of the suite, such as those of syntax, are the reason.
    if not rows and not errors.of_suite:
        errors.of_suite.append(errors.reported(_nothing_to_run(file, path, provider)))
    if errors.of_suite or (errors.all and not request.takes_some):
        return Refused(findings=errors.all, sound=len(rows.sound))
    chosen = chosen_cases(rows, rows.with_rows_of_tests(request), shown_path)
    if isinstance(chosen, Failed):
        return chosen
    unsound = [number for number in chosen.numbers if rows.errors_of(number)]
    if unsound and len(unsound) == len(chosen.numbers):
        found = in_order((error for row in unsound for error in rows.errors_of(row)), str(path))
        return Refused(findings=found, cases=[asdict(rows.not_run(it)) for it in unsound])
    selected = {rows.stored[number] for number in chosen.numbers}
    sound = Cases(rows.store, rows.sound)
    suite = replace(runnable.suite, cases=sound)
    asked = _asked(suite, sound, runnable.repeats, shown_path, request)
    if isinstance(asked, Failed):
        return asked
    targets = _all_targets(runnable, folder)
    if instead is not None:
        targets = with_target(targets, instead, path)
    notes = [f"`{it.target}` is not called: {it.message}" for it in skipped]
    if request.target is None and len(sound) and sound.target(0) is None:
        notes += _targets_to_name(targets)
    return Plan(
        suite=suite,
        sound=sound,
        cases=sound.where(lambda index: rows.sound[index] in selected),
        choice=chosen.choice,
        failed=chosen.failed,
        folder=folder,
        targets=targets,
        configuration=find_configuration(folder.workspace, folder.path),
        repeats=runnable.repeats,
        sent_variables=runnable.sent_variables,
        notes=(*runnable.notes, *notes),
        not_run=(*map(rows.not_run, unsound), *map(errors.left_out, skipped)),
        asked=asked,
        all_cases=len(rows.store),
        tests={rows.ids[number]: rows.test_of(number) for number in chosen.numbers},
    )


def _targets_to_name(targets: ParsedTargets) -> list[str]:
    """Return a note for a suite that names no target although a targets file defines some."""
    others = [config for config in targets.configs if config != EMBEDDED]
    if not others:
        return []
    return [
        f"nothing names a target, so `{EMBEDDED}` answers; `--target NAME` takes {named(others)}",
    ]


def _nothing_to_run(file: DialectFile, path: Path, provider: str | None) -> NotRunnable:
    """Return that a suite has no tests, or none for the provider that is wanted."""
    noun, key = file.dialect.noun, file.document.list_key
    span = file.document.head.absolute(key.span) if key is not None else Span(0, 0)
    of_provider = f" for `{provider}`" if provider is not None else ""
    return NotRunnable(f"there is no {noun} to run{of_provider}", path, span)


def _runnable(
    file: DialectFile, path: Path, folder: Folder, instead: TargetConfig | None
) -> RunnableSuite | None:
    """Return a file as a suite that can be run."""
    module = file.dialect.run_by
    if module is None:
        return None
    format_module = cast("MakesRunnable", import_module(module))
    return format_module.runnable_suite(file, path, folder, os.environ, instead)


def _blocking_and_skipped(
    runnable: RunnableSuite, request: RunRequest
) -> tuple[list[NotRunnable], list[NotRunnable]]:
    """Return the problems that prevent a run with the request's target, and those of targets that are left out."""
    unavailable = {problem.target for problem in runnable.problems} - {None}
    target = request.target
    if is_address(target):
        return [problem for problem in runnable.problems if problem.target is None], []
    if target is not None and (target in runnable.targets.configs or target in unavailable):
        return [problem for problem in runnable.problems if problem.target in (None, target)], []
    problems = [
        problem for problem in runnable.problems if target is None or not problem.is_replaced
    ]
    if not (request.keep_going and runnable.targets.configs):
        return problems, []
    of_suite = [problem for problem in problems if problem.target is None]
    return of_suite, [problem for problem in problems if problem.target is not None]


def _all_targets(runnable: RunnableSuite, folder: Folder) -> ParsedTargets:
    """Return the targets of a suite together with those of targets files, which `--target` can name."""
    found = runnable.targets
    for others in (runnable.others, find_targets(folder.workspace, folder.path)):
        if others is not None:
            configs = {**others.configs, **found.configs}
            spans = {**others.spans, **found.spans}
            found = replace(found, configs=configs, spans=spans, others=(*found.others, others))
    return found


def _asked(
    suite: EffectiveSuite, cases: Cases, repeats: int, shown_path: str, request: RunRequest
) -> Asked | Failed | None:
    """Return what the gates of a request are measured by; such a suite has no gates of its own."""
    if not request.gates:
        return None
    from suitecase.figures.given_gates import asked_of_cases

    return with_requested_gates(asked_of_cases(cases, shown_path, suite.dataset, repeats), request)


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
        named = (by_test.get(case_id, [case_id]) for case_id in request.cases)
        return replace(request, cases=tuple(dict.fromkeys(row for rows in named for row in rows)))
