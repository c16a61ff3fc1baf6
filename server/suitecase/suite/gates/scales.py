"""The values that figures and sums of them can have, and their units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from suitecase.suite.gates.grammar import (
    Expression,
    Extreme,
    Figure,
    Sum,
    Term,
    functions_in,
    sum_of,
)
from suitecase.suite.gates.meaning import FigureKind, Meaning, Unit
from suitecase.suite.gates.names import SuiteFigures
from suitecase.suite.gates.parsing import GateProblem


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the greatest value that is possible, and their unit."""

    low: float
    high: float
    unit: Unit

    def times(self, weight: float) -> Scale:
        """Return the scale of the values times a weight."""
        if weight == 0:
            return Scale(0.0, 0.0, self.unit)
        ends = sorted((self.low * weight, self.high * weight))
        return Scale(ends[0], ends[1], self.unit)


def scale_of(expression: Expression, figures: SuiteFigures) -> Scale | None:
    """Return the values that an expression can have.

    None if that is unknown: it has an unknown name, mixes units, or is part of itself.
    """
    scale = _of_sum(sum_of(expression), figures, frozenset())
    if scale is not None and any(it.text == "change" for it in functions_in(expression)):
        width = scale.high - scale.low
        return Scale(-width, width, scale.unit)
    return scale


def scale_of_term(term: Term, figures: SuiteFigures) -> Scale | None:
    """Return the values that a term can have."""
    return _of_term(term, figures, frozenset())


def _of_sum(found: Sum, figures: SuiteFigures, inside: frozenset[str]) -> Scale | None:
    scales = [_of_term(it, figures, inside) for it in found.terms]
    known = [it for it in scales if it is not None]
    if len(known) < len(scales) or len({it.unit for it in known}) > 1:
        return None
    low, high = sum(it.low for it in known), sum(it.high for it in known)
    return Scale(_rounded(low), _rounded(high), known[0].unit)


def _rounded(value: float) -> float:
    """Return a sum without the rounding errors of its terms: 0.1 + 0.2 is 0.3."""
    return round(value, 12)


def _of_term(term: Term, figures: SuiteFigures, inside: frozenset[str]) -> Scale | None:
    figure = term.of.figure if isinstance(term.of, Extreme) else term.of
    scale = _of_figure(figure, figures, inside)
    if scale is None:
        return None
    if isinstance(term.of, Extreme) and term.of.function.text == "gap":
        scale = Scale(0.0, scale.high - scale.low, scale.unit)
    return scale.times(term.weight)


def _of_figure(figure: Figure, figures: SuiteFigures, inside: frozenset[str]) -> Scale | None:
    meaning = figures.meaning(figure)
    if meaning is None:
        return None
    if meaning.kind is FigureKind.METRIC:
        found = metric_sum(meaning, figures)
        name = meaning.evaluator or ""
        if found is None or name in inside:
            return None
        return _of_sum(found, figures, inside | {name})
    if meaning.unit is Unit.COEFFICIENT:
        return Scale(-1.0, 1.0, meaning.unit)
    return Scale(0.0, 1.0 if meaning.unit is Unit.SHARE else inf, meaning.unit)


def metric_sum(meaning: Meaning, figures: SuiteFigures) -> Sum | None:
    """Return the sum that a metric stands for; None if it has errors."""
    written = figures.metrics.get(meaning.evaluator or "")
    return None if written is None or isinstance(written.tree, GateProblem) else written.tree


def measured_figures(
    figure: Figure, figures: SuiteFigures, inside: frozenset[str] = frozenset()
) -> Iterator[tuple[Figure, Meaning]]:
    """Yield a figure with its meaning, or in place of a metric the figures that it is made of."""
    meaning = figures.meaning(figure)
    if meaning is None:
        return
    if meaning.kind is not FigureKind.METRIC:
        yield figure, meaning
        return
    name, found = meaning.evaluator or "", metric_sum(meaning, figures)
    if found is None or name in inside:
        return
    for term in found.terms:
        inner = term.of.figure if isinstance(term.of, Extreme) else term.of
        yield from measured_figures(inner, figures, inside | {name})
