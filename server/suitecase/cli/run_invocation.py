"""The suites of one command line: what comes of them, and the exit code."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter

from suitecase.cli import (
    EXIT_BUG,
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNGRADED,
    EXIT_USAGE,
    report_bug,
)
from suitecase.cli.run_output import Output
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.client import Worker
from suitecase.run.protocol import (
    LAST_EVENTS,
    CaseFinished,
    CaseKept,
    CaseStarted,
    Estimated,
    Event,
    Failed,
    Finished,
    Refused,
    RunRequest,
    Started,
    Warned,
    WorkerFailure,
)
from suitecase.run.tally import Tally
from suitecase_evaluators.score import Verdict

#: The order in which reasons to end with another code than 0 or 1 are told: the gravest first.
_GRAVEST_FIRST = (EXIT_INTERRUPTED, EXIT_BUG, EXIT_USAGE, EXIT_UNGRADED, EXIT_FINDINGS)


@dataclass(slots=True)
class SuiteRun:
    """What is known of the run of one suite so far."""

    argument: SuiteArgument
    cases: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    repeats: int = 1
    began: dict[tuple[str, int], float] = field(default_factory=dict)
    over: bool = False
    #: It went to its last event, and yet not to its end: the budget was used up.
    stopped: bool = False
    #: No case of it is what was asked for.
    unchosen: bool = False

    def not_run(self) -> list[str]:
        """Return what was left out, as it can be asked for again: cases, or the suite."""
        if not self.cases:
            return [self.argument.shown]
        left_out = self.tally.not_run(self.cases, self.repeats)
        return [f"{self.argument.shown}::{it}" for it in left_out]


class Invocation:
    """The suites of one command line, run one after the other by one worker."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._total = Tally()
        self._runs: list[SuiteRun] = []
        self._codes: set[int] = set()

    async def run(self, requests: list[tuple[SuiteArgument, RunRequest]]) -> None:
        """Run all suites; what goes wrong is shown, and remembered for the exit code."""
        worker = Worker()
        self._runs = [SuiteRun(argument, request.cases or ()) for argument, request in requests]
        try:
            for run, (_, request) in zip(self._runs, requests, strict=True):
                async with aclosing(worker.run(request)) as events:
                    async for event in events:
                        self._take(event, run)
        except asyncio.CancelledError:
            # Ctrl-C: what is graded stays, and is summed up.
            self._codes.add(EXIT_INTERRUPTED)
            self._output.problem("interrupted", "")
        except WorkerFailure as failure:
            self._codes.add(EXIT_BUG)
            self._output.problem(failure.message, failure.detail)
        finally:
            await worker.close()

    def end(self) -> int:
        """Show what it all came to; return the exit code."""
        # A run that is over has said what became of it, also where that is nothing.
        left = [run for run in self._runs if run.stopped or not run.over]
        not_run = [it for run in left for it in run.not_run()]
        if self._runs and all(run.unchosen for run in self._runs):
            self._codes.add(EXIT_USAGE)
        verdicts = self._total.verdicts
        if verdicts[Verdict.FAIL] or verdicts[Verdict.BORDERLINE]:
            self._codes.add(EXIT_FINDINGS)
        if verdicts[Verdict.ERROR]:
            self._codes.add(EXIT_UNGRADED)
        elif verdicts and not self._total.graded:
            self._codes.add(EXIT_UNGRADED)
            self._output.problem("nothing was graded: no case has anything to be graded by", "")
        code = next((it for it in _GRAVEST_FIRST if it in self._codes), EXIT_OK)
        self._output.end([(it.argument, it.tally) for it in self._runs], self._total, not_run, code)
        return code

    def _take(self, event: Event, run: SuiteRun) -> None:
        run.over = isinstance(event, LAST_EVENTS)
        match event:
            case Started():
                run.cases, run.repeats = event.cases, event.repeats
                self._output.started(run.argument, event)
            case CaseStarted():
                run.began[event.case, event.repeat] = perf_counter()
            case CaseKept():
                run.tally.add(event.record)
                self._total.add(event.record)
                self._output.kept(event.record)
            case CaseFinished():
                run.tally.add(event.record)
                self._total.add(event.record)
                began = run.began.pop((event.record["eval_id"], event.record["repeat"]), None)
                self._output.case(event.record, None if began is None else perf_counter() - began)
            case Refused():
                self._codes.add(EXIT_USAGE)
                self._output.refused(run.argument, event.findings)
            case Failed(kind="bug"):
                self._codes.add(EXIT_BUG)
                self._output.problem(f"{run.argument.shown}: {event.message}", "")
                report_bug(event.trace or event.message)
            case Failed(kind="unchosen"):
                run.unchosen = True
                self._output.problem(event.message, "")
            case Failed():
                usage = event.kind == "usage"
                self._codes.add(EXIT_USAGE if usage else EXIT_UNGRADED)
                self._output.problem(
                    event.message if usage else f"{run.argument.shown}: {event.message}", ""
                )
            case Warned():
                self._output.warned(event.message)
            case Estimated():
                self._output.estimated(run.argument, event)
            case Finished():
                self._finished(event, run)

    def _finished(self, event: Finished, run: SuiteRun) -> None:
        """Take what the end of all cannot sum up from the records."""
        spending = event.summary.get("spending")
        if spending is not None:
            self._output.spent(spending)
        if event.summary.get("stopped"):
            run.stopped = True
            self._codes.add(EXIT_UNGRADED)
            self._output.problem(f"{run.argument.shown}: {event.summary['stopped']}", "")
