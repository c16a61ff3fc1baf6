"""`suitecase lock`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli import EXIT_FINDINGS, EXIT_OK
from suitecase.cli.only_suite import or_only_suite
from suitecase.cli.options import PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.terminal import echo


@click.command("lock", cls=SingleValueCommand)
@click.argument(
    "suite",
    metavar="[SUITE]",
    type=PathArgument(),
    required=False,
    callback=or_only_suite,
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the suite differs.")
@text_or_json
def command(suite: Path, check: bool, form: Literal["text", "json"]) -> int:
    """Lock the version of a suite: write what it consists of to a lock file beside it.

    The lock file has digests of each case, of the evaluators, prompts, scripts and other files, and
    of the judges with their calibrations. As long as `version` stays the same, `suitecase check`
    reports what differs from it. To change a locked suite, raise `version` and lock again. Cases
    that are removed need an entry under `governance.deprecated`.

    SUITE is a suite, or a data set or its sidecar. Default: the only one in the working directory.

    Exit codes: 0 if the lock is written, or with --check, if it is current; 1 if the suite has
    errors, or differs from its lock under the same version; 2 if the suite or its
    `version` is missing, if the lock file cannot be read, or with --check, if it does not exist.
    """
    from suitecase.cli.output.lock import lock_json, lock_text
    from suitecase.cli.releases.locking import lock_suite

    outcome = lock_suite(suite, check=check)
    if form == "json":
        echo(lock_json(outcome))
    else:
        for line in lock_text(outcome):
            echo(line)
    return EXIT_FINDINGS if outcome.differences or (check and not outcome.is_current) else EXIT_OK
