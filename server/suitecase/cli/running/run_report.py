"""The results of a run, for output in any format."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suitecase.cli.running.case_spool import CaseSpool, SpooledCases
from suitecase.cli.running.model_use import ModelUse
from suitecase.cli.running.target_comparison import TargetComparison
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.tally import Tally

if TYPE_CHECKING:
    from suitecase.figures.decision import Decision


@dataclass(frozen=True, slots=True)
class SuiteStart:
    """A suite is begun, the results of which come next: the first, second, ... of so many."""

    suite: SuiteArgument
    number: int = 1
    of: int = 1


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
    cases: SpooledCases
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


@dataclass(frozen=True, slots=True)
class NotRun:
    """A case that was not run, or the whole suite.

    Attributes:
        suite: the suite.
        case: its id; None if it has none, or for all of the suite.
        line: the line that it starts on, if it was left out: it has errors, or needs what is missing.
    """

    suite: SuiteArgument
    case: str | None = None
    line: int | None = None

    @property
    def address(self) -> str:
        """What asks for it again, as an argument."""
        suite, target = self.suite.shown, self.suite.target
        whole = suite if self.line is None else f"{suite}:{self.line}"
        name = whole if self.case is None else f"{suite}::{self.case}"
        return name if target is None else f"{name} --target {target}"


@dataclass(frozen=True, slots=True)
class Unreached:
    """What is missing since a run ended early.

    Attributes:
        missing: the number of missing results, as far as it is known.
        expected: the number of results of a run to its end.
        suites: how many suites were not begun of which the number is not known.
    """

    missing: int = 0
    expected: int = 0
    suites: int = 0

    def __bool__(self) -> bool:
        return bool(self.missing or self.suites)

    @property
    def text(self) -> str:
        """What was not run, as people say it."""
        parts = [f"{self.missing:,} of {counted(self.expected, 'case')}"] if self.missing else []
        if self.suites:
            parts.append(counted(self.suites, "suite"))
        return " and ".join(parts)


@dataclass(slots=True)
class RunReport:
    """What an invocation of `run` came to. The last five are known at its end.

    Attributes:
        suites: what is known of each suite, by its path and one of several targets, in their order.
        problems: what went wrong, in the order in which it did.
        skipped: why files that were found in a folder are not run: they are suites of other tools.
        warnings: what is not as it should be, though the run goes on.
        estimates: what a dry run would ask.
        results_files: the files that records are written to.
        gates: what the gates of each suite came to, of those that have any.
        spending: what the questions came to, as `protocol.Finished` has it.
        tallies: what each suite came to, in their order.
        total: what all came to.
        models: what each model that answered or judged came to.
        comparisons: what each of several targets came to, of each suite.
        not_run: what was left out.
        unreached: how many results are missing of how many, since the run ended early.
        resume: the command that runs what is missing; None where there is none.
        seconds: how long all of it took.
    """

    suites: dict[tuple[Path, str | None], SuiteRecords] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    estimates: list[SuiteEstimate] = field(default_factory=list)
    results_files: list[str] = field(default_factory=list)
    gates: list[SuiteGates] = field(default_factory=list)
    spending: dict[str, Any] = field(default_factory=dict)
    tallies: list[tuple[SuiteArgument, Tally]] = field(default_factory=list)
    total: Tally = field(default_factory=Tally)
    models: dict[str, ModelUse] = field(default_factory=dict)
    comparisons: list[TargetComparison] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    unreached: Unreached = field(default_factory=lambda: Unreached())
    resume: list[str] | None = None
    exit_code: int = 0
    seconds: float = 0.0
    #: What the records of cases are kept in until they are printed.
    spool: CaseSpool = field(default_factory=CaseSpool)

    def of(self, suite: SuiteArgument) -> SuiteRecords:
        """Return the report of a suite."""
        key = (suite.path, suite.target)
        if key not in self.suites:
            self.suites[key] = SuiteRecords(suite, SpooledCases(suite, self.spool))
        return self.suites[key]

    @property
    def not_run_count(self) -> int:
        """How many cases were not run, and suites of which the number of cases is not known."""
        left_out = sum(it.line is not None for it in self.not_run)
        return left_out + self.unreached.missing + self.unreached.suites

    @property
    def general_problems(self) -> list[str]:
        """What went wrong, apart from suites and cases."""
        return [problem.message for problem in self.problems if not problem.of_suite]

    def stand_in_remarks(self) -> list[str]:
        """Return what was answered or judged without a model: of all, and of suites without any model."""
        found = [self.total.answerers.remark()]
        if len(self.tallies) > 1 and not self.total.answerers.no_model:
            of_suites = ((suite, tally.answerers) for suite, tally in self.tallies)
            found += [f"{suite.label}: {it.remark()}" for suite, it in of_suites if it.no_model]
        return [it for it in found if it is not None]

    def remarks(self) -> list[str]:
        """Return what people have to know about the run in addition to its verdicts, as sentences."""
        found = self.stand_in_remarks()
        return [*found, *(remark for remark in self.total.remarks() if remark not in found)]

    def ended_by_gates(self, suite: SuiteArgument) -> bool:
        """Whether the gates of a suite alone decide, so that cases that fail do not fail the run."""
        return any(gate.alone and gate.suite == suite for gate in self.gates)
