"""Reading a run, its suite and its baseline to publish them."""

from __future__ import annotations

from pathlib import Path

import click

from suitecase.authoring.releasing.release import Release, answers_to
from suitecase.cli.figures.run_tables import RunTables, asked_for, say_taken, tables_of
from suitecase.cli.first_steps import no_results
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_reading import read_suite
from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.leaderboard import Leaderboard, competitors_of, leaderboard
from suitecase.figures.run_figures import run_figures
from suitecase.figures.standard import standard_slices
from suitecase.figures.table import Tables
from suitecase.report.results_file import NotResultsError, Run, read_run

#: What the leaderboards of a bundle rank by.
RANKED_BY = "pass_rate"


def release_of(place: Path, suite: Path | None, baseline: Path | None) -> Release:
    """Return a run with its suite, measured.

    Raises:
        click.UsageError: one of them cannot be read.
    """
    run = _read(place)
    say_taken(place, run)
    tables = _tables(run)
    asked, path = asked_for(tables, suite)
    own = tables_of(tables, asked)
    parsed, folder = read_suite(path)
    before = _read(baseline) if baseline is not None else None
    earlier = tables_of(_tables(before), asked) if before is not None else None
    return Release(
        suite=parsed,
        path=path,
        folder=folder,
        asked=asked,
        run=answers_to(asked, run, run.answers),
        tables=own,
        figures=run_figures(own, asked, run.path.name, earlier),
        baseline=answers_to(asked, before, before.answers) if before is not None else None,
        baseline_tables=earlier,
    )


def boards_of(release: Release) -> list[Leaderboard]:
    """Return the leaderboards of a run: of all cases, and of each slice."""
    named = [(release.run.path.name, release.tables)]
    if release.baseline is not None and release.baseline_tables is not None:
        name = release.baseline.path.name
        if name == release.run.path.name:
            name += " (baseline)"  # in another folder
        named.append((name, release.baseline_tables))
    competitors = [
        competitor
        for name, tables in named
        for competitor in competitors_of(name, tables.by_target, release.asked)
    ]
    slices: dict[str | None, None] = {None: None}
    for competitor in competitors:
        slices.update(dict.fromkeys(standard_slices(competitor.table, competitor.asked)))
    return [leaderboard(competitors, RANKED_BY, it) for it in slices]


def _read(place: Path) -> Run:
    try:
        return read_run(place)
    except NotResultsError as error:
        raise no_results(error) from error


def _tables(run: Run) -> RunTables:
    by_suite: dict[str, Tables] = {}
    try:
        for record in run.answers:
            by_suite.setdefault(record.suite, Tables()).add(record)
    except UnusableScoreError as error:
        raise click.UsageError(f"{shown_path(run.path)}: {error.message}") from error
    return RunTables(run.path, by_suite, run.notes)
