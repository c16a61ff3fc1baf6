"""`suitecase labels`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli.options import PathArgument, SingleValueCommand


@click.command("labels", cls=SingleValueCommand)
@click.argument("run", metavar="[RUN]", type=PathArgument(), default=Path())
@click.option(
    "--suite",
    metavar="SUITE",
    type=PathArgument(dir_okay=False),
    help="The suite with the rubrics. Default: the one that the results name.",
)
@click.option(
    "--rater",
    "raters",
    metavar="NAME",
    multiple=True,
    help="Who gets a sheet; can be repeated. Default: as many as `human.NAME.raters`, called rater-1 "
    "and so on; with --disagreements, the `adjudicators` of the suite.",
)
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=1),
    help="Draw N answers at random. Default: all.",
)
@click.option(
    "--seed",
    metavar="S",
    type=click.IntRange(min=0),
    help="The seed of the draw and of the order of the answers. Default: `intervals.seed`.",
)
@click.option(
    "--disagreements",
    is_flag=True,
    help="Only items on which raters differ and that nobody has adjudicated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "label-studio", "argilla"]),
    default="csv",
    show_default=True,
    help="For spreadsheets (csv), or tasks for Label Studio or Argilla.",
)
@click.option(
    "--output",
    metavar="FOLDER",
    type=PathArgument(file_okay=False),
    help="Where the sheets are written. Default: `labels` beside the suite.",
)
def command(
    run: Path,
    suite: Path | None,
    raters: tuple[str, ...],
    sample: int | None,
    seed: int | None,
    disagreements: bool,
    form: Literal["csv", "label-studio", "argilla"],
    output: Path | None,
) -> int:
    """Write sheets in which people label the answers of a run.

    RUN is a results file, or a folder, whose newest results are used. Default: the working
    directory. There is a sheet for each evaluator under `human` in the suite and for each rater,
    with the answers in another order. It does not show how an answer was graded, nor which target
    gave it. The same seed makes the same sheets.

    Files are never overwritten.

    Exit codes: 0 if the sheets are written, 2 if they are not.
    """
    from suitecase.cli.label_sheets import LabelSheets
    from suitecase.format.protocols import person_name

    raters = tuple(map(person_name, raters))
    return LabelSheets(run, suite, raters, sample, seed, disagreements, form, output).write()
