"""The HTML page of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from suitecase.figures.figures_file import RunFigures
from suitecase.report import words
from suitecase.report.failures import failures_of
from suitecase.report.groups import VERDICT_ORDER, Group, grouped, mean, total
from suitecase.report.page import Column, Frame, filled_columns, render
from suitecase.report.results_file import Run
from suitecase.report.run_sections import RankedFigures, board_of, sections_of
from suitecase.report.summary import BINS, summarize

#: The number of rubrics shown; the others are collapsed.
MOST_RUBRICS = 8

_COLUMNS: tuple[Column, ...] = (
    ("verdict", "Verdict", "kind"),
    ("score", "Score", "score"),
    ("case", "Case", "text"),
    ("target", "Target", "text"),
    ("suite", "Suite", "text"),
    ("time", "Time", "ms"),
    ("cost", "Cost", "usd"),
)


def run_page(
    run: Run,
    measured: Sequence[RunFigures] = (),
    leaderboards: Sequence[RankedFigures] = (),
    frame: Frame | None = None,
) -> Iterator[bytes]:
    """Yield the HTML page of a run, piece by piece.

    Args:
        run: the run.
        measured: the figures of its answers to each suite.
        leaderboards: its targets, and other runs, in order.
        frame: what the page has around its content if it is part of a bundle.
    """
    summary = summarize(run)
    groups = grouped(run.answers)
    answers = [it for group in groups for it in group.answers]
    yield from render(
        "report.html",
        notes=[*([run.remark] if run.remark else ()), *run.notes],
        index=index_of(groups),
        answers=answers,
        frame=frame,
        title=(frame.title if frame else words.listed(summary.datasets)) or run.path.stem,
        file=run.path.name,
        summary=summary,
        words=words.VERDICTS,
        most_rubrics=MOST_RUBRICS,
        bins=[
            [(it.value, counts[it]) for it in VERDICT_ORDER if counts[it]]
            for counts in summary.distribution
        ],
        ticks=[(it / 5, f"{it / 5:.1f}") for it in range(6)],
        measured=[sections_of(it, several_suites=len(measured) > 1) for it in measured],
        leaderboards=[board_of(it) for it in leaderboards],
        failures=failures_of(groups),
        chart_label=_chart_label([sum(it.values()) for it in summary.distribution]),
    )


def index_of(groups: Sequence[Group]) -> dict[str, Any]:
    """Return the table of cases for `page.js`; its answers are those of the groups in order."""
    cells = [
        [
            None,
            group.score,
            group.first.eval_id,
            group.first.target,
            group.first.suite,
            mean(verdict.duration_ms for verdict in group.answers),
            total(verdict.answer_usd for verdict in group.answers),
        ]
        for group in groups
    ]
    columns, cells = filled_columns(_COLUMNS, cells, frozenset({"verdict", "score", "case"}))
    rows = []
    ids: dict[str, int] = {}
    place = 0
    for group, values in zip(groups, cells, strict=True):
        case = group.first.eval_id
        # Links refer to a case by id; if several rows have the same id, the later ones get a number.
        ids[case] = ids.get(case, 0) + 1
        rows.append(
            {
                "id": case if ids[case] == 1 else f"{case}#{ids[case]}",
                "kinds": [
                    (verdict.value, group.verdicts[verdict])
                    for verdict in VERDICT_ORDER
                    if group.verdicts[verdict]
                ],
                "rank": VERDICT_ORDER.index(group.verdict),
                "cells": values,
                "sides": [("", [*range(place, place + len(group.answers))])],
            }
        )
        place += len(group.answers)
    return {
        "kindName": "verdict",
        "kinds": [
            {"key": verdict.value, "label": words.VERDICTS[verdict], "count": number}
            for verdict in VERDICT_ORDER
            if (number := sum(bool(group.verdicts[verdict]) for group in groups))
        ],
        "labels": {},
        "columns": columns,
        "rows": rows,
    }


def _chart_label(counts: Sequence[int]) -> str:
    parts = [
        f"{number:,} from {bin_number / BINS:.2f} to {(bin_number + 1) / BINS:.2f}"
        for bin_number, number in enumerate(counts)
        if number
    ]
    return f"Number of answers by score: {'; '.join(parts)}"
