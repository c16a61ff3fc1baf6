"""`suitecase run`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import click

from suitecase.cli import EXIT_UNGRADED, EXIT_USAGE
from suitecase.cli.first_steps import MISSING, missing, why_not_read
from suitecase.cli.options import FiniteNumber, GateText, PathArgument, PathText, with_value
from suitecase.cli.output.formatter import RUN_FORMATS, STREAMING_FORMATS
from suitecase.cli.output.terminal import echo, output_is_closed
from suitecase.cli.output_file import Collected, OutputFile
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.invocation import DEFAULT_FAIL_ON, FAIL_ON, Invocation
from suitecase.cli.running.results_places import (
    NEWEST,
    is_same,
    place_of,
    resumed_from,
)
from suitecase.cli.running.resuming import ResumeCommand, given_options
from suitecase.cli.running.run_output import RunOutput
from suitecase.cli.running.selection_options import selection_options
from suitecase.cli.running.suite_paths import (
    NoTargetError,
    named_suites,
    with_models,
    with_targets,
)
from suitecase.cli.sandbox_option import SandboxCommand, sandbox_options, with_level
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.cli.writing import require_inside
from suitecase.format.dataset_files import DATASET
from suitecase.format.workspace import RESULTS_FOLDER, find_root, leads_out, why_unread
from suitecase.installation import CLUSTER, RUNS, require
from suitecase.run.failures import DEFAULT_MAX_ERRORS
from suitecase.run.protocol import RunRequest
from suitecase.run.requested_gates import why_no_results
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.system.path_kinds import is_file, is_folder, is_there

#: What the reports begin with that later ones replace: JUnit's, and `--format json`.
_REPORT = re.compile(
    rb'<\?xml[^>]*>\s*<testsuites\s+name="suitecase run"|\{\s*"schema_version":\s*\d+,\s*"results":'
)
#: The key of the options as they were given, for the command that resumes a run.
_GIVEN = "suitecase.run.given"


def _at_most(context: click.Context, parameter: click.Parameter, repeats: int | None) -> int | None:
    """Refuse more repeats than a suite may ask for."""
    if repeats is None:
        return None
    from suitecase.formats.suitecase.model import MOST_REPEATS  # models take long to import

    return click.IntRange(1, MOST_REPEATS).convert(repeats, parameter, context)


class _RunCommand(SandboxCommand):
    """Takes what follows `--resume` for its value only where it is the name of a results file."""

    instead: ClassVar[Mapping[str, str]] = {
        "replay": "a run replays one results file: run once for each",
    }

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        arguments = with_value(
            with_level(args), "--resume", NEWEST, is_value=lambda word: word.endswith(".jsonl")
        )
        remaining = super().parse_args(ctx, list(arguments))
        ctx.meta[_GIVEN] = given_options(self, ctx, arguments)
        return remaining


@click.command("run", cls=_RunCommand)
@click.argument("suites", metavar="[SUITE[::CASE...]|FOLDER]...", nargs=-1, type=PathText())
@selection_options
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show the planned calls and what is known of their cost, without calling anything.",
)
@click.option(
    "--resume",
    metavar="[RESULTS]",
    multiple=True,
    help="Continue a results file (a name that ends with .jsonl; default: the suite's newest "
    "unfinished one). Can be repeated for several suites or targets; one without results "
    "starts from the beginning. Cases with a result are not rerun, and count. Cases that have "
    "changed or have no answer are run; an answer that could not be graded is graded "
    "again.",
)
@click.option(
    "--replay",
    metavar="RESULTS",
    type=PathArgument(),
    help="Grade the answers recorded in this results file again, without calling any target: "
    "judge replies come from its records, too. If it has answers of several targets, "
    "--target selects one.",
)
@click.option(
    "--repeat",
    "repeats",
    metavar="N",
    type=click.IntRange(min=1),
    callback=_at_most,
    help="Ask each case N times, instead of as often as the suite's `execution.repeats` says. A case passes if "
    "it passes each time.",
)
@click.option(
    "--cache",
    type=click.Choice(["off", "read", "refresh"]),
    default="off",
    show_default=True,
    help="Reuse answers of models and programs from earlier runs (read), or replace the cached"
    " ones (refresh). Off by default: a cached answer says nothing about the model today.",
)
@click.option(
    "--budget-usd",
    metavar="X",
    type=FiniteNumber(min=0),
    help="Start no further case once answers and judges have cost X US dollars, including the "
    "cost recorded in a resumed file. Cases in progress are finished, so a run may exceed"
    " the budget by the cost of a case. Refused if a model has no known price; `price` in"
    " the targets file sets one.",
)
@click.option(
    "--max-errors",
    metavar="N",
    type=click.IntRange(min=0),
    default=DEFAULT_MAX_ERRORS,
    show_default=True,
    help="Start no further case after one target, judge or evaluator has failed N times in a "
    "row. 0 means no limit.",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    help="The number of concurrent calls of each target, in place of its `workers`.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="The number of processes that grade. Together they keep the limits of targets, of the budget "
    "and of time. Default: as many as there are processors, where the cases are so many, and "
    "their calls so fast, that this takes less time; else one.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=FiniteNumber(min=0, min_open=True),
    help="End a case that takes longer, including the time for its judges. It counts as one "
    "that could not be graded.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Grade on the workers of a Dask cluster, such as tcp://HOST:8786. The suite, its prompts, "
    "scripts and files are sent to them; secrets are not: each has its own environment. Needs "
    "the extra `cluster`.",
)
@click.option(
    "--cluster-file",
    "cluster_files",
    metavar="PATH",
    multiple=True,
    type=PathArgument(exists=True),
    help="Send this file or folder of the workspace to the cluster, too, for programs that open it. "
    "Can be repeated.",
)
@sandbox_options
@click.option(
    "--output",
    "results",
    metavar="PATH",
    type=PathText(),
    help="The file to append results to, or a folder (one that exists, or with a slash at the end) for "
    "new ones. Default: "
    f"{RESULTS_FOLDER.as_posix()} in the root of the workspace.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=PathArgument(),
    help="Write what --format prints to this file, in place of an earlier one, rather than to standard "
    "output. No link is followed out of the workspace.",
)
@click.option("--no-results", is_flag=True, help="Do not write a results file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(RUN_FORMATS)),
    default="text",
    show_default=True,
    help="The format on standard output. For "
    + "; ".join(f"{it.audience} ({name})" for name, it in RUN_FORMATS.items())
    + ".",
)
@click.option(
    "--show",
    type=click.Choice(["failures", "all", "none"]),
    help="The cases that are printed with their reasons. With failures, the default, those that "
    "failed, are borderline or could not be graded; the others are a line each. With none, the "
    "summary alone.",
)
@click.option(
    "--answers",
    is_flag=True,
    help="Print what the targets answered, too, below each case that is printed.",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only the cases that did not pass and the summary line.",
)
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    help="The least severe verdict that makes the run fail; more severe ones do, too. With "
    "not-evaluated, each case must have something to grade by. Default: the gates of the suite, "
    f"or without gates {DEFAULT_FAIL_ON}.",
)
@click.option(
    "--gate",
    "gates",
    metavar="GATE",
    multiple=True,
    type=GateText(),
    help="An additional gate, such as 'pass_rate >= 90%'. Can be repeated. Suites of other "
    "tools have no gates of their own.",
)
@click.option(
    "--baseline",
    metavar="RESULTS",
    type=PathArgument(exists=True, dir_okay=False),
    help="The results of an earlier run that gates on a change, such as change(pass_rate) >= -2%, "
    "compare with.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Run, then rerun the cases that change whenever a suite changes, or a prompt, a "
    "script, a targets file or another file that it names. A suite with errors is not run"
    " until they are fixed. --budget-usd applies to all runs together. Ctrl-C ends it.",
)
def command(
    suites: tuple[str, ...],
    targets: tuple[str, ...],
    filters: tuple[str, ...],
    tags: tuple[str, ...],
    failed: bool,
    limit: int | None,
    keep_going: bool,
    dry_run: bool,
    resume: tuple[str, ...],
    replay: Path | None,
    repeats: int | None,
    cache: Literal["off", "read", "refresh"],
    budget_usd: float | None,
    max_errors: int,
    concurrency: int | None,
    workers: int | None,
    timeout: float | None,
    cluster: str | None,
    cluster_files: tuple[Path, ...],
    require_sandbox: str | None,
    sandbox: dict[str, Any],
    results: str | None,
    report: Path | None,
    no_results: bool,
    form: str,
    show: Literal["failures", "all", "none"] | None,
    answers: bool,
    quiet: bool,
    fail_on: str | None,
    gates: tuple[str, ...],
    baseline: Path | None,
    watch: bool,
) -> int:
    """Call the targets of suites and grade their answers.

    Of a FOLDER, all suites below it are run, as `suitecase check` finds them; without arguments,
    those of the working directory.

    A suite with errors is not run; the others are. If you select cases, or use --keep-going, the cases without
    errors are run, and the others are listed. Results are written as they arrive.

    If all cases of a suite with gates are run, its gates decide: 0 if all of them hold, 1 if one
    fails, 3 if one is undecided because answers are missing. --fail-on adds the verdicts of the cases.

    Exit codes without gates: 0 if all cases with something to grade by passed; 1 if some failed or are
    borderline; 2 if a suite or a selected case has errors or does not exist, or no case is
    selected; 3 if cases could not be graded, none was graded, the budget is used up or errors
    came in a row; 4 for a bug in suitecase. --fail-on says which verdicts count. With --repeat, a
    case passes if it passes each time.
    """
    require("`suitecase run`", RUNS)
    if cluster is not None:
        require("`--cluster`", CLUSTER, extra="cluster")
    elif cluster_files:
        raise click.UsageError("--cluster-file needs --cluster")
    for path in cluster_files:
        if not is_file(path) and not is_folder(path):
            raise click.UsageError(f"--cluster-file {path} is neither a file nor a folder")
    for one, other, both, *explained in (
        ("--output", "--no-results", results is not None and no_results),
        ("--resume", "--no-results", bool(resume) and no_results),
        ("--replay", "--resume", replay is not None and bool(resume)),
        ("--resume", "--resume RESULTS", NEWEST in resume and len(set(resume)) > 1),
        (f"--replay {replay}", f"--output {results}", is_same(replay, results)),
        ("--watch", "--dry-run", watch and dry_run),
        ("--watch", f"--report {report}", watch and report is not None),
        (
            "--workers",
            "--cluster",
            workers is not None and cluster is not None,
            "the workers of the cluster grade; start more of them with `dask worker`",
        ),
        (f"--show {show}", f"--format {form}", show is not None and form != "text"),
        ("--answers", f"--format {form}", answers and form != "text"),
        ("--watch", f"--format {form}", watch and form not in STREAMING_FORMATS),
    ):
        if both:
            reason = "".join(f": {it}" for it in explained)
            raise click.UsageError(f"{one} and {other} exclude each other{reason}")
    detail = Detail(show or "failures", answers, quiet)
    named = named_suites(suites)
    arguments = named.suites
    unread = [
        (it, problem)
        for it in arguments
        if not it.found
        and (problem := why_unread(it.path, is_dataset=it.path.name.endswith(DATASET))) is not None
    ]
    for argument, why in unread:
        reason = why_not_read(argument.path, why)
        echo(f"{argument.shown}: cannot be run: {reason}", err=True)
    if unread:
        return EXIT_USAGE
    requests: list[tuple[SuiteArgument, RunRequest]] = []
    try:
        targets = with_models(targets, asks=not dry_run and replay is None)
    except NoTargetError as error:
        echo(str(error), err=True)
        return EXIT_UNGRADED
    runs = list(with_targets(arguments, targets))
    several = len(runs) > 1
    if resume and results is not None and not several:
        raise click.UsageError("--resume and --output exclude each other")
    for place in (*((results,) if results is not None else ()), *resume):
        if place != NEWEST:
            require_inside(Path(place))
    unread_results = [
        results_file
        for results_file in resume
        if results_file != NEWEST and not is_file(Path(results_file))
    ]
    for name in unread_results:
        raise click.UsageError(_not_resumable(Path(name)))
    if baseline is not None and (unusable := why_no_results(absolute_path(baseline))) is not None:
        raise click.UsageError(f"--baseline {baseline}: {unusable}")
    for argument in runs:
        root = find_root(argument.path, working_directory())
        uses_default_folder = not (results or resume or no_results or dry_run)
        if (uses_default_folder or (results is None and failed) or NEWEST in resume) and leads_out(
            root / RESULTS_FOLDER, root
        ):
            raise click.UsageError(
                f"{RESULTS_FOLDER.as_posix()} leads out of the workspace through a link, so results "
                "are neither written nor looked for there; name a place with --output, or write "
                "none with --no-results"
            )
        place = place_of(results, root)
        request = RunRequest(
            suite_path=str(argument.path),
            workspace_root=str(root),
            cases=argument.cases or None,
            target=argument.target or next(iter(targets), None),
            results_path=None if no_results else place,
            filters=filters,
            tags=tags,
            failed_in=(str(root) if results is None else place) if failed else None,
            failed_target=argument.target,
            limit=limit,
            resume_from=resumed_from(argument, resume, root, several=several),
            resume_or_start=several,
            replay_from=None if replay is None else str(working_directory() / replay),
            dry_run=dry_run,
            repeats=repeats,
            cache=cache,
            budget_usd=budget_usd,
            max_errors=max_errors,
            concurrency=concurrency,
            workers=workers,
            timeout_seconds=timeout,
            cluster=cluster,
            cluster_files=tuple(str(absolute_path(cluster_file)) for cluster_file in cluster_files),
            keep_going=keep_going,
            require_sandbox=require_sandbox,
            gates=gates,
            baseline=None if baseline is None else str(absolute_path(baseline)),
            sandbox=sandbox,
        )
        requests.append((argument, request))
    if resume and NEWEST not in resume and all(it.resume_from is None for _, it in requests):
        files = ", ".join(resume)
        raise click.UsageError(
            f"{files}: no record of these suites and targets, so nothing to resume"
        )
    if several:
        used = {suite_request.resume_from for _, suite_request in requests}
        for name in resume:
            file = working_directory() / name
            if name != NEWEST and str(file) not in used and file.stat().st_size:
                raise click.UsageError(
                    f"--resume {name}: no record of these suites and targets, so nothing to resume in it"
                )
    if watch:
        from suitecase.cli.running.watch import Watch

        return asyncio.run(Watch(requests, form, detail, budget_usd, fail_on).run())
    collected = None if report is None else _collected(report, requests)
    output = RunOutput(form, detail, collected)
    try:
        for note in named.notes:
            output.note(note)
        given = click.get_current_context().meta[_GIVEN]
        invocation = Invocation(output, fail_on, ResumeCommand(given, budget_usd))
        for message in named.unsearched:
            invocation.unsearched(message)
        asyncio.run(invocation.run(requests))
        code = invocation.end()
        if output_is_closed():
            written = dict.fromkeys(run.results_path for run in invocation.runs if run.results_path)
            where = f"; its results are in {', '.join(shown_path(Path(path)) for path in written)}"
            echo(
                "standard output was closed before all was printed; the run went on"
                f"{where if written else ''}",
                err=True,
            )
        return code
    finally:
        # A second Ctrl-C comes through; the terminal is left as it was all the same.
        output.progress.close()


def _not_resumable(path: Path) -> str:
    """Return why a file is not resumed."""
    if is_there(path):
        return f"--resume {path}: it is not a file with results; run it without --resume"
    why = missing(path)
    if not why.startswith(MISSING):
        return f"--resume {path} cannot be read: {why}"
    why = why.removeprefix(MISSING)
    return f"--resume {path} does not exist; run it without --resume{why.replace(';', ', or', 1)}"


def _collected(report: Path, requests: Sequence[tuple[SuiteArgument, RunRequest]]) -> Collected:
    """Look at the place of a report, before anything is run.

    Raises:
        click.UsageError: it cannot be written, or has something else than a report.
    """
    inputs = [argument.path for argument, _ in requests]
    file = OutputFile.at(
        report,
        inputs=inputs,
        is_earlier=lambda start, _: _REPORT.match(start) is not None,
        earlier="a report of a run",
        option="--report",
    )
    return Collected(file)
