"""How a suite did over its runs: pass rates with intervals and mean scores, with what changed between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from suitecase.figures.statistics.binomial import proportion_interval
from suitecase.figures.statistics.interval import Interval
from suitecase.report import words
from suitecase.report.history import ResultsFolder
from suitecase.report.past_run import PastRun
from suitecase.text.working_directory import absolute_path

#: The newest runs that are shown.
MOST_RUNS = 30
#: How many times as many cases another run may have, or as few, to be comparable.
_FACTOR = 2
#: Without an index, results files are read each time; larger folders are not.
_MOST_BYTES = 64 * 1024 * 1024
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run of a trend.

    Attributes:
        rate: the pass rate.
        interval: its interval at 95%; None where answers depend on each other (repeats, groups).
        changes: what is different from the run before, which may be why the figures are.
        remarks: what has to be known about the run itself.
        is_this: whether it is the run that the trend leads to.
    """

    run: PastRun
    rate: float
    interval: Interval | None
    changes: tuple[str, ...]
    remarks: tuple[str, ...]
    is_this: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """The comparable runs of a suite, oldest first, up to a run.

    Attributes:
        left_out: how many runs of the suite and target have far more or fewer cases.
    """

    points: tuple[TrendPoint, ...]
    left_out: int


def trend_beside(results: Path) -> Trend | None:
    """Return the trend up to the run of a results file, with the runs in its folder."""
    folder = ResultsFolder(absolute_path(results.parent))
    if not folder.has_index and folder.size() > _MOST_BYTES:
        return None
    return trend_of(folder.history().runs, absolute_path(results))


def trend_of(runs: Sequence[PastRun], path: Path) -> Trend | None:
    """Return the trend up to the run of a results file; None if no other run is comparable."""
    this = next((run for run in runs if run.path == path), None)
    if this is None or this.pass_rate is None:
        return None
    earlier = [
        run
        for run in runs
        if (run.suites, run.targets) == (this.suites, this.targets)
        and not run.live
        and run.path != path
        and (run.began or _LONG_AGO) <= (this.began or _LONG_AGO)
    ]
    alike = [it for it in earlier if _is_alike(it, this)]
    if not alike:
        return None
    chosen = sorted([this, *alike], key=lambda it: (it.began or _LONG_AGO, it is this))[-MOST_RUNS:]
    before = [None, *chosen[:-1]]
    points = [_point(it, prior, this) for it, prior in zip(chosen, before, strict=True)]
    return Trend(tuple(points), len(earlier) - len(alike))


def _is_alike(run: PastRun, this: PastRun) -> bool:
    return run.pass_rate is not None and this.cases / _FACTOR <= run.cases <= this.cases * _FACTOR


def _point(run: PastRun, prior: PastRun | None, this: PastRun) -> TrendPoint:
    interval = proportion_interval(run.passed, run.graded) if run.independent else None
    return TrendPoint(
        run=run,
        rate=run.passed / run.graded,
        interval=interval if isinstance(interval, Interval) else None,
        changes=() if prior is None else tuple(_changes(prior, run)),
        remarks=tuple(_remarks(run)),
        is_this=run is this,
    )


def _changes(prior: PastRun, run: PastRun) -> Iterator[str]:
    if run.case_ids != prior.case_ids:
        yield "other cases"
    elif run.case_texts != prior.case_texts:
        yield "changed cases"
    elif run.inputs != prior.inputs:
        yield "changed files, evaluators or settings"
    if run.models != prior.models and run.models:
        yield f"answered by {words.listed(run.models)}"


def _remarks(run: PastRun) -> Iterator[str]:
    if run.missing:
        yield f"unfinished: {run.answers:,} of {run.planned:,} answers"
    elif run.unfinished:
        yield "unfinished"
    if run.no_model:
        yield "no model was asked"
