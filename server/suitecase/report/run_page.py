"""The HTML page of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from suitecase.figures.figures_file import RunFigures
from suitecase.report import words
from suitecase.report.asked_models import AskedModels
from suitecase.report.case_table import CaseRow, CaseTable, Column
from suitecase.report.failures import Traits, failures_of
from suitecase.report.groups import STATUS_ORDER, Group, Grouping, kept
from suitecase.report.page import Frame, render
from suitecase.report.results_file import Run
from suitecase.report.run_sections import RankedFigures, board_of, sections_of
from suitecase.report.summary import BINS, Summarizer
from suitecase.report.trend import Trend
from suitecase_evaluators.answers.records.status import Status

#: The number of rubrics shown; the others are collapsed.
MOST_RUBRICS = 8

_NO_LINKS: Mapping[Path, str] = {}
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
    trend: Trend | None = None,
    links: Mapping[Path, str] = _NO_LINKS,
) -> Iterator[bytes]:
    """Yield the HTML page of a run, piece by piece.

    Args:
        run: the run.
        measured: the figures of its answers to each suite.
        leaderboards: its targets, and other runs, in order.
        frame: what the page has around its content if it is part of a bundle.
        trend: the earlier runs of its suite.
        links: the addresses of their pages, by results file.
    """
    answers = kept(run.answers)
    summarizer, models, traits = Summarizer(run.tally), AskedModels(), Traits()
    grouping = Grouping(answers)
    # All of it in one go: the answers of a large run are read from its file each time.
    for number, answer in enumerate(answers):
        summarizer.add(answer)
        models.add(answer)
        traits.add(answer)
        grouping.add(number, answer)
    summary, groups = summarizer.summary(), grouping.groups()
    yield from render(
        "report.html",
        notes=run.notes,
        stand_ins=run.stand_ins(),
        no_model=run.tally.answerers.no_model,
        table=table_of(groups, len(answers)),
        runs=(answers,),
        frame=frame,
        title=(frame.title if frame else words.listed(summary.datasets)) or run.path.stem,
        file=run.path.name,
        summary=summary,
        targets=models.targets,
        judges=models.judges,
        most_rubrics=MOST_RUBRICS,
        bins=[
            [(status.value, counts[status]) for status in STATUS_ORDER if counts[status]]
            for counts in summary.distribution
        ],
        ticks=[(it / 5, f"{it / 5:.1f}") for it in range(6)],
        measured=[sections_of(it, several_suites=len(measured) > 1) for it in measured],
        leaderboards=[board_of(leaderboard) for leaderboard in leaderboards],
        failures=failures_of(groups, traits),
        trend=trend,
        links=links,
        chart_label=_chart_label([sum(it.values()) for it in summary.distribution]),
    )


def table_of(groups: Sequence[Group], answers: int) -> CaseTable:
    """Return the table of cases.

    Args:
        groups: the cases.
        answers: how many answers they have.
    """
    numbers = Counter(status for group in groups for status in set(group.statuses))
    return CaseTable(
        kind_name="verdict",
        kinds=[
            (status.value, status.heading, numbers[status])
            for status in STATUS_ORDER
            if numbers[status]
        ],
        columns=_COLUMNS,
        always=frozenset({"verdict", "score", "case"}),
        rows=map(_row, groups),
        number=len(groups),
        answers=answers,
    )


def _row(group: Group) -> CaseRow:
    return CaseRow(
        group.case,
        _kinds(group.statuses),
        STATUS_ORDER.index(group.status),
        (
            *(None, group.score, group.case, group.target, group.suite),
            *(group.duration_ms, group.usd),
        ),
        group.tags,
        (group.numbers,),
    )


@lru_cache(maxsize=1024)
def _kinds(statuses: tuple[Status, ...]) -> tuple[tuple[str, int], ...]:
    counts = Counter(statuses)
    return tuple((status.value, counts[status]) for status in STATUS_ORDER if counts[status])


def _chart_label(counts: Sequence[int]) -> str:
    parts = [
        f"{number:,} from {bin_number / BINS:.2f} to {(bin_number + 1) / BINS:.2f}"
        for bin_number, number in enumerate(counts)
        if number
    ]
    return f"Number of answers by score: {'; '.join(parts)}"
