"""`suitecase gate`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli.options import PathArgument, SingleValueCommand
from suitecase.cli.output.terminal import echo
from suitecase.installation import FIGURES, require
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.garbage_collection import without_garbage_collection


@click.command("gate", cls=SingleValueCommand)
@click.argument("run", metavar="[RUN]", type=PathArgument(), default=Path())
@click.option(
    "--suite",
    metavar="SUITE",
    type=PathArgument(dir_okay=False),
    help="The suite with the gates. Default: the one that the results name.",
)
@click.option(
    "--baseline",
    metavar="RUN",
    type=PathArgument(),
    help="The results of an earlier run, for gates with `change`.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="For people (text), for programs (json), or for the summary of a CI job (markdown).",
)
@without_garbage_collection()  # what is read stays until the end
def command(
    run: Path,
    suite: Path | None,
    baseline: Path | None,
    form: Literal["text", "json", "markdown"],
) -> int:
    """Decide whether a run meets the gates of its suite.

    RUN is a results file, or a folder, whose newest results are used. Default: the working
    directory. The gates are those that the suite has now.

    Exit codes: 0 if all gates hold, 1 if one fails, 2 if there are no gates or no results, 3 if one
    is undecided because answers are missing. Gates with the level `warning` change nothing.
    """
    require("`suitecase gate`", FIGURES)
    from suitecase.cli.figures.run_tables import (
        asked_for,
        notes_about,
        read_tables,
        run_text,
        tables_of,
    )
    from suitecase.cli.output import gates_json, gates_markdown, gates_text
    from suitecase.cli.shown_paths import shown_path
    from suitecase.figures.deciding import decide, of_unfinished_run
    from suitecase.figures.decision import exit_code_of

    results = read_tables(run)
    asked, path = asked_for(results, suite)
    if not asked.gates:
        raise click.UsageError(f"{shown_path(path)} has no gates")
    tables = tables_of(results, asked)
    earlier = read_tables(baseline) if baseline is not None else None
    before = tables_of(earlier, asked) if earlier is not None else None
    for read in (results, earlier):
        for note in read.notes if read is not None else ():
            echo(f"{read.shown if read else ''}: {note}", err=True)
    answerers = results.answerers_of(tables)
    remark = answerers.remark()
    notes = [*([] if remark is None else [remark]), *notes_about(tables, asked)]
    decisions = decide(tables, asked, before)
    if tables.unfinished:
        decisions = [of_unfinished_run(decision) for decision in decisions]
    code = exit_code_of(decisions)
    taken = run_text(results)
    rows: list[Line]
    match form:
        case "json":
            rows = [
                gates_json.gates_json(
                    results.path,
                    asked,
                    decisions,
                    notes,
                    targets=tables.answered_by,
                    run_id=tables.run_id,
                    no_model=answerers.no_model,
                )
            ]
        case "markdown":
            rows = list(
                gates_markdown.gates_markdown(
                    decisions, [f"Run: {taken}", *notes], no_model=answerers.no_model
                )
            )
        case _:
            echo(f"Run: {visible(taken)}")
            rows = list(gates_text.gates_text(decisions, notes, no_model=answerers.no_model))
    for row in rows:
        echo(row)
    return code
