"""Running the suites of one command line, and their exit code."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
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
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.model_use import total_by_model
from suitecase.cli.running.outlook import Outlook
from suitecase.cli.running.resuming import ResumeCommand
from suitecase.cli.running.run_output import RunOutput
from suitecase.cli.running.run_report import (
    SuiteEstimate,
    SuiteGates,
    SuiteStart,
)
from suitecase.cli.running.suite_run import SuiteRun, unchosen, unreached
from suitecase.cli.running.target_comparison import TargetRow, comparisons
from suitecase.cli.running.termination import (
    EXIT_TERMINATED,
    Termination,
    cancelled_by_sigterm,
    leave_at_next_interrupt,
)
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.target_places import PLACES
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
    RateLimited,
    Refused,
    RunRequest,
    Started,
    Warned,
)
from suitecase.run.worker_failure import WorkerFailure
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.system.path_kinds import is_folder

#: Found with suites, since `check` checks them too, and nothing that anybody would want to run.
_NAMES_OF_TARGETS = frozenset(Path(place).name for place in PLACES)
#: The precedence of exit codes other than 0 and 1: the most serious first.
_GRAVEST_FIRST = (
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_BUG,
    EXIT_USAGE,
    EXIT_UNGRADED,
    EXIT_FINDINGS,
)
#: What `--fail-on` takes, the gravest first: the statuses that fail a run, and the exit code.
FAIL_ON = {
    "error": ((Status.ERROR, Status.JUDGE_FAILED), EXIT_UNGRADED),
    "failed": ((Status.FAIL,), EXIT_FINDINGS),
    "borderline": ((Status.BORDERLINE,), EXIT_FINDINGS),
    "not-evaluated": ((Status.NOT_EVALUATED,), EXIT_UNGRADED),
}
#: A case without anything to be graded by is somebody's decision; the summary counts it.
DEFAULT_FAIL_ON = "borderline"


class Invocation:
    """The suites of one command line, run one after the other by one worker.

    Attributes:
        runs: the state of each suite.
        interrupted: whether Ctrl-C or SIGTERM ended it.
    """

    def __init__(
        self,
        output: RunOutput,
        fail_on: str | None = None,
        resuming: ResumeCommand | None = None,
    ) -> None:
        """
        Args:
            output: prints what happens.
            fail_on: the least grave verdict that fails the run, a key of `FAIL_ON`. None for the
                default, which does not apply to suites whose gates are decided.
            resuming: makes the command that runs what is left; None where there is none.
        """
        self._output = output
        self._fail_on = fail_on
        self._resuming = resuming
        self._used_up = False
        self._began = perf_counter()
        self.interrupted = False
        self.runs: list[SuiteRun] = []
        self._codes: set[int] = set()
        #: What the questions of all suites cost so far, in US dollars.
        self._usd = 0.0
        #: Whether a call of this invocation has no known cost.
        self._unpriced = False
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
                announce = worker is None
                if used_worker is None or not await self._look_ahead(
                    requests, used_worker, announce=announce
                ):
                    return
                for run, (_, request) in zip(self.runs, requests, strict=True):
                    if run.skipped:
                        continue
                    request = self._in_one_run(run, request)
                    self._ahead_usd -= run.ahead_usd
                    spent = request.spent_usd + self._usd + self._ahead_usd
                    request = replace(
                        request,
                        spent_usd=spent,
                        spent_unpriced=request.spent_unpriced or self._unpriced,
                        failing=self._failing,
                        starts=self._output.progress.shows_running,
                    )
                    async with aclosing(used_worker.run(request)) as events:
                        async for event in events:
                            self._take(event, run)
                    # No other suite can start a case; each would say so.
                    budget = request.budget_usd
                    if run.stopped and budget is not None and spent + run.usd >= budget:
                        self._used_up = True
                        break
        except asyncio.CancelledError:
            # Ctrl-C, or SIGTERM: what is graded stays, and is summed up.
            self._codes.add(EXIT_TERMINATED if termination.came else EXIT_INTERRUPTED)
            self.interrupted = True
            self._output.progress.close()
            leave_at_next_interrupt()
            self._output.problem("ended by SIGTERM" if termination.came else "interrupted")
        except WorkerFailure as failure:
            self._codes.add(EXIT_UNGRADED if failure.killed else EXIT_BUG)
            self._output.problem(failure.message, failure.detail)
        finally:
            if own is not None:
                for message in await own.close():
                    self._output.warned(message)

    def _in_one_run(self, run: SuiteRun, request: RunRequest) -> RunRequest:
        """Return a request whose records go to the file of the same suite's other targets."""
        others = [
            other
            for other in self.runs
            if other is not run and other.argument.path == run.argument.path and not other.skipped
        ]
        before = next(
            (other.results_path for other in others if other.results_path is not None), None
        )
        request = replace(request, planned_elsewhere=sum(other.planned or 0 for other in others))
        if before is None:
            return request
        if request.resume_from is None:
            return replace(request, results_path=before)
        return (
            replace(request, resume_from=before)
            if is_folder(Path(request.resume_from))
            else request
        )

    async def _look_ahead(
        self,
        requests: list[tuple[SuiteArgument, RunRequest]],
        worker: Worker,
        *,
        announce: bool,
    ) -> bool:
        """Find out, before anything is asked, what the suites ask, and mean for a common budget.

        Args:
            requests: the suites.
            worker: makes the estimates.
            announce: whether to print what will be asked.

        Returns:
            whether to go on: the budget can be kept, each target has something to run, and no option is
            wrong.
        """
        if len(requests) == 1:
            return True
        can_start = True
        outlook = Outlook()
        #: By target, the failures and how many suites it was to be run with.
        failures: dict[str | None, list[tuple[Failed, SuiteRun]]] = {}
        suites: Counter[str | None] = Counter()
        for run, (_, request) in zip(self.runs, requests, strict=True):
            if request.dry_run or not (announce or request.budget_usd is not None):
                continue
            suites[request.target] += 1
            async with aclosing(worker.run(replace(request, dry_run=True))) as events:
                async for event in events:
                    # All else is said when its turn comes.
                    if isinstance(event, Estimated):
                        run.ahead_usd = event.earlier_usd
                        run.planned = event.estimate["records"]
                        self._ahead_usd += event.earlier_usd
                        outlook.add(event.estimate)
                    elif isinstance(event, Failed) and (
                        event.kind == "unpriced"
                        or event.of_all
                        or (event.not_runnable and run.argument.found)
                    ):
                        self._take(event, run)
                        can_start = can_start and event.not_runnable
                        suites[request.target] -= event.not_runnable
                    elif isinstance(event, Refused):
                        suites[request.target] -= 1
                    elif isinstance(event, Failed) and event.kind == "usage":
                        failures.setdefault(request.target, []).append((event, run))
        for target, failed in failures.items():
            if len(failed) == suites[target]:
                # As for a misspelt target: what the others cost would be spent on half of a table.
                can_start = False
                for failure, run in failed:
                    self._take(failure, run)
        if announce and can_start:
            for line in outlook.lines():
                self._output.note(line)
        return can_start

    def unsearched(self, message: str) -> None:
        """Take note of a folder that cannot be searched for suites."""
        self._codes.add(EXIT_USAGE)
        self._output.problem(message)

    def _say_unchosen(self) -> None:
        number, of = unchosen(self.runs)
        if number and number == of:
            self._output.problem("no suite has a case that is selected")
        elif number:
            be = "has" if number == 1 else "have"
            self._output.note(f"{number:,} of {counted(of, 'suite')} {be} no case that is selected")

    def end(self) -> int:
        """Show the summary; return the exit code."""
        self._output.progress.close()
        self._output.over()
        not_run = list({it.address: it for run in self.runs for it in run.not_run()}.values())
        if self.runs and all(run.unchosen or run.skipped for run in self.runs):
            self._codes.add(EXIT_USAGE)
        self._say_unchosen()
        if not_run:
            self._codes.add(EXIT_UNGRADED)
        total = Tally.total(run.tally for run in self.runs)
        statuses = total.statuses
        deciding = Tally.total(
            run.tally for run in self.runs if self._fail_on is not None or not run.gates_decided
        ).statuses
        for name, (failing, code) in FAIL_ON.items():
            if any(deciding[status] for status in failing):
                self._codes.add(code)
            if name == (self._fail_on or DEFAULT_FAIL_ON):
                break
        if total.records and total.records == statuses[Status.NOT_EVALUATED]:
            self._codes.add(EXIT_UNGRADED)
            self._output.problem("nothing was graded: no case has anything to be graded by")
        code = next((it for it in _GRAVEST_FIRST if it in self._codes), EXIT_OK)
        self._output.end(
            [(run.argument, run.tally) for run in self.runs],
            total=total,
            models=total_by_model(run.figures.models for run in self.runs),
            comparisons=comparisons(
                [
                    TargetRow(run.argument, run.cases, run.tally, run.figures, run.results_path)
                    for run in self.runs
                ]
            ),
            not_run=not_run,
            unreached=unreached(self.runs),
            resume=None
            if self._resuming is None
            else self._resuming.of(self.runs, used_up=self._used_up),
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
                run.start(event.cases, event.repeats)
                run.hashes, run.files = event.hashes, event.files
                run.results_path = event.results_path
                run.usd += event.earlier_usd
                self._usd += event.earlier_usd
                jobs = len(event.cases) * event.repeats
                runs = [it for it in self.runs if not it.skipped]
                start = SuiteStart(run.argument, runs.index(run) + 1, len(runs))
                self._output.progress.suite(start.number, start.of, jobs, run.tally)
                self._output.started(start, event)
            case CaseNotRun():
                run.left_out.append(event)
                unsound = event.kind == "unsound"
                self._codes.add(EXIT_USAGE if unsound else EXIT_UNGRADED)
                self._output.not_run(run.argument, event)
            case CaseStarted():
                self._output.progress.begin(run.key(event.case, event.repeat))
            case CaseKept():
                self._add(event.record, run)
                record = event.record
                key = run.key(record.eval_id, record.repeat)
                self._output.progress.done(key, record, kept=True)
                self._output.case(GradedCase(run.argument, record, kept=True))
            case CaseFinished():
                self._add(event.record, run)
                record = event.record
                self._output.progress.done(run.key(record.eval_id, record.repeat), record)
                self._output.case(GradedCase(run.argument, record, event.seconds))
            case GatesDecided():
                self._decided(event, run)
            case Refused():
                self._codes.add(EXIT_USAGE)
                self._output.refused(run.argument, event.findings, event.sound)
            case Failed(kind="bug"):
                self._spent(event.spending, run)
                self._codes.add(EXIT_BUG)
                self._output.problem(f"{run.label}: {event.message}")
                report_bug(event.trace or event.message)
            case Failed(kind="unchosen"):
                run.unchosen = True
                # Of a folder, most suites may have no such case; those are counted at the end.
                if not run.argument.found:
                    self._output.problem(event.message)
            case Failed(not_runnable=True) if run.argument.found:
                run.skipped = True
                if run.argument.path.name not in _NAMES_OF_TARGETS:
                    self._output.skipped(event.message)
            case Failed():
                self._spent(event.spending, run)
                usage = event.kind in ("usage", "unpriced")
                self._codes.add(EXIT_USAGE if usage else EXIT_UNGRADED)
                self._output.problem(event.message if usage else f"{run.label}: {event.message}")
            case RateLimited():
                self._output.progress.rate_limited(event)
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
        run.figures.add(record)
        run.records.add(record.eval_id, record.repeat)

    def _spent(self, spending: Mapping[str, Any] | None, run: SuiteRun) -> None:
        if spending is not None:
            run.usd += spending["cost_usd"]
            self._usd += spending["cost_usd"]
            self._unpriced = self._unpriced or bool(spending["unpriced"])
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
            self._output.problem(f"{run.label}: {stopped}")
