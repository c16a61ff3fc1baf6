"""`suitecase generate`."""

from __future__ import annotations

from typing import Any

import click

from suitecase.cli.sandbox_option import SandboxCommand, sandbox_options
from suitecase.cli.suite_argument import SuiteArgument


@click.group("generate")
def command() -> None:
    """Let a model propose parts of a suite, and write them where they belong."""


@command.command(
    "rubrics",
    cls=SandboxCommand,
    short_help="Propose rubrics for the cases of a suite.",
)
@click.argument("suite", metavar="SUITE[::CASE...]")
@click.option(
    "--target",
    metavar="NAME",
    help="Ask this target. Default: the one that judges the case's answers.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Propose new rubrics for cases that have some too. Without it these are left as they are.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say for which cases whom would be asked, and how often; ask nothing.",
)
@click.option("--diff", is_flag=True, help="Ask, show what would be written, and write nothing.")
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
    """Propose rubrics for the cases of a suite that have none, and write them there.

    A model reads what a case asks and expects, and takes its `expected_outcome` apart into items
    that a judge can grade one by one. Comments, quoting, order and line endings of the suite stay.
    Read what it proposes: it is your suite.

    Asking a model costs money: one question for each case, up to three where its reply cannot be
    used. --dry-run says so beforehand.

    Ends with 0 where every case has rubrics; 1 where what was proposed for some could not be used;
    2 where the suite has errors or is not there, or the target cannot propose; 3 where some could
    not be asked about; 4 for a bug of suitecase.
    """
    from suitecase.cli.generate_rubrics import Generation

    if dry_run and diff:
        raise click.UsageError("--dry-run and --diff exclude each other")
    argument = SuiteArgument.parse(suite)
    return Generation(
        argument,
        target,
        replace=replace,
        dry_run=dry_run,
        diff=diff,
        require_sandbox=require_sandbox,
        sandbox=sandbox,
    ).run()
