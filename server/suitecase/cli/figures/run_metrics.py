"""The figures of one or several runs, for `suitecase metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from suitecase.cli.figures.run_tables import (
    RunTables,
    asked_for,
    notes_about,
    notes_about_files,
    read_asked,
    read_tables,
    say_taken,
    tables_of,
)
from suitecase.cli.suite_reading import OtherFormatError
from suitecase.figures.answer_values import PASSES
from suitecase.figures.asked import Asked
from suitecase.figures.deciding import not_asked
from suitecase.figures.gates.grammar import Figure
from suitecase.figures.gates.meaning import FROM_FILES, FigureKind, Meaning, meaning_of
from suitecase.figures.gates.parsing import GateProblem, parse_metric
from suitecase.figures.leaderboard import Competitor, Leaderboard, leaderboard
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.measuring import names_of
from suitecase.figures.run_figures import figures_of
from suitecase.figures.standard import standard_slices
from suitecase.figures.statistics.repeats import share_between_cases
from suitecase.figures.table import Table, Tables
from suitecase.format.figure_keys import Slice
from suitecase.text.working_directory import working_directory

_METADATA = "metadata."
#: Kinds of which lower values are better.
_LOWER = frozenset(
    {
        FigureKind.VIOLATION_RATE,
        FigureKind.ERROR_RATE,
        FigureKind.JUDGE_FAILURE_RATE,
        FigureKind.LATENCY,
        FigureKind.COST,
        FigureKind.TOKENS,
    }
)
#: Kinds that are not a mean over cases, so that cases cannot be compared one by one.
_NO_MEAN = frozenset({FigureKind.MACRO_F1, FigureKind.METRIC, *FROM_FILES})


@dataclass(frozen=True, slots=True)
class TargetFigures:
    """The figures of a target in a run.

    Attributes:
        between_cases: how much of the variance of the pass rate lies between cases, the rest between
            answers to one; None where no case was asked twice.
    """

    run: str
    suite: str
    target: str
    cases: int
    repeats: int
    answers: int
    figures: tuple[MeasuredFigure, ...]
    between_cases: float | None = None
    #: What was answered or judged without a model, and whether all of it was.
    stand_ins: str | None = None
    no_model: bool = False

    @property
    def slices(self) -> tuple[str, ...]:
        """The slices, in order."""
        found = (figure.slice for figure in self.figures)
        return tuple(dict.fromkeys(it for it in found if it is not None))

    @property
    def of_answers(self) -> tuple[MeasuredFigure, ...]:
        """The figures that are computed from the answers alone."""
        return tuple(figure for figure in self.figures if not figure.from_files)

    @property
    def of_files(self) -> tuple[MeasuredFigure, ...]:
        """The figures that labels or a calibration are part of."""
        return tuple(figure for figure in self.figures if figure.from_files)

    def figure(self, name: str, slice_: str | None) -> MeasuredFigure | None:
        """Return a figure of a slice, if it was measured."""
        return next(
            (figure for figure in self.figures if (figure.figure, figure.slice) == (name, slice_)),
            None,
        )


#: What leaderboards rank by where nothing else is asked for.
_RANK_BY = "pass_rate"


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """What `suitecase metrics` shows."""

    targets: tuple[TargetFigures, ...]
    leaderboards: tuple[Leaderboard, ...]
    notes: tuple[str, ...]


def measured_runs(
    places: Sequence[Path],
    suite: Path | None,
    *,
    by: str | None,
    everything: bool,
    rank_by: str | None,
) -> MeasuredRuns:
    """Measure runs.

    Raises:
        click.UsageError: there are no results, or an option is wrong.
    """
    named = read_asked(working_directory() / suite) if suite is not None else None
    notes: list[str] = []
    competitors: list[Competitor] = []
    found: list[TargetFigures] = []
    for place in places:
        run = read_tables(place)
        say_taken(place, run)
        notes += [f"{run.shown}: {note}" for note in run.notes]
        for asked, tables, name in _suites_of(run, named, notes):
            if asked is not None:
                notes += [f"{run.shown}: {it}" for it in _about(tables, asked)]
            own = _with_facet(asked, by)
            for table in tables.by_target.values():
                competitors.append(Competitor(run.shown, table, own))
                measured = _measured(run.shown, name, table, own, by, everything=everything)
                answerers = run.answerers_of(tables, table.asked_by[0])
                remark, no_model = answerers.remark(), answerers.no_model
                found.append(replace(measured, stand_ins=remark, no_model=no_model))
    boards: tuple[Leaderboard, ...] = ()
    if len(competitors) > 1:
        boards = tuple(_leaderboards(competitors, rank_by or _RANK_BY, by))
    elif rank_by is not None:
        _meaning(competitors, rank_by)
    return MeasuredRuns(tuple(found), boards, tuple(notes))


def _suites_of(
    run: RunTables, named: Asked | None, notes: list[str]
) -> Iterator[tuple[Asked | None, Tables, str]]:
    """Yield the suites of a run with their answers; one that cannot be read is None, with a note."""
    if named is not None:
        yield named, tables_of(run, named), named.suite_path
        return
    for name, tables in run.by_suite.items():
        asked = None
        try:
            if name not in run.of_other_tools:
                asked, _ = asked_for(replace(run, by_suite={name: tables}), None)
        except OtherFormatError:
            pass  # it declares no slices and no metrics
        except click.UsageError as error:
            notes.append(f"{error.message}; its declared slices and metrics are not measured")
        yield asked, tables, name


def _about(tables: Tables, asked: Asked) -> Iterator[str]:
    yield from notes_about(tables, asked)
    yield from notes_about_files(asked)
    for table in tables.by_target.values():
        left_out = not_asked(table, tables, asked)
        if left_out:
            have = "case of the suite has" if len(left_out) == 1 else "cases of the suite have"
            yield f"{len(left_out):,} {have} no answer of `{table.target}`."


def _with_facet(asked: Asked | None, by: str | None) -> Asked | None:
    """Return a suite with the facet of `--by`, if that is a key of `metadata`."""
    if by is None or not by.startswith(_METADATA):
        return asked
    known = asked if asked is not None else Asked("", "")
    return replace(known, slices={**known.slices, by: Slice(by=by)})


def _measured(
    run: str, suite: str, table: Table, asked: Asked | None, by: str | None, *, everything: bool
) -> TargetFigures:
    slices = standard_slices(table, asked)
    if by is not None:
        facet = asked.slices.get(by) if asked is not None else None
        if facet is None or facet.by is None:
            raise click.UsageError(
                f"`{by}` is not a facet of the suite; a facet is a slice with `by`, or `metadata.KEY`"
            )
        slices = [it for it in slices if it.startswith(f"{by}=")]
    figures = figures_of(table, asked, slices=slices, everything=everything, gaps=by)
    return TargetFigures(
        run,
        suite,
        table.target,
        len(table.cases),
        table.repeats,
        table.answers,
        tuple(figures),
        share_between_cases(table.values_by_case(PASSES)),
    )


def _leaderboards(
    competitors: Sequence[Competitor], figure: str, by: str | None
) -> Iterator[Leaderboard]:
    meaning = _meaning(competitors, figure)
    slices: dict[str | None, None] = {None: None}
    for competitor in competitors:
        own = standard_slices(competitor.table, competitor.asked)
        slices.update(dict.fromkeys(n for n in own if by is None or n.startswith(f"{by}=")))
    for slice_ in slices:
        having = [
            competitor
            for competitor in competitors
            if slice_ is None or slice_ in standard_slices(competitor.table, competitor.asked)
        ]
        if len(having) > 1:
            better = meaning.kind not in _LOWER
            yield leaderboard(having, figure, slice_, higher_is_better=better)


def _meaning(competitors: Sequence[Competitor], figure: str) -> Meaning:
    parsed = parse_metric(figure)
    if isinstance(parsed, GateProblem):
        raise click.UsageError(f"--rank-by: `{figure}` is not a figure: {parsed.message}")
    only = parsed.only_term
    if isinstance(only, Figure) and only.slice is None:
        for competitor in competitors:
            meaning = meaning_of(only, names_of(competitor.table, competitor.asked))
            if meaning is not None and meaning.kind in _NO_MEAN:
                raise click.UsageError(
                    f"--rank-by: `{figure}` is not a mean over cases, so runs cannot be compared by it"
                )
            if meaning is not None:
                return meaning
    raise click.UsageError(f"--rank-by: none of these runs has the figure `{figure}`")
