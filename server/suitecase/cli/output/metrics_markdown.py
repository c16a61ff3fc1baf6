"""The figures of runs as Markdown, for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.figures.run_metrics import MeasuredRuns, TargetFigures
from suitecase.cli.output.metrics_text import (
    FROM_FILES,
    cases_of,
    cell_text,
    file_figure_basis,
    gap_text,
    headline,
    ranks_text,
    remarks,
)
from suitecase.figures.leaderboard import Leaderboard
from suitecase.text.encoders.markdown import escaped


def metrics_markdown(found: MeasuredRuns) -> Iterator[str]:
    """Yield a table for each target, and the leaderboards."""
    for target in found.targets:
        yield from _target(target)
    for board in found.leaderboards:
        yield from _board(board)


def _target(found: TargetFigures) -> Iterator[str]:
    yield f"### {escaped(headline(found))}"
    yield ""
    for line in remarks(found):
        yield f"> {escaped(line)}"
        yield ">"
    yield ""
    slices: list[str | None] = [None, *found.slices]
    heads = " | ".join("all" if it is None else escaped(it) for it in slices)
    yield f"| | {heads} |"
    yield f"| --- |{' ---: |' * len(slices)}"
    yield f"| cases | {' | '.join(cases_of(found, it) for it in slices)} |"
    for name in dict.fromkeys(
        of_answer.figure for of_answer in found.of_answers if not of_answer.values
    ):
        cells = " | ".join(escaped(cell_text(found.figure(name, it))) for it in slices)
        yield f"| {escaped(name)} | {cells} |"
    yield ""
    for of_answer in found.of_answers:
        if of_answer.values:
            yield f"- {escaped(gap_text(of_answer))}"
    yield ""
    if found.of_files:
        yield FROM_FILES
        yield ""
        yield "| | | |"
        yield "| --- | ---: | --- |"
        for of_file in found.of_files:
            row = (of_file.figure, cell_text(of_file), file_figure_basis(of_file))
            yield f"| {' | '.join(map(escaped, row))} |"
        yield ""


def _board(board: Leaderboard) -> Iterator[str]:
    of = "all cases" if board.slice is None else board.slice
    yield f"### Leaderboard: {escaped(of)}"
    yield ""
    yield f"| rank | run | target | {escaped(board.figure)} | cases |"
    yield "| ---: | --- | --- | ---: | ---: |"
    for entry in board.entries:
        cases = 0 if entry.figure is None else entry.figure.cases
        yield (
            f"| {entry.rank} | {escaped(entry.run)} | {escaped(entry.target)} | "
            f"{escaped(cell_text(entry.figure))} | {cases:,} |"
        )
    yield ""
    yield escaped(ranks_text(board))
    yield ""
