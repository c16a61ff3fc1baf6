"""`suitecase report`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.first_steps import no_results
from suitecase.cli.options import PathArgument, SingleValueCommand
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.installation import PAGES, require
from suitecase.text.garbage_collection import without_garbage_collection


@click.command("report", cls=SingleValueCommand)
@click.argument("run", metavar="[RUN]", type=PathArgument(), default=Path())
@click.argument("others", metavar="[OTHER...]", type=PathArgument(), nargs=-1)
@click.option(
    "--output",
    metavar="FILE.html",
    type=PathArgument(dir_okay=False),
    help="The file to write. Default: beside the results file, with its name.",
)
@without_garbage_collection()  # what is read stays until the end
def command(run: Path, others: tuple[Path, ...], output: Path | None) -> int:
    """Write a page about a run: one HTML file that needs no server and no network.

    It has the figures of the run with their intervals, its slices, and the gates that its suite has
    now, if the suite is still there.

    RUN is a results file, or a folder, whose newest results are used. Default: the working
    directory. If OTHER runs are given, the page ranks all of them. Output files of
    `promptfoo eval -o out.json` (or `.jsonl`) are accepted, too.

    Exit codes: 0, or 2 if there are no results or the page cannot be written.
    """
    require("`suitecase report`", PAGES)
    from suitecase.cli.figures.report_figures import report_figures
    from suitecase.cli.figures.run_tables import say_taken
    from suitecase.cli.page_file import size_text, write_file
    from suitecase.report.results_file import NotResultsError, read_run
    from suitecase.report.run_page import run_page
    from suitecase.report.trend import trend_beside
    from suitecase.run.record_redaction import without_secrets_here
    from suitecase.text.plural import counted

    try:
        results = read_run(run, without_secrets_here(run))
    except NotResultsError as error:
        raise no_results(error) from error
    say_taken(run, results)
    for note in results.notes:
        echo(f"{shown_path(results.path)}: {note}", err=True)
    measured = report_figures(results, others)
    for note in measured.notes:
        echo(f"{shown_path(results.path)}: {note}", err=True)
    results = replace(results, notes=(*results.notes, *measured.notes))
    path = output or results.path.with_suffix(".html")
    size = write_file(
        path,
        run_page(
            results, measured.by_suite, measured.leaderboards, trend=trend_beside(results.path)
        ),
        inputs=[results.path, *others],
    )
    answers = counted(len(results.answers), "answer")
    echo(f"Report: {shown_path(path)} ({answers}, {size_text(size)})")
    if results.remark:
        echo(results.remark)
    return EXIT_OK
