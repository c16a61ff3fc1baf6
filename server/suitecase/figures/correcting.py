"""Rates that a judge has measured, corrected for the errors that its calibration shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from suitecase.figures.asked import Asked
from suitecase.figures.file_data import CalibratedJudge
from suitecase.figures.gates.grammar import Expression, Figure, functions_in, sum_of
from suitecase.figures.gates.meaning import FigureKind, FigureNames, meaning_of
from suitecase.figures.measured import Correction, Measured, MeasuredFigure
from suitecase.figures.quantity import NotMeasuredError
from suitecase.figures.statistics.correction import (
    Corrected,
    JudgeErrors,
    corrected_rate,
    more_labels,
    why_not_correctable,
)
from suitecase.figures.statistics.interval import Interval, NoInterval

_TAKES = (
    "`corrected` takes the pass rate of one judge, such as `corrected(rubric.pass_rate)`, and nothing "
    "else"
)


def is_corrected(expression: Expression) -> bool:
    """Whether an expression asks for a corrected rate."""
    return any(function.text == "corrected" for function in functions_in(expression))


def judge_of(expression: Expression, names: FigureNames, asked: Asked | None) -> CalibratedJudge:
    """Return the judge whose errors an expression is to be corrected for.

    Raises:
        NotMeasuredError: what is to be corrected is not the rate of a judge with a calibration.
    """
    figure = sum_of(expression).only_term
    meaning = meaning_of(figure, names) if isinstance(figure, Figure) else None
    if meaning is None or meaning.kind is not FigureKind.EVALUATOR_PASS_RATE:
        raise NotMeasuredError(_TAKES)
    name = meaning.evaluator or ""
    judge = asked.judges.get(name) if asked is not None else None
    if judge is None:
        raise NotMeasuredError(f"`{name}` has no calibration under `judges`")
    if judge.problem:
        raise NotMeasuredError(judge.problem, judge.needed)
    return judge


def corrected(
    measured: Measured, judge: CalibratedJudge, completions: Sequence[tuple[float | None, int]]
) -> Measured:
    """Return a measured rate corrected for its judge's errors.

    Args:
        measured: the rate as the judge has measured it.
        judge: what is known of the judge.
        completions: the rate with missing answers counted in several ways, and its number of units.
    """
    figure, errors = measured.figure, judge.errors
    uncorrected = figure.estimate if figure is not None else None
    if figure is None or uncorrected is None:
        return measured
    more = more_labels(errors, figure.confidence)
    needed = more.text if more is not None else ""
    reason = why_not_correctable(errors)
    found = _corrected(figure, uncorrected, figure.interval.units, errors)
    if not isinstance(found, Corrected):
        figure = replace(
            figure, estimate=None, interval=NoInterval(reason or found.reason, found.units)
        )
        return replace(measured, figure=figure, problem=reason or found.reason, needed=needed)
    ends = [
        None if it is None else _corrected(figure, it, figure.interval.units, errors)
        for it in (figure.lowest, figure.highest)
    ]
    lowest, highest = (end.rate if isinstance(end, Corrected) else None for end in ends)
    bounds: list[Interval | NoInterval] = []
    for rate, units in completions:
        came = None if rate is None else _corrected(figure, rate, units, errors)
        bounds.append(came.interval if isinstance(came, Corrected) else NoInterval("", units))
    corrected_figure = replace(
        figure,
        estimate=found.rate,
        interval=found.interval,
        lowest=lowest,
        highest=highest,
        resamples=None,
        seed=None,
        correction=Correction(
            uncorrected,
            errors.sensitivity or 0.0,
            errors.specificity or 0.0,
            errors.good,
            errors.bad,
        ),
    )
    return Measured(
        corrected_figure,
        missing=measured.missing,
        unanswered=measured.unanswered,
        sharp=not completions,
        bounds=tuple(bounds),
        needed=needed,
    )


def _corrected(
    figure: MeasuredFigure, rate: float, units: int, errors: JudgeErrors
) -> Corrected | NoInterval:
    return corrected_rate(rate, units, errors, figure.confidence)
