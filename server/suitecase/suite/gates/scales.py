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
from suitecase.suite.gates.metric_sizes import usable_sum
from suitecase.suite.gates.names import SuiteFigures
from suitecase.syntax.cache import Cache


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
    scale = _of_sum(sum_of(expression), figures)
    if scale is not None and any(it.text == "change" for it in functions_in(expression)):
        width = scale.high - scale.low
        return Scale(-width, width, scale.unit)
    return scale


def scale_of_term(term: Term, figures: SuiteFigures) -> Scale | None:
    """Return the values that a term can have."""
    figure = term.of.figure if isinstance(term.of, Extreme) else term.of
    scale = _of_figure(figure, figures)
    if scale is None:
        return None
    if isinstance(term.of, Extreme) and term.of.function.text == "gap":
        scale = Scale(0.0, scale.high - scale.low, scale.unit)
    return scale.times(term.weight)


#: The scales of metrics by name; each is worked out once, however often it is used.
_OF_METRICS: Cache[dict[str, Scale | None]] = Cache()


def _of_sum(found: Sum, figures: SuiteFigures) -> Scale | None:
    scales = [scale_of_term(it, figures) for it in found.terms]
    known = [it for it in scales if it is not None]
    if len(known) < len(scales) or len({it.unit for it in known}) > 1:
        return None
    low, high = sum(it.low for it in known), sum(it.high for it in known)
    return Scale(_rounded(low), _rounded(high), known[0].unit)


def _rounded(value: float) -> float:
    """Return a sum without the rounding errors of its terms: 0.1 + 0.2 is 0.3."""
    return round(value, 12)


def _of_figure(figure: Figure, figures: SuiteFigures) -> Scale | None:
    meaning = figures.meaning(figure)
    if meaning is None:
        return None
    if meaning.kind is FigureKind.METRIC:
        known = _OF_METRICS.of(figures, dict)
        name = meaning.evaluator or ""
        if name not in known:
            found = usable_sum(name, figures)
            known[name] = _of_sum(found, figures) if found is not None else None
        return known[name]
    if meaning.unit is Unit.COEFFICIENT:
        return Scale(-1.0, 1.0, meaning.unit)
    return Scale(0.0, 1.0 if meaning.unit is Unit.SHARE else inf, meaning.unit)


def measured_figures(figure: Figure, figures: SuiteFigures) -> Iterator[tuple[Figure, Meaning]]:
    """Yield a figure with its meaning, or in place of a metric the figures that it is made of.

    What several metrics inside it are made of is yielded once.
    """
    seen: set[str] = set()
    pending = [figure]
    while pending:
        current = pending.pop()
        meaning = figures.meaning(current)
        if meaning is None:
            continue
        if meaning.kind is not FigureKind.METRIC:
            yield current, meaning
            continue
        name = meaning.evaluator or ""
        found = usable_sum(name, figures) if name not in seen else None
        seen.add(name)
        if found is not None:
            pending += [
                it.of.figure if isinstance(it.of, Extreme) else it.of
                for it in reversed(found.terms)
            ]
