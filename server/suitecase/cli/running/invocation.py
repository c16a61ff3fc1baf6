"""Running the suites of one command line, and their exit code."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from suitecase.cli import (
    EXIT_BUG,
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNGRADED,
    EXIT_USAGE,
    report_bug,
)
from suitecase.cli.running.progress import Key
from suitecase.cli.running.run_output import RunOutput
from suitecase.cli.running.run_report import GradedCase, SuiteEstimate, SuiteGates
from suitecase.cli.running.termination import EXIT_TERMINATED, Termination, cancelled_by_sigterm
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.client import Worker
from suitecase.run.protocol import (
    LAST_EVENTS,
    CaseFinished,
    CaseKept,
    CaseNotRun,
    CaseStarted,
    Estimated,
    Event,
    Failed,
    Finished,
    GatesDecided,
    Refused,
    RunRequest,
    Started,
    Warned,
    WorkerFailure,
)
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import Tally
from suitecase_evaluators.score import Verdict

#: The precedence of exit codes other than 0 and 1: the most serious first.
_GRAVEST_FIRST = (
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_BUG,
    EXIT_USAGE,
    EXIT_UNGRADED,
    EXIT_FINDINGS,
)
#: What `--fail-on` takes, the gravest first: the verdict that fails a run, and the exit code.
FAIL_ON = {
    "error": (Verdict.ERROR, EXIT_UNGRADED),
    "failed": (Verdict.FAIL, EXIT_FINDINGS),
    "borderline": (Verdict.BORDERLINE, EXIT_FINDINGS),
    "not-evaluated": (Verdict.NOT_EVALUATED, EXIT_UNGRADED),
}
#: A case without anything to be graded by is somebody's decision; the summary counts it.
DEFAULT_FAIL_ON = "borderline"


@dataclass(slots=True)
class SuiteRun:
    """The state of the run of one suite."""

    argument: SuiteArgument
    cases: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    repeats: int = 1
    began: dict[tuple[str, int], float] = field(default_factory=dict)
    over: bool = False
    #: It went to its last event, and yet not to its end: the budget was used up, errors
    #: came in a row, or it was ended.
    stopped: bool = False
    #: No case of it is what was asked for.
    unchosen: bool = False
    #: By case, the effective hash of those that are run, and the files that hashes depend on, where
    #: the request asked for them.
    hashes: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    #: The cases and repeats of which there is a record.
    records: set[tuple[str, int]] = field(default_factory=set)
    started: bool = False
    results_path: str | None = None
    #: What this run's questions cost, in US dollars, and the records that it went on with.
    usd: float = 0.0
    #: What the records cost that it will go on with, as far as that was looked up beforehand.
    ahead_usd: float = 0.0
    #: The gates decide the exit code, not the verdicts of the cases.
    gates_decided: bool = False
    #: Cases that were asked for and have errors, or need what is not to be had here.
    left_out: list[CaseNotRun] = field(default_factory=list)

    def key(self, record: ResultRecord) -> Key:
        """Return the key of a record within this invocation."""
        return (self.argument.shown, record.eval_id, record.repeat)

    def not_run(self) -> list[str]:
        """Return the cases that were not run, or the suite, as arguments to run them again."""
        return [*map(self.address, self.left_out), *self._not_reached()]

    def address(self, case: CaseNotRun) -> str:
        """Return what names a case: as it can be asked for, or the line it starts on."""
        suite = self.argument.shown
        return f"{suite}:{case.line}" if case.case is None else f"{suite}::{case.case}"

    @property
    def missing(self) -> int:
        """The number of missing records."""
        return len(self.cases) * self.repeats - len(self.records)

    def _not_reached(self) -> list[str]:
        # What ended before it began has said why.
        if self.over and not self.started and not self.stopped:
            return []
        if not self.cases:
            return [] if self.started else [self.argument.shown]
        counts = Counter(case for case, _ in self.records)
        left_out = (it for it in self.cases if counts[it] < self.repeats)
        return [f"{self.argument.shown}::{it}" for it in left_out]


class Invocation:
    """The suites of one command line, run one after the other by one worker.

    Attributes:
        runs: the state of each suite.
        interrupted: whether Ctrl-C or SIGTERM ended it.
    """

    def __init__(self, output: RunOutput, fail_on: str | None = None) -> None:
        """
        Args:
            fail_on: the least grave verdict that fails the run, a key of `FAIL_ON`. None for the
                default, which does not apply to suites whose gates are decided.
        """
        self._output = output
        self._fail_on = fail_on
        self._began = perf_counter()
        self.interrupted = False
        self.runs: list[SuiteRun] = []
        self._codes: set[int] = set()
        #: What the questions of all suites cost so far, in US dollars.
        self._usd = 0.0
        #: What the records cost that suites will be resumed with whose turn has not come.
        self._ahead_usd = 0.0
        #: What failed, and how often in a row: a judge that is down is so for all suites.
        self._failing: dict[str, int] = {}

    async def run(
        self, requests: list[tuple[SuiteArgument, RunRequest]], worker: Worker | None = None
    ) -> None:
        """Run all suites; what goes wrong is shown, and remembered for the exit code.

        Args:
            worker: stays as it is; without one a worker is started, and closed at the end.
        """
        own = None if worker is not None else Worker()
        used_worker = worker or own
        self.runs = [SuiteRun(argument, request.cases or ()) for argument, request in requests]
        termination = Termination()
        try:
            with cancelled_by_sigterm(termination):
                if used_worker is None or not await self._look_ahead(requests, used_worker):
                    return
                for run, (_, request) in zip(self.runs, requests, strict=True):
                    self._ahead_usd -= run.ahead_usd
                    spent = request.spent_usd + self._usd + self._ahead_usd
                    request = replace(request, spent_usd=spent, failing=self._failing)
                    async with aclosing(used_worker.run(request)) as events:
                        async for event in events:
                            self._take(event, run)
        except asyncio.CancelledError:
            # Ctrl-C, or SIGTERM: what is graded stays, and is summed up.
            self._codes.add(EXIT_TERMINATED if termination.came else EXIT_INTERRUPTED)
            self.interrupted = True
            self._output.problem("ended by SIGTERM" if termination.came else "interrupted")
        except WorkerFailure as failure:
            self._codes.add(EXIT_UNGRADED if failure.killed else EXIT_BUG)
            self._output.problem(failure.message, failure.detail)
        finally:
            if own is not None:
                await own.close()

    async def _look_ahead(
        self, requests: list[tuple[SuiteArgument, RunRequest]], worker: Worker
    ) -> bool:
        """Find out, before anything is asked, what the last suite means for a common budget.

        Returns:
            whether the budget can be kept.
        """
        if len(requests) == 1:
            return True
        within_budget = True
        for run, (_, request) in zip(self.runs, requests, strict=True):
            if request.budget_usd is None or request.dry_run:
                continue
            async with aclosing(worker.run(replace(request, dry_run=True))) as events:
                async for event in events:
                    # All else is said when its turn comes.
                    if isinstance(event, Estimated):
                        run.ahead_usd = event.earlier_usd
                        self._ahead_usd += event.earlier_usd
                    elif isinstance(event, Failed) and event.kind == "unpriced":
                        self._take(event, run)
                        within_budget = False
        return within_budget

    def end(self) -> int:
        """Show the summary; return the exit code."""
        self._output.progress.close()
        self._output.over()
        not_run = list(dict.fromkeys(it for run in self.runs for it in run.not_run()))
        if self.runs and all(run.unchosen for run in self.runs):
            self._codes.add(EXIT_USAGE)
        if not_run:
            self._codes.add(EXIT_UNGRADED)
        total = Tally.total(it.tally for it in self.runs)
        verdicts = total.verdicts
        deciding = Tally.total(
            it.tally for it in self.runs if self._fail_on is not None or not it.gates_decided
        ).verdicts
        for name, (verdict, code) in FAIL_ON.items():
            if deciding[verdict]:
                self._codes.add(code)
            if name == (self._fail_on or DEFAULT_FAIL_ON):
                break
        if verdicts and not verdicts[Verdict.ERROR] and not total.graded:
            self._codes.add(EXIT_UNGRADED)
            self._output.problem("nothing was graded: no case has anything to be graded by")
        code = next((it for it in _GRAVEST_FIRST if it in self._codes), EXIT_OK)
        self._output.end(
            [(it.argument, it.tally) for it in self.runs],
            total=total,
            not_run=not_run,
            exit_code=code,
            seconds=perf_counter() - self._began,
        )
        return code

    def _take(self, event: Event, run: SuiteRun) -> None:
        run.over = isinstance(event, LAST_EVENTS)
        if run.over:
            self._output.over()
        match event:
            case Started():
                run.cases, run.repeats = event.cases, event.repeats
                run.hashes, run.files = event.hashes, event.files
                run.started, run.results_path = True, event.results_path
                run.usd += event.earlier_usd
                self._usd += event.earlier_usd
                jobs = len(event.cases) * event.repeats
                number = self.runs.index(run) + 1
                self._output.progress.suite(number, len(self.runs), jobs, run.tally)
                self._output.started(run.argument, event)
            case CaseNotRun():
                run.left_out.append(event)
                unsound = event.kind == "unsound"
                self._codes.add(EXIT_USAGE if unsound else EXIT_UNGRADED)
                self._output.not_run(run.argument, event)
            case CaseStarted():
                run.began[event.case, event.repeat] = perf_counter()
                self._output.progress.begin((run.argument.shown, event.case, event.repeat))
            case CaseKept():
                self._add(event.record, run)
                self._output.progress.done(run.key(event.record), event.record, kept=True)
                self._output.case(GradedCase(run.argument, event.record, kept=True))
            case CaseFinished():
                self._add(event.record, run)
                self._output.progress.done(run.key(event.record), event.record)
                began = run.began.pop((event.record.eval_id, event.record.repeat), None)
                seconds = None if began is None else perf_counter() - began
                self._output.case(GradedCase(run.argument, event.record, seconds))
            case GatesDecided():
                self._decided(event, run)
            case Refused():
                self._codes.add(EXIT_USAGE)
                self._output.refused(run.argument, event.findings, event.sound)
            case Failed(kind="bug"):
                self._spent(event.spending, run)
                self._codes.add(EXIT_BUG)
                self._output.problem(f"{run.argument.shown}: {event.message}")
                report_bug(event.trace or event.message)
            case Failed(kind="unchosen"):
                run.unchosen = True
                self._output.problem(event.message)
            case Failed():
                self._spent(event.spending, run)
                usage = event.kind in ("usage", "unpriced")
                self._codes.add(EXIT_USAGE if usage else EXIT_UNGRADED)
                self._output.problem(
                    event.message if usage else f"{run.argument.shown}: {event.message}"
                )
            case Warned():
                self._output.warned(event.message)
            case Estimated():
                self._output.estimated(SuiteEstimate(run.argument, event.estimate))
            case Finished():
                self._finished(event, run)

    def _decided(self, event: GatesDecided, run: SuiteRun) -> None:
        from suitecase.figures.decision import Decision, exit_code_of

        decisions = tuple(map(Decision.from_json, event.decisions))
        self._output.gates(
            SuiteGates(
                run.argument,
                decisions,
                event.not_decided,
                None if event.file is None else Path(event.file),
                alone=bool(decisions) and self._fail_on is None,
            )
        )
        if decisions:
            run.gates_decided = True
            self._codes.add(exit_code_of(decisions))
        elif not event.partial:
            self._codes.add(EXIT_UNGRADED)

    def _add(self, record: ResultRecord, run: SuiteRun) -> None:
        run.tally.add(record)
        run.records.add((record.eval_id, record.repeat))

    def _spent(self, spending: Mapping[str, Any] | None, run: SuiteRun) -> None:
        if spending is not None:
            run.usd += spending["cost_usd"]
            self._usd += spending["cost_usd"]
            self._output.spent(spending)

    def _finished(self, event: Finished, run: SuiteRun) -> None:
        """Take what the end of all cannot sum up from the records."""
        self._spent(event.summary.get("spending"), run)
        self._failing = event.summary.get("failing", {})
        stopped = event.summary.get("stopped")
        if run.started and run.missing:
            number = f"{run.missing:,} of {len(run.cases) * run.repeats:,}"
            stopped = f"{stopped or 'the run ended early'}; not graded: {number}"
        elif not run.started:
            stopped = stopped or "the run ended before it began"
        if stopped:
            run.stopped = True
            self._codes.add(EXIT_UNGRADED)
            self._output.problem(f"{run.argument.shown}: {stopped}")
