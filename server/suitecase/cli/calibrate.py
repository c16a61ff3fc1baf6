"""`suitecase calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from suitecase.cli.only_suite import or_only_suite
from suitecase.cli.options import FiniteNumber, PathArgument, text_or_json
from suitecase.cli.sandbox_option import SandboxCommand, sandbox_options
from suitecase.installation import RUNS, require
from suitecase.run.failures import DEFAULT_MAX_ERRORS
from suitecase.text.working_directory import working_directory


@click.command("calibrate", cls=SandboxCommand)
@click.argument(
    "suite",
    metavar="[SUITE]",
    type=PathArgument(),
    required=False,
    callback=or_only_suite,
)
@click.option(
    "--judge",
    "judges",
    metavar="NAME",
    multiple=True,
    help="Calibrate this judge. Can be repeated. Default: each one with a `calibration` under `judges`.",
)
@click.option(
    "--run",
    "results",
    metavar="RESULTS",
    multiple=True,
    type=PathArgument(exists=True, dir_okay=False),
    help="A results file with the labeled answers. Can be repeated. Default: the suite's results in "
    "the workspace, beside the suite and beside its label files.",
)
@click.option("--no-probes", is_flag=True, help="Do not try the bias probes.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show how many questions would be asked, and what is known of their cost. Nothing is asked.",
)
@click.option(
    "--budget-usd",
    metavar="X",
    type=FiniteNumber(min=0),
    help="Stop once the judge has cost X US dollars; then nothing is written. Refused if a model has no "
    "known price.",
)
@click.option(
    "--cache",
    type=click.Choice(["off", "read", "refresh"]),
    default="refresh",
    show_default=True,
    help="Ask each question and keep the replies (refresh), reuse replies that are kept (read), such as "
    "those of a calibration that was interrupted, or neither (off).",
)
@click.option(
    "--max-errors",
    metavar="N",
    type=click.IntRange(min=0),
    default=DEFAULT_MAX_ERRORS,
    show_default=True,
    help="Stop after the judge has failed N times in a row. 0 means no limit.",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    help="The number of concurrent calls of each target, in place of its `workers`.",
)
@sandbox_options
@text_or_json
def command(
    suite: Path,
    judges: tuple[str, ...],
    results: tuple[Path, ...],
    no_probes: bool,
    dry_run: bool,
    budget_usd: float | None,
    cache: Literal["off", "read", "refresh"],
    max_errors: int,
    concurrency: int | None,
    require_sandbox: str | None,
    sandbox: dict[str, Any],
    form: Literal["text", "json"],
) -> int:
    """Compare a judge with people: ask it about the answers that people have labeled.

    The judge is asked as a run asks it, and again with bias probes: changes of the answer, or of how
    it is presented, that should not change the verdict. What people and the judge say about each
    answer is written to the file that the suite names under `judges.NAME.calibration`. Figures such
    as `judges.NAME.kappa` and `corrected(...)` are computed from it.

    The labels are those under `human.NAME`. Nothing is written unless all labeled answers that are
    found could be judged.

    Without SUITE, the judges of the only suite in the working directory are calibrated.

    Exit codes: 0 if the calibration is written; 1 if a gate on the judge fails; 2 if there is nothing
    to calibrate, or the suite has errors; 3 if a gate on the judge is undecided, if answers could
    not be judged, or if the budget is used up; 4 for a bug in suitecase.
    """
    require("`suitecase calibrate`", RUNS)
    from suitecase.cli.calibrating.invocation import Invocation
    from suitecase.cli.suite_argument import SuiteArgument
    from suitecase.format.workspace import find_root
    from suitecase.run.protocol import RunRequest

    argument = SuiteArgument.parse(str(suite), writes=not dry_run)
    if argument.cases:
        raise click.UsageError(
            "a judge is calibrated with all labeled answers; name the suite alone"
        )
    root = find_root(argument.path, working_directory())
    request = RunRequest(
        suite_path=str(argument.path),
        workspace_root=str(root),
        dry_run=dry_run,
        cache=cache,
        budget_usd=budget_usd,
        max_errors=max_errors,
        concurrency=concurrency,
        require_sandbox=require_sandbox,
        sandbox=sandbox,
    )
    return Invocation(
        argument=argument,
        request=request,
        judges=judges,
        results=tuple(working_directory() / result for result in results),
        probes=not no_probes,
        form=form,
    ).run()
