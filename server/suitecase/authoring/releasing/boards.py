"""The leaderboard of a bundle: targets and runs in order, in each slice, as a page and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.authoring.releasing.contents import Contents
from suitecase.figures.leaderboard import Leaderboard
from suitecase.report.page import Frame, render_without_cases
from suitecase.report.run_sections import FigureRow, figure_row, scale_of

_COLUMNS = (
    *("slice", "best_rank", "worst_rank", "results", "target", "figure", "estimate"),
    *("low", "high", "confidence", "cases", "missing"),
)
#: The name of all cases among slices.
_ALL = "all cases"


def leaderboard_page(
    contents: Contents, boards: Sequence[Leaderboard], frame: Frame
) -> Iterator[bytes]:
    """Yield the page of the leaderboards, piece by piece."""
    rows: list[tuple[str, str, str, FigureRow]] = [
        (
            board.slice or _ALL,
            it.rank,
            it.run,
            figure_row(it.figure, it.target),
        )
        for board in boards
        for it in board.entries
        if it.figure is not None
    ]
    yield from render_without_cases(
        "leaderboard.html",
        frame=frame,
        title=contents.release.name,
        figure=boards[0].figure if boards else "",
        runs=len({it[2] for it in rows}) > 1,
        rows=rows,
        scale=scale_of(row for *_, row in rows),
    )


def leaderboard_rows(boards: Sequence[Leaderboard]) -> Iterator[Sequence[object]]:
    """Yield the rows of the leaderboards as a table, with a heading."""
    yield _COLUMNS
    for board in boards:
        for it in board.entries:
            figure = it.figure
            if figure is not None:
                names = [board.slice or "", it.best_rank, it.worst_rank, it.run, it.target]
                numbers = [figure.estimate, figure.low, figure.high, figure.confidence]
                yield [*names, board.figure, *numbers, figure.cases, figure.missing]
