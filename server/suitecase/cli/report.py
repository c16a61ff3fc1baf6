"""`suitecase report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.options import SingleValueCommand
from suitecase.cli.shown_paths import shown_path
from suitecase.syntax.garbage_collection import without_garbage_collection

if TYPE_CHECKING:
    from suitecase.figures.figures_file import RunFigures
    from suitecase.report.results_file import Run


@click.command("report", cls=SingleValueCommand)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--output",
    metavar="FILE.html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write. Default: beside the results file, with its name.",
)
@without_garbage_collection()  # what is read stays until the end
def command(run: Path, output: Path | None) -> int:
    """Write a page about a run: one HTML file that needs no server and no network.

    It has the figures of the run with their intervals, its slices, and the gates that its suite has
    now, if the suite is still there.

    RUN is a results file, or a folder, whose newest results file is used.

    Exit codes: 0, or 2 if there are no results or the page cannot be written.
    """
    from suitecase.cli.page_file import size_text, write_file
    from suitecase.report.results_file import NotResultsError, read_run
    from suitecase.report.run_page import run_page
    from suitecase.suite.counted import counted

    try:
        results = read_run(run)
    except NotResultsError as error:
        raise click.UsageError(error.message) from error
    for note in results.notes:
        click.echo(f"{shown_path(results.path)}: {note}", err=True)
    path = output or results.path.with_suffix(".html")
    size = write_file(path, run_page(results, _figures(results)), inputs=[results.path])
    answers = counted(len(results.answers), "answer")
    click.echo(f"Report: {shown_path(path)} ({answers}, {size_text(size)})")
    if results.remark:
        click.echo(results.remark)
    return EXIT_OK


def _figures(run: Run) -> list[RunFigures]:
    """Measure the answers to each suite of a run; nothing if a score of another tool is unusable."""
    from suitecase.cli.figures.run_tables import asked_today
    from suitecase.figures.answer_values import UnusableScoreError
    from suitecase.figures.figures_file import RunFigures
    from suitecase.figures.run_figures import figures_of, run_figures
    from suitecase.figures.table import Tables

    by_suite: dict[str, Tables] = {}
    try:
        for answer in run.answers:
            by_suite.setdefault(answer.suite, Tables()).add(answer)
    except UnusableScoreError:
        return []
    found: list[RunFigures] = []
    for suite, tables in by_suite.items():
        asked = asked_today(run.path, suite)
        if asked is not None:
            found.append(run_figures(tables, asked, run.path.name))
        else:
            figures = [it for table in tables.by_target.values() for it in figures_of(table, None)]
            found.append(RunFigures(run.path.name, suite, tuple(figures)))
    return found
