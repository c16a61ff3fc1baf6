"""`suitecase run`."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Literal

import click

from suitecase.cli import (
    EXIT_BUG,
    EXIT_FINDINGS,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNGRADED,
    EXIT_USAGE,
    report_bug,
)
from suitecase.cli.run_output import Output, output_of
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.client import LAST_EVENTS, Worker
from suitecase.run.protocol import (
    CaseFinished,
    CaseStarted,
    Event,
    Failed,
    Refused,
    RunRequest,
    Started,
    WorkerFailure,
)
from suitecase.run.results import DEFAULT_FOLDER
from suitecase.run.tally import Tally
from suitecase.suite.workspace import Unreadable, find_root, read_text
from suitecase_evaluators.score import Verdict

#: The order in which reasons to end with another code than 0 or 1 are told: the gravest first.
_GRAVEST_FIRST = (EXIT_INTERRUPTED, EXIT_BUG, EXIT_USAGE, EXIT_UNGRADED, EXIT_FINDINGS)


@click.command("run")
@click.argument("suites", metavar="SUITE[::CASE...]...", nargs=-1, required=True)
@click.option("--target", metavar="NAME", help="Ask this target, instead of those the suite names.")
@click.option(
    "--output",
    "results",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The file that results are appended to, or a folder for new ones. Default: "
    f"{DEFAULT_FOLDER.as_posix()}, in the root of the workspace.",
)
@click.option("--no-results", is_flag=True, help="Write no results file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    help="For people; for programs, at the end; for programs, a line for each case as it comes.",
)
def command(
    suites: tuple[str, ...],
    target: str | None,
    results: Path | None,
    no_results: bool,
    form: Literal["text", "json", "jsonl"],
) -> int:
    """Ask the targets of suites, and grade their answers.

    A suite with errors is not run: nothing is asked. Results are written as they come.

    Ends with 0 where all cases passed, 1 where some failed or are borderline, 2 where a suite has
    errors or is not there, 3 where cases could not be graded, and 4 for a bug of suitecase.
    """
    if no_results and results is not None:
        raise click.UsageError("--output and --no-results exclude each other")
    arguments = _merged([SuiteArgument.parse(it) for it in suites])
    unread = [(it, text) for it in arguments if isinstance(text := read_text(it.path), Unreadable)]
    for argument, why in unread:
        click.echo(f"{argument.shown}: cannot be run: {why.reason}", err=True)
    if unread:
        return EXIT_USAGE
    requests = [(it, _request(it, target, results, no_results=no_results)) for it in arguments]
    invocation = Invocation(output_of(form))
    asyncio.run(invocation.run(requests))
    return invocation.end()


def _merged(arguments: list[SuiteArgument]) -> list[SuiteArgument]:
    """Return each suite once, with all cases that are asked for; one without any means all."""
    merged: dict[Path, SuiteArgument] = {}
    for it in arguments:
        known = merged.get(it.path)
        if known is None:
            merged[it.path] = it
        else:
            both = (*known.cases, *it.cases) if known.cases and it.cases else ()
            merged[it.path] = replace(known, cases=both)
    return list(merged.values())


def _request(
    argument: SuiteArgument, target: str | None, results: Path | None, *, no_results: bool
) -> RunRequest:
    root = find_root(argument.path, Path.cwd())
    if no_results:
        where = None
    elif results is None:
        where = f"{root / DEFAULT_FOLDER}{os.sep}"
    else:
        where = str(Path.cwd() / results) + (os.sep if str(results).endswith("/") else "")
    return RunRequest(
        suite_path=str(argument.path),
        workspace_root=str(root),
        cases=argument.cases or None,
        target=target,
        results_path=where,
    )


@dataclass(slots=True)
class SuiteRun:
    """What is known of the run of one suite so far."""

    argument: SuiteArgument
    cases: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    began: dict[str, float] = field(default_factory=dict)
    over: bool = False

    def not_run(self) -> list[str]:
        """Return what was left out, as it can be asked for again: cases, or the suite."""
        if not self.cases:
            return [self.argument.shown]
        return [f"{self.argument.shown}::{it}" for it in self.tally.not_run(self.cases)]


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
        not_run = [it for run in self._runs if not run.over for it in run.not_run()]
        verdicts = self._total.verdicts
        if verdicts[Verdict.FAIL] or verdicts[Verdict.BORDERLINE]:
            self._codes.add(EXIT_FINDINGS)
        if verdicts[Verdict.ERROR]:
            self._codes.add(EXIT_UNGRADED)
        elif verdicts and not self._total.graded:
            self._codes.add(EXIT_UNGRADED)
            self._output.problem("nothing was graded: no case has anything to be graded by", "")
        code = next((it for it in _GRAVEST_FIRST if it in self._codes), EXIT_OK)
        self._output.end(self._total, not_run, code)
        return code

    def _take(self, event: Event, run: SuiteRun) -> None:
        run.over = isinstance(event, LAST_EVENTS)
        match event:
            case Started():
                run.cases = event.cases
                self._output.started(run.argument, event)
            case CaseStarted():
                run.began[event.case] = perf_counter()
            case CaseFinished():
                run.tally.add(event.record)
                self._total.add(event.record)
                began = run.began.pop(event.record["eval_id"], None)
                self._output.case(event.record, None if began is None else perf_counter() - began)
            case Refused():
                self._codes.add(EXIT_USAGE)
                self._output.refused(run.argument, event.findings)
            case Failed(kind="bug"):
                self._codes.add(EXIT_BUG)
                self._output.problem(f"{run.argument.shown}: {event.message}", "")
                report_bug(event.trace or event.message)
            case Failed():
                usage = event.kind == "usage"
                self._codes.add(EXIT_USAGE if usage else EXIT_UNGRADED)
                self._output.problem(
                    event.message if usage else f"{run.argument.shown}: {event.message}", ""
                )
            case _:
                return  # the last event of a run that went well: the end of all sums it up
