"""What every form of showing a run has in common."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from suitecase.cli.running.progress import Progress, Quiet
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun, Estimated, Started
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """What an invocation came to.

    Attributes:
        suites: what each suite came to, in their order.
        total: what all came to.
        not_run: what was left out, as it can be asked for again.
        seconds: how long all of it took.
    """

    suites: list[tuple[SuiteArgument, Tally]]
    total: Tally
    not_run: list[str]
    exit_code: int
    seconds: float


class Output(ABC):
    """Shows a run as it goes. Problems go to standard error, whatever the form.

    Attributes:
        results: the results files that records are written to.
        spending: what the questions came to, as `protocol.Finished` has it.
        progress: shows how far the run is, beside what is shown of it.
        in_order: whether cases are shown in the order of the suite, or as they are graded.
    """

    in_order = True

    def __init__(self) -> None:
        self.results: list[str] = []
        self.spending: dict[str, Any] = {}
        #: The errors that were shown, each once, also where several cases are not run for it.
        self._told: set[tuple[Any, ...]] = set()
        self.progress: Progress = Quiet()

    def started(self, suite: SuiteArgument, event: Started) -> None:
        """Take note that a suite's cases are being run."""
        if event.results_path is not None and event.results_path not in self.results:
            self.results.append(event.results_path)
        for note in event.notes:
            self.say(note)

    def kept(self, suite: SuiteArgument, record: ResultRecord) -> None:
        """Take note of a record that counts and is not of this run."""
        return

    def spent(self, spending: Mapping[str, Any]) -> None:
        """Take note of what the questions of a suite came to, as `protocol.Finished` has it."""
        for name, value in spending.items():
            self.spending[name] = self.spending.get(name, 0) + value

    def warned(self, message: str) -> None:
        """Say what is not as it should be, though the run goes on."""
        self.say(f"warning: {message}")

    @abstractmethod
    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        """Show what a suite's run would ask."""

    @abstractmethod
    def case(self, suite: SuiteArgument, record: ResultRecord, seconds: float | None) -> None:
        """Show the record of a case that is done, and how long all of it took."""

    @abstractmethod
    def end(self, end: RunEnd) -> None:
        """Show what each suite and all together came to."""

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]], sound: int) -> None:
        """Say why a suite was not run, and how many of its cases could have been."""
        from suitecase.cli.running.refusal import refusal

        for line in refusal(suite, findings, sound):
            self.say(line)

    def not_run(self, suite: SuiteArgument, event: CaseNotRun) -> None:
        """Say why a case was not run, while others are."""
        from suitecase.cli.running.refusal import errors

        new = [it for it in event.findings if tuple(it.values()) not in self._told]
        self._told.update(tuple(it.values()) for it in new)
        for line in errors(suite, new):
            self.say(line)
        name = f":{event.line}" if event.case is None else f"::{event.case}"
        self.say(f"{suite.shown}{name} was not run: {as_printed(event).why}")

    def problem(self, message: str, detail: str) -> None:
        """Say what went wrong, apart from cases."""
        self.say(message)
        if detail:
            self.say(detail)

    def say(self, line: str) -> None:
        """Say something beside the document."""
        self.progress.say(line)


@dataclass(slots=True)
class SuiteRecords:
    """What a document has of a suite: its records, how long each case took, why it was not run.

    `left_out` are the cases that were not run while others were.
    """

    suite: SuiteArgument
    records: list[tuple[ResultRecord, float | None]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[CaseNotRun] = field(default_factory=list)


class Document(Output):
    """Collects a run, for a document that is written when all is done."""

    def __init__(self) -> None:
        from suitecase.cli.running.progress import progress_beside_a_document

        super().__init__()
        self.progress = progress_beside_a_document()
        self.suites: dict[Path, SuiteRecords] = {}
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.estimates: list[tuple[SuiteArgument, dict[str, Any]]] = []

    def of(self, suite: SuiteArgument) -> SuiteRecords:
        """Return what is known of a suite."""
        return self.suites.setdefault(suite.path, SuiteRecords(suite))

    def started(self, suite: SuiteArgument, event: Started) -> None:
        super().started(suite, event)
        self.of(suite)

    def case(self, suite: SuiteArgument, record: ResultRecord, seconds: float | None) -> None:
        self.of(suite).records.append((record, seconds))

    def kept(self, suite: SuiteArgument, record: ResultRecord) -> None:
        self.case(suite, record, None)

    def warned(self, message: str) -> None:
        super().warned(message)
        self.warnings.append(message)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        self.estimates.append((suite, event.estimate))

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]], sound: int) -> None:
        super().refused(suite, findings, sound)
        self.of(suite).findings = _as_printed(findings)

    def not_run(self, suite: SuiteArgument, event: CaseNotRun) -> None:
        super().not_run(suite, event)
        self.of(suite).left_out.append(as_printed(event))

    def problem(self, message: str, detail: str) -> None:
        super().problem(message, detail)
        self.problems.append(message)

    def estimate_lines(self) -> list[str]:
        """Return what a dry run has to say, for people."""
        from suitecase.cli.output.run.run_estimate import estimate_lines

        return [
            line
            for suite, estimate in self.estimates
            for line in estimate_lines(suite.shown, estimate)
        ]


def _as_printed(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return findings with the paths of their files as they are printed."""
    return [{**it, "file": shown_path(Path(it["file"]))} for it in findings]


def as_printed(event: CaseNotRun) -> CaseNotRun:
    """Return why a case was not run with the paths of files as they are printed."""
    return replace(event, findings=_as_printed(event.findings))


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON that standard output can hold."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(value, indent=indent, ensure_ascii=encoding != "utf8")


def echo(text: str) -> None:
    """Print a part of the document; what the encoding lacks is shown as its number."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    click.echo(text)
