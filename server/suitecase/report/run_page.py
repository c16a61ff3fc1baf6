"""The page of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from suitecase.report import words
from suitecase.report.groups import TOLD, Group, grouped, mean, total
from suitecase.report.page import Column, filled_columns, render
from suitecase.report.results_file import Run
from suitecase.report.summary import BINS, summarize

#: As many rubrics are shown at once; the others unfold.
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


def run_page(run: Run) -> Iterator[bytes]:
    """Yield the HTML page of a run, piece by piece."""
    summary = summarize(run)
    groups = grouped(run.answers)
    answers = [it for group in groups for it in group.answers]
    yield from render(
        "report.html",
        notes=[*([run.remark] if run.remark else ()), *run.notes],
        index=_index(groups),
        answers=answers,
        title=words.listed(summary.datasets) or run.path.stem,
        file=run.path.name,
        summary=summary,
        words=words.VERDICTS,
        most_rubrics=MOST_RUBRICS,
        bins=[
            [(it.value, found[it]) for it in TOLD if found[it]] for found in summary.distribution
        ],
        ticks=[(it / 5, f"{it / 5:.1f}") for it in range(6)],
        chart_label=_chart_label([sum(it.values()) for it in summary.distribution]),
    )


def _index(groups: Sequence[Group]) -> dict[str, Any]:
    cells = [
        [
            None,
            group.score,
            group.first.eval_id,
            group.first.target,
            group.first.suite,
            mean(it.duration_ms for it in group.answers),
            total(it.answer_usd for it in group.answers),
        ]
        for group in groups
    ]
    columns, cells = filled_columns(_COLUMNS, cells, frozenset({"verdict", "score", "case"}))
    rows = []
    ids: dict[str, int] = {}
    place = 0
    for group, values in zip(groups, cells, strict=True):
        case = group.first.eval_id
        # Addresses name a case by its id; where several rows have it, the later ones by a number.
        ids[case] = ids.get(case, 0) + 1
        rows.append(
            {
                "id": case if ids[case] == 1 else f"{case}#{ids[case]}",
                "kinds": [(it.value, group.verdicts[it]) for it in TOLD if group.verdicts[it]],
                "rank": TOLD.index(group.verdict),
                "cells": values,
                "sides": [("", [*range(place, place + len(group.answers))])],
            }
        )
        place += len(group.answers)
    return {
        "kindName": "verdict",
        "kinds": [
            {"key": it.value, "label": words.VERDICTS[it], "count": number}
            for it in TOLD
            if (number := sum(bool(group.verdicts[it]) for group in groups))
        ],
        "labels": {},
        "columns": columns,
        "rows": rows,
    }


def _chart_label(counts: Sequence[int]) -> str:
    told = [
        f"{number:,} from {it / BINS:.2f} to {(it + 1) / BINS:.2f}"
        for it, number in enumerate(counts)
        if number
    ]
    return f"How many answers have which score: {'; '.join(told)}"
