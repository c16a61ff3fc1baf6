"""`suitecase generate`."""

from __future__ import annotations

from typing import Any

import click

from suitecase.cli.options import PathText
from suitecase.cli.sandbox_option import SandboxCommand, sandbox_options
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.installation import RUNS, require


@click.group("generate")
def command() -> None:
    """Generate parts of a suite with a model, and insert them."""


@command.command(
    "rubrics",
    cls=SandboxCommand,
    short_help="Propose rubrics for the cases of a suite.",
)
@click.argument("suite", metavar="SUITE[::CASE...]", type=PathText())
@click.option(
    "--target",
    metavar="NAME",
    help="The target that proposes the rubrics. Default: the one that judges the case's answers.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Also propose new rubrics for cases that have some.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show which cases would cause how many calls of which target, without calling it.",
)
@click.option(
    "--diff", is_flag=True, help="Call the model and show the changes, without writing them."
)
@sandbox_options
def rubrics(
    suite: str,
    target: str | None,
    replace: bool,
    dry_run: bool,
    diff: bool,
    require_sandbox: str | None,
    sandbox: dict[str, Any],
) -> int:
    """Propose rubrics for the cases of a suite that have none, and insert them.

    A model reads the input and the `expected_outcome` of a case, and splits the latter into items
    that a judge can grade one by one. Comments, quoting, order and line endings of the suite stay.
    Review the proposals: it is your suite.

    Calling a model costs money: one call for each case, up to three if its reply cannot be used.
    --dry-run shows the calls.

    Exit codes: 0 if every case has rubrics; 1 if the proposals for some could not be used; 2 if
    the suite has errors or does not exist, or the target cannot propose; 3 if the model could not
    be called for some; 4 for a bug in suitecase.
    """
    require("`suitecase generate`", RUNS)
    from suitecase.cli.generate_rubrics import Generation

    if dry_run and diff:
        raise click.UsageError("--dry-run and --diff exclude each other")
    argument = SuiteArgument.parse(suite, writes=not (dry_run or diff))
    return Generation(
        argument,
        target,
        replace=replace,
        dry_run=dry_run,
        diff=diff,
        require_sandbox=require_sandbox,
        sandbox=sandbox,
    ).run()
