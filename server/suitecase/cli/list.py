"""`suitecase list`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from suitecase.cli import EXIT_OK, EXIT_USAGE
from suitecase.cli.first_steps import before_results
from suitecase.cli.options import PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path

if TYPE_CHECKING:
    from suitecase.report.history import History

#: How many runs are listed for people if they do not say.
SHOWN = 20


@click.command("list", cls=SingleValueCommand)
@click.argument(
    "folder",
    metavar="[FOLDER]",
    type=PathArgument(exists=True, file_okay=False),
    default=Path(),
)
@click.option(
    "--suite",
    metavar="TEXT",
    help="List only runs of suites whose path or name contains this.",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    help=f"List at most N runs.  [default: {SHOWN}; all with --format json]",
)
@text_or_json
def command(
    folder: Path, suite: str | None, limit: int | None, form: Literal["text", "json"]
) -> int:
    """List the past runs of a workspace, the newest first.

    FOLDER is the workspace, a folder of it, or a folder of results files. Default: the working
    directory.

    A run is a results file. One that a run is writing is marked as running, and one with fewer
    answers than its run was to have as unfinished.

    Exit codes: 0, or 2 if there is no such folder, one that may have runs cannot be read, or an option
    is wrong.
    """
    from suitecase.cli.output.history_json import history_json
    from suitecase.cli.output.history_text import history_text
    from suitecase.cli.output.printing import Printer
    from suitecase.report.history import find_past_runs

    found = find_past_runs(folder, _progress).history()
    _clear_progress()
    runs = found.runs
    if suite is not None:
        runs = tuple(run for run in runs if run.is_of(suite))
        if found.runs and not runs:
            raise click.UsageError(_no_such_suite(suite, found))
    printer = Printer(styled=form == "text")
    if form == "json":
        printer.print(history_json(found, runs[:limit]))
    else:
        next_step = "" if runs else before_results(folder)
        for line in history_text(found, runs, limit or SHOWN, next_step):
            printer.print(line)
    for unread in found.unread:
        echo(f"{shown_path(unread.path)}: {unread.why}", err=True)
    return EXIT_USAGE if found.unread else EXIT_OK


def _no_such_suite(suite: str, found: History) -> str:
    names = dict.fromkeys(name for run in found.runs for name in run.suites or run.datasets)
    listed = ", ".join(list(names)[:5]) + (", ..." if len(names) > 5 else "")
    return (
        f"{shown_path(found.folder)} has no run of a suite whose path or name contains {suite!r}; "
        f"its runs are of {listed}"
    )


def _progress(done: int, of: int) -> None:
    """Say what takes so long where somebody waits for it."""
    if of > 1 and sys.stderr.isatty():
        echo(f"\rReading results: {done:,} of {of:,} files", nl=False, err=True)


def _clear_progress() -> None:
    if sys.stderr.isatty():
        echo("\r\x1b[K", nl=False, err=True)
