"""Reading a results file as tables of answers, and the suite that it is of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

from suitecase.cli.figures.suite_of_run import suite_of_run
from suitecase.cli.first_steps import no_results
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_reading import OtherFormatError, has_errors, read_suite
from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.asked import Asked, asked_of
from suitecase.figures.file_data import CalibratedJudge, PeoplesRatings
from suitecase.figures.table import Tables
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.report.results_file import (
    NotResultsError,
    RecordLines,
    Run,
    RunState,
    find_results,
)
from suitecase.run.record_redaction import without_secrets_here
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.answers.records.answerers import Answerers
from suitecase_evaluators.answers.records.tally import answers_cut_off
from suitecase_evaluators.system.path_kinds import is_folder, real_path

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class RunTables:
    """A results file as tables, by suite."""

    path: Path
    by_suite: dict[str, Tables]
    notes: tuple[str, ...]
    #: Who answered and judged, by suite and target.
    answerers: Mapping[tuple[str, str], Answerers] = field(default_factory=dict)
    #: The suites of other tools, which declare no slices and no metrics.
    of_other_tools: frozenset[str] = frozenset()

    def answerers_of(self, tables: Tables, target: str | None = None) -> Answerers:
        """Return who answered and judged the cases of a suite.

        Args:
            target: one of several targets; None, or a name that none has, for all.
        """
        own = {it: found for it, found in self.answerers.items() if it[0] in tables.suites}
        total = Answerers()
        several = any(name == target for _, name in own)
        for (_, name), found in own.items():
            if name == target or not several:
                total.add_all(found)
        return total

    @property
    def shown(self) -> str:
        return shown_path(self.path)


def read_tables(place: Path) -> RunTables:
    """Read a results file, or the newest one of a folder.

    Raises:
        click.UsageError: it cannot be read, is not a results file, or has a score that is not a number
            from 0 to 1.
    """
    by_suite: dict[str, Tables] = {}
    answerers: dict[tuple[str, str], Answerers] = {}
    of_other_tools: set[str] = set()
    try:
        lines = RecordLines(find_results(place), without_secrets_here(place))
    except NotResultsError as error:
        raise no_results(error) from error
    try:
        for number, record in lines:
            tables = by_suite.get(record.suite)
            if tables is None:
                tables = by_suite[record.suite] = Tables()
                if record.is_row:
                    of_other_tools.add(record.suite)
            tables.add(record, number)
            answerers.setdefault((record.suite, record.target), Answerers()).add(record)
    except NotResultsError as error:
        raise no_results(error) from error
    except UnusableScoreError as error:
        raise click.UsageError(f"{shown_path(lines.path)}: {error.message}") from error
    state = RunState()
    for tables in by_suite.values():
        state.add(tables.planned, tables.answers)
        state.replaced += tables.replaced
        state.second_chances += tables.second_chances
    cut_off = sum(tables.cut_off for tables in by_suite.values())
    notes = (*lines.notes(state), *([answers_cut_off(cut_off)] if cut_off else []))
    return RunTables(lines.path, by_suite, notes, answerers, frozenset(of_other_tools))


def asked_for(run: RunTables, named: Path | None) -> tuple[Asked, Path]:
    """Return the suite of a run, with its path.

    Args:
        run: the run.
        named: the suite that the user named; None for the one that the records name.

    Raises:
        click.UsageError: it is not found, cannot be read, or is another suite.
    """
    path = suite_path_of(run.path, run.by_suite, named)
    return read_asked(path), path


def suite_path_of(results: Path, suites: Collection[str], named: Path | None) -> Path:
    """Return the path of the suite of a run.

    Args:
        results: the results file.
        suites: the suites that its records name.
        named: the suite that the user named; None for the one of the records.

    Raises:
        click.UsageError: it is not found, or there are several.
    """
    if named is not None:
        path = working_directory() / named
        return real_path(path.parent) / path.name
    shown = shown_path(results)
    if len(suites) > 1:
        raise click.UsageError(
            f"{shown} has results of {len(suites):,} suites ({_names(suites)}); "
            "say which one with --suite"
        )
    (name,) = suites
    found = suite_of_run(results, name)
    if found is None:
        raise click.UsageError(
            f"the suite `{name}` of {shown} was not found; say where it is with --suite"
        )
    return found


def asked_today(results: Path, suite: str) -> Asked | None:
    """Return the suite that records name, as it is now; None if it is not found, or in a format without figures.

    Raises:
        click.ClickException: it cannot be read, or has errors.
    """
    found = suite_of_run(results, suite)
    if found is None:
        return None
    try:
        return read_asked(found)
    except OtherFormatError:
        return None


def read_asked(path: Path) -> Asked:
    """Read a suite.

    Raises:
        click.UsageError: it cannot be read, or has errors.
    """
    parsed, folder = read_suite(path)
    try:
        return asked_of(parsed, path, folder)
    except UnsoundSuiteError as error:
        raise has_errors(path) from error


def tables_of(run: RunTables, asked: Asked) -> Tables:
    """Return the answers to a suite.

    Raises:
        click.UsageError: the run is of another suite.
    """
    found = run.by_suite.get(asked.suite_path)
    if found is not None:
        return found
    # The suite may have been moved since.
    for tables in run.by_suite.values():
        if asked.dataset in tables.suites.values():
            return tables
    raise click.UsageError(
        f"{run.shown} has results of {_names(run.by_suite)}, not of `{asked.suite_path}`"
    )


def run_text(run: RunTables | Run) -> str:
    """Return which run was taken: its file, its suites and its targets."""
    if isinstance(run, Run):
        suites = ", ".join(dict.fromkeys(record.suite for record in run.answers))
        targets, answers = dict.fromkeys(run.tally.targets), run.tally.records
    else:
        suites = ", ".join(run.by_suite)
        targets = dict.fromkeys(
            name for tables in run.by_suite.values() for name in tables.answered_by
        )
        answers = sum(tables.answers for tables in run.by_suite.values())
    names = ", ".join(targets)
    target = counted(len(targets), "target") if len(targets) > _MOST_NAMED else f"target {names}"
    target = f"targets {names}" if 1 < len(targets) <= _MOST_NAMED else target
    return f"{shown_path(run.path)} ({suites}; {target}; {counted(answers, 'answer')})"


def say_taken(place: Path, run: RunTables | Run) -> None:
    """Print which run was taken if the user has not named it, but a folder."""
    if is_folder(place):
        echo(f"Run: {visible(run_text(run))}", err=True)


def notes_about(tables: Tables, asked: Asked) -> list[str]:
    """Return what users have to know about cases that have changed since the run."""
    recorded = {
        case: it.hash for table in tables.by_target.values() for case, it in table.cases.items()
    }
    changed = [
        case
        for case, text in recorded.items()
        if case in asked.cases and text is not None and asked.cases[case].hash not in (None, text)
    ]
    gone = [it for it in recorded if it not in asked.cases]
    notes: list[str] = []
    if changed:
        have = "has" if len(changed) == 1 else "have"
        notes.append(
            f"{counted(len(changed), 'case')} {have} changed since the run ({_names(changed)}); "
            "the figures are those of the earlier text."
        )
    if gone:
        are = "is" if len(gone) == 1 else "are"
        notes.append(
            f"{counted(len(gone), 'case')} of the run {are} no longer in the suite "
            f"({_names(gone)}), and count all the same."
        )
    return notes


def notes_about_files(asked: Asked) -> list[str]:
    """Return why there are no figures of people's labels or of a calibration, worded to follow a colon."""
    files: list[PeoplesRatings | CalibratedJudge] = [*asked.people.values(), *asked.judges.values()]
    return [
        f"{file.problem}; {file.needed}." if file.needed else f"{file.problem}."
        for file in files
        if file.problem
    ]


def _names(names: Iterable[str]) -> str:
    listed = [f"`{name}`" for name in names]
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
