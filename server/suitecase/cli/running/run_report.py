"""The results of a run, for output in any format."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import Tally

if TYPE_CHECKING:
    from suitecase.figures.decision import Decision


@dataclass(frozen=True, slots=True)
class GradedCase:
    """The record of a case, and how long all of it took.

    `kept` says that the record counts and is not of this run.
    """

    suite: SuiteArgument
    record: ResultRecord
    seconds: float | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class SuiteEstimate:
    """The estimate of a suite's run, as in `run.estimate`."""

    suite: SuiteArgument
    estimate: dict[str, Any]


@dataclass(slots=True)
class SuiteRecords:
    """What is known of a suite: its cases, why it was not run, and the cases that were left out.

    `cases` is empty for formats that print cases as they arrive.
    """

    suite: SuiteArgument
    cases: list[GradedCase] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[CaseNotRun] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong: with a suite or a case for its findings, or else apart from cases."""

    message: str
    findings: list[dict[str, Any]] = field(default_factory=list)
    of_suite: bool = False


@dataclass(frozen=True, slots=True)
class SuiteGates:
    """What the gates of a suite came to; of a part of it, why they are not decided.

    Attributes:
        file: the file with the gates: the suite, or the sidecar of a data set.
        alone: the gates alone decide, so that a case that fails does not fail the run.
    """

    suite: SuiteArgument
    decisions: tuple[Decision, ...] = ()
    not_decided: str | None = None
    file: Path | None = None
    alone: bool = False


@dataclass(slots=True)
class RunReport:
    """What an invocation of `run` came to. The last five are known at its end.

    Attributes:
        suites: what is known of each suite, by its path, in their order.
        problems: what went wrong, in the order in which it did.
        warnings: what is not as it should be, though the run goes on.
        estimates: what a dry run would ask.
        results_files: the files that records are written to.
        gates: what the gates of each suite came to, of those that have any.
        spending: what the questions came to, as `protocol.Finished` has it.
        tallies: what each suite came to, in their order.
        total: what all came to.
        not_run: what was left out, as it can be asked for again.
        seconds: how long all of it took.
    """

    suites: dict[Path, SuiteRecords] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    estimates: list[SuiteEstimate] = field(default_factory=list)
    results_files: list[str] = field(default_factory=list)
    gates: list[SuiteGates] = field(default_factory=list)
    spending: dict[str, Any] = field(default_factory=dict)
    tallies: list[tuple[SuiteArgument, Tally]] = field(default_factory=list)
    total: Tally = field(default_factory=Tally)
    not_run: list[str] = field(default_factory=list)
    exit_code: int = 0
    seconds: float = 0.0

    def of(self, suite: SuiteArgument) -> SuiteRecords:
        """Return the report of a suite."""
        return self.suites.setdefault(suite.path, SuiteRecords(suite))

    @property
    def general_problems(self) -> list[str]:
        """What went wrong, apart from suites and cases."""
        return [it.message for it in self.problems if not it.of_suite]

    def ended_by_gates(self, suite: SuiteArgument) -> bool:
        """Whether the gates of a suite alone decide, so that cases that fail do not fail the run."""
        return any(it.alone and it.suite.path == suite.path for it in self.gates)
