"""What `suitecase report` measures of a run, and how it ranks runs and targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from suitecase.cli.figures.run_tables import asked_today, notes_about_files, read_tables
from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.leaderboard import Competitor, Leaderboard, competitors_of, leaderboard
from suitecase.figures.run_figures import figures_of, run_figures
from suitecase.figures.table import Tables
from suitecase.report.results_file import Run
from suitecase.text.plural import capitalized

#: What runs and targets are ranked by.
_RANKED_BY = ("pass_rate", "score")


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """The figures of a run, by suite, and the leaderboards of its targets and of other runs.

    Attributes:
        notes: what is left out and why, for users.
    """

    by_suite: tuple[RunFigures, ...] = ()
    leaderboards: tuple[Leaderboard, ...] = ()
    notes: tuple[str, ...] = ()


def report_figures(run: Run, others: Sequence[Path]) -> ReportFigures:
    """Measure a run. There are no figures if another tool has written a score that is not from 0 to 1.

    Raises:
        click.UsageError: one of the other runs cannot be read.
    """
    by_suite: dict[str, Tables] = {}
    of_other_tools: set[str] = set()
    try:
        for answer in run.answers:
            by_suite.setdefault(answer.suite, Tables()).add(answer)
            if answer.is_row:
                of_other_tools.add(answer.suite)
    except UnusableScoreError as error:
        return ReportFigures(notes=(f"There are no figures: {error.message}.",))
    notes: list[str] = []
    found: list[RunFigures] = []
    competitors: list[Competitor] = []
    for suite, tables in by_suite.items():
        asked = None
        try:
            if suite not in of_other_tools:
                asked = asked_today(run.path, suite)
        except click.ClickException:
            notes.append(
                f"The suite `{suite}` cannot be read or has errors, so its gates, slices and "
                "metrics are left out."
            )
        if asked is not None:
            notes += map(capitalized, notes_about_files(asked))
            found.append(run_figures(tables, asked, run.path.name))
        else:
            figures = [
                figure for table in tables.by_target.values() for figure in figures_of(table, None)
            ]
            found.append(RunFigures(run.path.name, suite, tuple(figures)))
        competitors += competitors_of(run.path.name, tables.by_target, asked)
    for place in others:
        read = read_tables(place)
        for suite, tables in read.by_suite.items():
            try:
                asked = asked_today(read.path, suite)
            except click.ClickException:
                asked = None
            competitors += competitors_of(read.path.name, tables.by_target, asked)
    # Runs of several suites have no common figure.
    ranked = len(by_suite) == 1 and len(competitors) > 1
    boards = [leaderboard(competitors, it) for it in _RANKED_BY] if ranked else []
    return ReportFigures(tuple(found), tuple(boards), tuple(notes))
