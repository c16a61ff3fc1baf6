"""`suitecase agreement`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli.only_suite import or_only_suite
from suitecase.cli.options import PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.terminal import echo
from suitecase.installation import FIGURES, require


@click.command("agreement", cls=SingleValueCommand)
@click.argument(
    "suite",
    metavar="[SUITE]",
    type=PathArgument(dir_okay=False),
    required=False,
    callback=or_only_suite,
)
@click.option(
    "--results",
    metavar="RUN",
    type=PathArgument(),
    help="A results file, or a folder with some: report labels of answers that it does not have.",
)
@text_or_json
def command(suite: Path, results: Path | None, form: Literal["text", "json"]) -> int:
    """Measure how far people agree on the answers that they label.

    SUITE is a suite, or a data set, with label files under `human`. Default: the only one in the
    working directory. For each evaluator there, this
    shows Krippendorff's alpha, kappa and the share of equal labels with their intervals, by item and
    by pair of raters, and the answers on which raters differ and that nothing settles.

    Exit codes: 0 if all gates on `human` hold, 1 if one fails, 2 if there is nothing to measure, 3 if
    one is undecided. Gates with the level `warning` change nothing.
    """
    require("`suitecase agreement`", FIGURES)
    from suitecase.cli.figures.agreement import measured_agreement
    from suitecase.cli.output.agreement_json import agreement_json
    from suitecase.cli.output.agreement_text import agreement_text
    from suitecase.cli.output.printing import Printer

    found = measured_agreement(suite, results)
    if form == "json":
        echo(agreement_json(found))
    else:
        printer = Printer(styled=True)
        for line in agreement_text(found):
            printer.print(line)
    return found.exit_code
