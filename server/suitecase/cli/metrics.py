"""`suitecase metrics`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.options import PathArgument, SingleValueCommand, or_working_directory
from suitecase.cli.output.terminal import echo
from suitecase.installation import FIGURES, require
from suitecase.text.encoders.terminal import Block, Line
from suitecase.text.garbage_collection import without_garbage_collection


@click.command("metrics", cls=SingleValueCommand)
@click.argument(
    "runs",
    metavar="[RUN...]",
    type=PathArgument(),
    nargs=-1,
    callback=or_working_directory,
)
@click.option(
    "--suite",
    metavar="SUITE",
    type=PathArgument(dir_okay=False),
    help="The suite, for its slices and metrics. Default: the one that the results name.",
)
@click.option(
    "--by",
    metavar="FACET",
    help="Show the slices of one facet only: its name in the suite, or `metadata.KEY`.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also show figures of rubrics and classes, and how often single evaluators pass.",
)
@click.option(
    "--rank-by",
    metavar="FIGURE",
    help="With several runs or targets: the figure that the leaderboards rank by, `pass_rate` if left out.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="For people (text, markdown) or for programs (json, csv).",
)
@without_garbage_collection()  # what is read stays until the end
def command(
    runs: tuple[Path, ...],
    suite: Path | None,
    by: str | None,
    everything: bool,
    rank_by: str | None,
    form: Literal["text", "json", "csv", "markdown"],
) -> int:
    """Show the figures of runs with their confidence intervals, by slice.

    RUN is a results file, or a folder, whose newest results are used. Default: the working
    directory. Several runs, or a run of several targets, are also ranked. Output files of
    `promptfoo eval -o out.json` (or `.jsonl`) are accepted, too.

    Exit codes: 0, or 2 if there are no results or an option is wrong.
    """
    require("`suitecase metrics`", FIGURES)
    from suitecase.cli.figures.run_metrics import measured_runs
    from suitecase.cli.output import metrics_data, metrics_markdown, metrics_text

    found = measured_runs(runs, suite, by=by, everything=everything, rank_by=rank_by)
    for note in found.notes:
        echo(note, err=True)
    lines: list[Line]
    match form:
        case "json":
            lines = [metrics_data.metrics_json(found)]
        case "csv":
            lines = [Block(metrics_data.metrics_csv(found).removesuffix("\n"))]
        case "markdown":
            lines = list(metrics_markdown.metrics_markdown(found))
        case _:
            lines = list(metrics_text.metrics_text(found))
    for line in lines:
        echo(line)
    return EXIT_OK
