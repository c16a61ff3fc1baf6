"""Printing the results of a run in one of the formats, with progress, warnings and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from suitecase.cli.output.formatter import RUN_FORMATS, Aside, run_formatter
from suitecase.cli.output.printing import Printer
from suitecase.cli.output_file import Collected
from suitecase.cli.running.case_order import CaseNumbers, CaseOrder
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.model_use import ModelUse
from suitecase.cli.running.progress import (
    Lines,
    Progress,
    Quiet,
    progress_beside_a_document,
    progress_on,
)
from suitecase.cli.running.run_report import (
    NotRun,
    Problem,
    RunReport,
    SuiteEstimate,
    SuiteGates,
    SuiteStart,
    Unreached,
)
from suitecase.cli.running.target_comparison import TargetComparison
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun, Started
from suitecase.text.encoders.terminal import Line
from suitecase_evaluators.answers.records.tally import Tally


class RunOutput:
    """Prints the results of a run, and collects what is printed at its end.

    Attributes:
        progress: shows how far the run is, beside what is printed of it.
    """

    def __init__(
        self, form: str, detail: Detail | None = None, collected: Collected | None = None
    ) -> None:
        """
        Args:
            form: a key of `RUN_FORMATS`.
            detail: how much is printed for people; None for what is usual.
            collected: takes what is printed; None for standard output.
        """
        detail = detail or Detail()
        self._quiet = detail.quiet
        self._form = RUN_FORMATS[form]
        self._formatter = run_formatter(form, detail)
        self._collected = collected
        to = None if collected is None else collected.text
        self._printer = Printer(
            styled=self._form.for_people and to is None,
            document=not self._form.for_people,
            to=to,
        )
        self.progress: Progress
        if detail.quiet:
            self.progress = Quiet()
        elif self._form.for_people:
            self.progress = progress_on(self._printer.console)
        else:
            self.progress = Lines() if self._form.streaming else progress_beside_a_document()
        self._report = RunReport()
        self._numbers = CaseNumbers()
        self._order = CaseOrder(self._numbers, self._show)
        #: The place of the first case among those of its suite that are printed at the end.
        self._first = 0
        #: What was said, each once, also where several cases or targets are not run for it.
        self._told: set[tuple[Any, ...]] = set()

    def started(self, start: SuiteStart, event: Started) -> None:
        """Take note that a suite's cases are being run."""
        suite = start.suite
        self._order.end()
        self._numbers = CaseNumbers(event.cases, event.repeats)
        self._order = CaseOrder(self._numbers, self._show)
        self._first = self._report.of(suite).cases.end
        self._print(self._formatter.result(start))
        files = self._report.results_files
        if event.results_path is not None and event.results_path not in files:
            files.append(event.results_path)
        for note in event.notes:
            self.note(note)

    def case(self, case: GradedCase) -> None:
        """Print a case when it is its turn: people read cases in the order of the suite."""
        if not self._form.streaming:
            record, cases = case.record, self._report.of(case.suite).cases
            place = self._numbers.of(record.eval_id, record.repeat)
            cases.add(case, self._first + (len(self._numbers) if place is None else place))
        elif self._form.for_people:
            self._order.put(case)
        else:
            self._show(case)  # programs do not have to wait for slower cases

    def _show(self, case: GradedCase) -> None:
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

        lines = list(refusal(suite, findings, sound))
        if tuple(lines) not in self._told:  # as with another target
            self._told.add(tuple(lines))
            for line in lines:
                self.say(line)
        printed = _as_printed(findings)
        self._report.of(suite).findings = printed
        message = f"{suite.label} has errors, so it was not run"
        self._report.problems.append(Problem(message, printed, of_suite=True))

    def not_run(self, suite: SuiteArgument, event: CaseNotRun) -> None:
        """Print why a case was not run."""
        from suitecase.cli.running.refusal import errors

        new = [finding for finding in event.findings if tuple(finding.values()) not in self._told]
        self._told.update(tuple(it.values()) for it in new)
        for line in errors(suite, new):
            self.say(line)
        printed = replace(event, findings=_as_printed(event.findings))
        name = f":{event.line}" if event.case is None else f"::{event.case}"
        self._say_once(f"{suite.shown}{name} was not run: {printed.why}")
        self._report.of(suite).left_out.append(printed)
        name = f"the case on line {event.line}" if event.case is None else f"`{event.case}`"
        why = "it has errors" if event.kind == "unsound" else event.message
        message = f"{suite.label}: {name} was not run: {why}"
        self._report.problems.append(Problem(message, printed.findings, of_suite=True))

    def skipped(self, message: str) -> None:
        """Print why a file that was found in a folder is not run."""
        if self.note(message):
            self._report.skipped.append(message)

    def problem(self, message: str, detail: str = "") -> None:
        """Print an error that is not about a case."""
        if not self._say_once(message):
            return
        if detail:
            self.say(detail)
        self._report.problems.append(Problem(message))

    def note(self, message: str) -> bool:
        """Print what is good to know, unless it was printed; return whether it was new."""
        new = (message,) not in self._told
        self._told.add((message,))
        if new and not self._quiet:
            self.say(message)
        return new

    def _say_once(self, message: str) -> bool:
        """Print a message, unless it was printed, as for another target; return whether it was new."""
        new = (message,) not in self._told
        if new:
            self._told.add((message,))
            self.say(message)
        return new

    def end(
        self,
        tallies: list[tuple[SuiteArgument, Tally]],
        *,
        total: Tally,
        models: dict[str, ModelUse],
        comparisons: list[TargetComparison],
        not_run: list[NotRun],
        unreached: Unreached,
        resume: list[str] | None,
        exit_code: int,
        seconds: float,
    ) -> None:
        """Print what each suite and all together came to, as `RunReport` has it."""
        report = self._report
        report.tallies, report.total, report.not_run = tallies, total, not_run
        report.models = models
        report.comparisons, report.unreached, report.resume = comparisons, unreached, resume
        report.exit_code, report.seconds = exit_code, seconds
        self._print(self._formatter.finish(report))
        report.spool.close()
        if self._collected is not None:
            self._collected.write()

    def say(self, line: Line) -> None:
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
    return [{**finding, "file": shown_path(Path(finding["file"]))} for finding in findings]
