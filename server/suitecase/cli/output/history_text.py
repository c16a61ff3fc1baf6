"""The past runs of a workspace as text: a row for each, with what is special about it below."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from suitecase.cli.shown_paths import shown_path
from suitecase.report.history import History, NotARun
from suitecase.report.past_run import PastRun
from suitecase.report.words import cost_text, score_text
from suitecase.text.encoders.terminal import Line, Segment
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.status import Status

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: The columns of output that is not a terminal, the fewest that a table has, and the most.
_USUAL, _FEWEST, _MOST = 100, 60, 160
_SHORTEST_NAME = 8
#: Files that are not runs are named up to this number.
_MOST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    text: Callable[[PastRun], str]
    style: str = ""
    #: Names are cut if there is no room for them, and are not aligned to the right.
    is_name: bool = False
    #: A column is left out if all runs have one of these texts.
    without: tuple[str, ...] = ()


def history_text(
    found: History, runs: Sequence[PastRun], limit: int, next_step: str = ""
) -> Iterator[Line]:
    """Yield the lines about runs of a folder, the newest first.

    Args:
        found: the runs.
        runs: those that are listed.
        limit: no more than so many are shown.
        next_step: what has to be done before there is any, as the end of a sentence.
    """
    shown = runs[:limit]
    if shown:
        yield from _table(shown)
        if len(runs) > limit:
            yield ()
            yield ((f"{len(runs) - limit:,} more; --limit {len(runs)} lists all of them", "dim"),)
        if len(found.folders) > 1:
            yield ()
            yield ((f"The runs are in {' and '.join(map(shown_path, found.folders))}", "dim"),)
    elif not found.unread:
        folder = shown_path(found.folder)
        yield f"No runs yet: `suitecase run` writes their results to {folder}{next_step}."
    if files := [file for file in found.others if not file.is_folder]:
        yield ()
        yield ((_others(files), "dim"),)


def _table(runs: Sequence[PastRun]) -> Iterator[Line]:
    columns, widths = _filled(runs, with_models=True)
    if _too_wide(widths):
        # What a target is called tells runs apart better than the beginning of its model's name.
        columns, widths = _filled(runs, with_models=False)
        _narrow(widths, [column.is_name for column, _ in columns])
    yield tuple(
        (_cell(column.heading, width, column) + " ", "dim")
        for (column, _), width in zip(columns, widths, strict=True)
    )
    for number, run in enumerate(runs):
        yield tuple(
            _piece(column, cells[number], width)
            for (column, cells), width in zip(columns, widths, strict=True)
        )
        if marks := _marks(run):
            yield (("  ", ""), *_joined(marks))


def _filled(
    runs: Sequence[PastRun], *, with_models: bool
) -> tuple[list[tuple[_Column, list[str]]], list[int]]:
    """Return the columns that say something, with their cells, and their widths."""
    columns = []
    for column in _columns(with_models=with_models):
        cells = [visible(column.text(run)) for run in runs]
        if not column.without or any(cell not in column.without for cell in cells):
            columns.append((column, cells))
    return columns, [max(map(len, (column.heading, *cells))) for column, cells in columns]


def _columns(*, with_models: bool) -> tuple[_Column, ...]:
    def status(wanted: Status) -> Callable[[PastRun], str]:
        return lambda run: f"{run.statuses.get(wanted, 0):,}"

    return (
        _Column("When", lambda it: when_text(it.began), is_name=True),
        _Column("Suite", lambda it: it.name, "bold", is_name=True),
        _Column("Target", lambda it: _target(it, with_models=with_models), is_name=True),
        _Column("Cases", lambda it: f"{it.cases:,}"),
        _Column("Pass", status(Status.PASS), "green"),
        _Column("Reh", status(Status.REHEARSED), "dim", without=("0",)),
        _Column("Bord", status(Status.BORDERLINE), "yellow", without=("0",)),
        _Column("Fail", status(Status.FAIL), "red"),
        _Column("Judge", status(Status.JUDGE_FAILED), "magenta", without=("0",)),
        _Column("Err", status(Status.ERROR), "magenta", without=("0",)),
        _Column("Mean", lambda it: "-" if it.mean_score is None else score_text(it.mean_score)),
        _Column(
            "Cost",
            lambda it: "-" if it.cost_usd is None else cost_text(it.cost_usd),
            without=("-", "$0.00"),
        ),
        _Column("Time", lambda it: "-" if it.seconds is None else seconds_text(it.seconds)),
    )


def _target(run: PastRun, *, with_models: bool) -> str:
    models = [model for model in run.models if model not in run.targets] if with_models else []
    return ", ".join((*run.targets, *models)) or "-"


def _too_wide(widths: Sequence[int]) -> bool:
    room = min(max(shutil.get_terminal_size((_USUAL, 24)).columns, _FEWEST), _MOST)
    return sum(widths) + len(widths) - 1 > room


def _narrow(widths: list[int], names: Sequence[bool]) -> None:
    """Make the widest columns of names narrower until all columns fit; the first one is a time."""
    may_be_cut = [at for at, is_name in enumerate(names) if is_name and at]
    while _too_wide(widths):
        widest = max(may_be_cut, key=lambda at: widths[at])
        if widths[widest] <= _SHORTEST_NAME:
            return
        widths[widest] -= 1


def _piece(column: _Column, text: str, width: int) -> Segment:
    style = column.style if text not in ("0", "-") else "dim"
    return _cell(text, width, column) + " ", style


def _cell(text: str, width: int, column: _Column) -> str:
    if len(text) > width:
        text = text[: width - 1] + "…"
    return text.ljust(width) if column.is_name else text.rjust(width)


def _marks(run: PastRun) -> list[Segment]:
    marks: list[Segment] = []
    if run.live:
        of = f" of {run.planned:,}" if run.planned else ""
        marks.append((f"running: {run.answers:,}{of} answers", "bold cyan"))
    elif run.missing:
        marks.append((f"unfinished: {run.answers:,} of {run.planned:,} answers", "bold yellow"))
    elif run.unfinished:
        marks.append(("unfinished: its last line is truncated", "bold yellow"))
    if run.no_model:
        marks.append(("no model was asked", "yellow"))
    elif run.remark is not None:
        marks.append(("not all answers and verdicts are from a model", "yellow"))
    for status, style in ((Status.JUDGE_FAILED, "magenta"), (Status.NOT_EVALUATED, "dim")):
        if number := run.statuses.get(status, 0):
            marks.append((status.counted(number), style))
    return marks


def _joined(marks: Sequence[Segment]) -> Iterator[Segment]:
    for number, mark in enumerate(marks):
        if number:
            yield "; ", "dim"
        yield mark


def _others(files: Sequence[NotARun]) -> str:
    names = ", ".join(f"{file.path.name} ({file.why})" for file in files[:_MOST_OTHERS])
    more = len(files) - _MOST_OTHERS
    number = counted(len(files), "other file")
    return f"{number} in the folder: {names}" + (f" and {more:,} more" if more > 0 else "")


def when_text(moment: datetime | None, now: datetime | None = None) -> str:
    """Return a moment in the local time zone; with its year instead of the time if that differs."""
    if moment is None:
        return "-"
    local = moment.astimezone()
    today = (now or datetime.now().astimezone()).date()
    day = f"{local.day:2} {_MONTHS[local.month - 1]}"
    return f"{day} {local:%H:%M}" if local.year == today.year else f"{day}  {local.year}"


def seconds_text(seconds: float) -> str:
    """Return a time span in few characters: `0.4s`, `18s`, `3m05s`, `2h10m`, `3d04h`."""
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02}h"
