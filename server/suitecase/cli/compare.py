"""`suitecase compare`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from suitecase.cli import EXIT_FINDINGS, EXIT_OK, EXIT_UNGRADED
from suitecase.cli.first_steps import no_results
from suitecase.cli.options import FiniteNumber, PathArgument, SingleValueCommand
from suitecase.cli.output.terminal import echo, write_document
from suitecase.cli.shown_paths import shown_path
from suitecase.installation import FIGURES, require
from suitecase.text.encoders.terminal import encoded_line
from suitecase.text.garbage_collection import without_garbage_collection

if TYPE_CHECKING:
    from suitecase.format.figure_keys import Slice
    from suitecase.report.comparison import Comparison
    from suitecase.report.pair_tests import PairTests
    from suitecase.report.results_file import Run

#: Differences of scores up to this count as unchanged.
UNCHANGED_UP_TO = 0.05
Form = Literal["text", "json", "html"]
#: Formats by file extension.
_FORMS: dict[str, Form] = {".json": "json", ".html": "html", ".htm": "html"}


@click.command("compare", cls=SingleValueCommand)
@click.argument("run_a", metavar="[RUN_A", type=PathArgument(), default=Path())
@click.argument("run_b", metavar="[RUN_B]]", type=PathArgument(), required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html"]),
    help="For people (text), for programs (json), or a page like that of `report` (html). "
    "Default: by the extension of --output, else text.",
)
@click.option(
    "--output",
    metavar="FILE",
    type=PathArgument(dir_okay=False),
    help="The file to write. Default: standard output.",
)
@click.option(
    "--threshold",
    type=FiniteNumber(0, 1),
    default=UNCHANGED_UP_TO,
    show_default=True,
    help="Differences of scores up to this count as unchanged.",
)
@click.option(
    "--difference",
    type=FiniteNumber(0.0001, 1),
    default=0.05,
    show_default=True,
    help="Say how many cases it takes to see a difference as large as this.",
)
@without_garbage_collection()  # what is read stays until the end
def command(
    run_a: Path,
    run_b: Path | None,
    form: Form | None,
    output: Path | None,
    threshold: float,
    difference: float,
) -> int:
    """Show what changed from RUN_A to RUN_B: results files, or folders, whose newest one is used.

    Without RUN_B, RUN_A is compared with the newest run of its suite; without both, the two newest runs of
    a suite are compared. Output files of `promptfoo eval -o out.json` (or `.jsonl`) are accepted, too.

    Differences of pass rates and scores have intervals and are tested, for all cases, for each
    evaluator, and for each slice. Only cases with the same text in both runs count.

    Exit codes: 0 if no verdict got worse, 1 if some did, 2 if there are no results, 3 if cases
    that were graded in RUN_A could not be graded in RUN_B.
    """
    require("`suitecase compare`", FIGURES)
    from suitecase.cli.output.comparison_text import comparison_text
    from suitecase.report.compared_files import compared_files
    from suitecase.report.results_file import NotResultsError, read_run
    from suitecase.run.record_redaction import without_secrets_here

    try:
        files = compared_files(run_a, run_b)
        shown = without_secrets_here(*files)
        before, after = (read_run(file, shown) for file in files)
    except NotResultsError as error:
        raise no_results(error) from error
    for run in (before, after):
        for note in run.notes:
            echo(f"{shown_path(run.path)}: {note}", err=True)
    comparison, tests = compared_runs(before, after, threshold)
    form = form or _FORMS.get(output.suffix.lower() if output else "", "text")
    if output is None and form == "text":
        for line in comparison_text(before, after, comparison, tests, wished=difference):
            echo(line)
        return _exit_code(comparison)
    pieces = _rendered(form, before, after, comparison, tests, wished=difference)
    if output is not None:
        from suitecase.cli.page_file import size_text, write_file

        size = write_file(
            output, pieces, inputs=[before.path, after.path], suffixes=(*_FORMS, ".txt")
        )
        echo(f"Comparison: {shown_path(output)} ({size_text(size)})")
    else:
        write_document(b"".join(pieces).decode())
    return _exit_code(comparison)


def _exit_code(comparison: Comparison) -> int:
    from suitecase.report.comparison import Change

    if comparison.got_worse:
        return EXIT_FINDINGS
    return EXIT_UNGRADED if comparison.counts[Change.NO_LONGER_GRADED] else EXIT_OK


def compared_runs(
    before: Run, after: Run, threshold: float = UNCHANGED_UP_TO
) -> tuple[Comparison, PairTests]:
    """Return what changed between two runs, and whether that may be chance."""
    from suitecase.report.comparison import compare
    from suitecase.report.pair_tests import pair_tests_of
    from suitecase.report.pairs import pairs_of

    comparison = compare(before.answers, after.answers, threshold)
    pairs = [(figure.targets, pairs_of(figure)) for figure in comparison.figures]
    return comparison, pair_tests_of(pairs, _slices(after, comparison))


def _slices(run: Run, comparison: Comparison) -> dict[str, Slice]:
    """Return the slices that the suite of a run declares now; none for a run of several suites."""
    from suitecase.cli.figures.suite_of_run import declared_slices

    suites = {case.after.suite for case in comparison.cases if case.after is not None}
    return declared_slices(run.path, suites.pop()) if len(suites) == 1 else {}


def _rendered(
    form: Form,
    before: Run,
    after: Run,
    comparison: Comparison,
    tests: PairTests,
    *,
    wished: float,
) -> Iterator[bytes]:
    match form:
        case "html":
            from suitecase.report.comparison_page import comparison_page

            yield from comparison_page(before, after, comparison, tests, wished)
        case "json":
            from suitecase.report.comparison_json import comparison_json

            yield comparison_json(before, after, comparison, tests, wished).encode()
        case _:
            from suitecase.cli.output.comparison_text import comparison_text

            for line in comparison_text(before, after, comparison, tests, wished=wished):
                yield f"{encoded_line(line)}\n".encode()
