"""Printing the results of a run in one of the formats, with progress, warnings and errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from suitecase.cli.output.formatter import RUN_FORMATS, Aside, Line, run_formatter
from suitecase.cli.output.printing import Printer
from suitecase.cli.running.progress import Lines, Progress, progress_beside_a_document, progress_on
from suitecase.cli.running.run_report import (
    GradedCase,
    Problem,
    RunReport,
    SuiteEstimate,
    SuiteGates,
)
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun, Started
from suitecase_evaluators.records.tally import Tally


class RunOutput:
    """Prints the results of a run, and collects what is printed at its end.

    Attributes:
        progress: shows how far the run is, beside what is printed of it.
    """

    def __init__(self, form: str) -> None:
        """
        Args:
            form: a key of `RUN_FORMATS`.
        """
        self._form = RUN_FORMATS[form]
        self._formatter = run_formatter(form)
        self._printer = Printer(styled=self._form.for_people)
        self.progress: Progress
        if self._form.for_people:
            self.progress = progress_on(self._printer.console)
        else:
            self.progress = Lines() if self._form.streaming else progress_beside_a_document()
        self._report = RunReport()
        self._order = CaseOrder()
        #: The errors that were shown, each once, also where several cases are not run for it.
        self._told: set[tuple[Any, ...]] = set()

    def started(self, suite: SuiteArgument, event: Started) -> None:
        """Take note that a suite's cases are being run."""
        self._order.end()
        self._order = CaseOrder(event.cases, event.repeats)
        self._report.of(suite)
        files = self._report.results_files
        if event.results_path is not None and event.results_path not in files:
            files.append(event.results_path)
        for note in event.notes:
            self.say(note)

    def case(self, case: GradedCase) -> None:
        """Print a case when it is its turn: people read cases in the order of the suite."""
        show = partial(self._case, case)
        if self._form.streaming and not self._form.for_people:
            show()  # programs do not have to wait for slower cases
        else:
            self._order.put(case.record.eval_id, case.record.repeat, show)

    def _case(self, case: GradedCase) -> None:
        if not self._form.streaming:
            self._report.of(case.suite).cases.append(case)
        self._print(self._formatter.result(case))

    def over(self) -> None:
        """Print what waits for cases of a suite that are not graded any more."""
        self._order.end()

    def gates(self, gates: SuiteGates) -> None:
        """Take note of what the gates of a suite came to."""
        self._report.gates.append(gates)

    def spent(self, spending: Mapping[str, Any]) -> None:
        """Take note of what the questions of a suite came to, as `protocol.Finished` has it."""
        for name, value in spending.items():
            self._report.spending[name] = self._report.spending.get(name, 0) + value

    def warned(self, message: str) -> None:
        """Print a warning."""
        self.say(f"warning: {message}")
        self._report.warnings.append(message)

    def estimated(self, estimate: SuiteEstimate) -> None:
        """Print the estimate of a suite's dry run."""
        self._report.estimates.append(estimate)
        self._print(self._formatter.result(estimate))

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]], sound: int) -> None:
        """Print why a suite was not run, and how many of its cases have no errors."""
        from suitecase.cli.running.refusal import refusal

        for line in refusal(suite, findings, sound):
            self.say(line)
        printed = _as_printed(findings)
        self._report.of(suite).findings = printed
        message = f"{suite.shown} has errors, so it was not run"
        self._report.problems.append(Problem(message, printed, of_suite=True))

    def not_run(self, suite: SuiteArgument, event: CaseNotRun) -> None:
        """Print why a case was not run."""
        from suitecase.cli.running.refusal import errors

        new = [it for it in event.findings if tuple(it.values()) not in self._told]
        self._told.update(tuple(it.values()) for it in new)
        for line in errors(suite, new):
            self.say(line)
        printed = replace(event, findings=_as_printed(event.findings))
        name = f":{event.line}" if event.case is None else f"::{event.case}"
        self.say(f"{suite.shown}{name} was not run: {printed.why}")
        self._report.of(suite).left_out.append(printed)
        name = f"the case on line {event.line}" if event.case is None else f"`{event.case}`"
        why = "it has errors" if event.kind == "unsound" else event.message
        message = f"{suite.shown}: {name} was not run: {why}"
        self._report.problems.append(Problem(message, printed.findings, of_suite=True))

    def problem(self, message: str, detail: str = "") -> None:
        """Print an error that is not about a case."""
        self.say(message)
        if detail:
            self.say(detail)
        self._report.problems.append(Problem(message))

    def end(
        self,
        tallies: list[tuple[SuiteArgument, Tally]],
        *,
        total: Tally,
        not_run: list[str],
        exit_code: int,
        seconds: float,
    ) -> None:
        """Print what each suite and all together came to, as `RunReport` has it."""
        report = self._report
        report.tallies, report.total, report.not_run = tallies, total, not_run
        report.exit_code, report.seconds = exit_code, seconds
        self._print(self._formatter.finish(report))

    def say(self, line: str) -> None:
        """Print a message to standard error."""
        self.progress.say(line)

    def _print(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if isinstance(line, Aside):
                self.say(line)
            else:
                self._printer.print(line)


def _as_printed(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return findings with the paths of their files as they are printed."""
    return [{**it, "file": shown_path(Path(it["file"]))} for it in findings]


class CaseOrder:
    """Shows each case as soon as all before it are shown."""

    def __init__(self, cases: Iterable[str] = (), repeats: int = 1) -> None:
        listed = list(cases)
        # As they are begun: all come once before any comes again.
        self._next = deque((case, repeat) for repeat in range(1, repeats + 1) for case in listed)
        self._waiting: dict[tuple[str, int], Callable[[], None]] = {}

    def put(self, case: str, repeat: int, show: Callable[[], None]) -> None:
        """Show a case that is graded, when it is its turn."""
        self._waiting[case, repeat] = show
        while self._next and self._next[0] in self._waiting:
            self._waiting.pop(self._next.popleft())()

    def end(self) -> None:
        """Show what waits for cases that are not graded any more; safe to call twice."""
        while self._next:
            show = self._waiting.pop(self._next.popleft(), None)
            if show is not None:
                show()
        while self._waiting:
            self._waiting.pop(next(iter(self._waiting)))()
