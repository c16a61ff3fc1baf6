"""The values that figures and sums of them can have, and their units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Protocol

from suitecase.figures.gates.grammar import (
    Expression,
    Extreme,
    Figure,
    Gate,
    Sum,
    Term,
    functions_in,
    sum_of,
)
from suitecase.figures.gates.meaning import FigureKind, Meaning, Unit
from suitecase.figures.gates.metric_sizes import usable_sum
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.shown import shown_number, shown_threshold
from suitecase.text.cache import Cache


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


class Meanings(Protocol):
    """What figures stand for: a suite with its metrics, or the names of one that has none."""

    def meaning(self, figure: Figure, /) -> Meaning | None:
        """Return what a figure stands for; None for an unknown name."""
        ...


def off_scale(gate: Gate, scale: Scale) -> str | None:
    """Return `never holds` or `always holds` of a threshold that no value can have, else None.

    So it is of one at the end of the scale, too, where no value can be beyond it.
    """
    limit = gate.threshold.value
    if limit > scale.high or (limit == scale.high and gate.comparison == ">"):
        return "never holds" if gate.at_least else "always holds"
    if limit < scale.low or (limit == scale.low and gate.comparison == "<"):
        return "always holds" if gate.at_least else "never holds"
    return None


def off_scale_problem(gate: Gate, text: str, scale: Scale) -> tuple[str, str | None] | None:
    """Return why a gate has a threshold that its figure cannot have, and the one that was meant.

    Args:
        text: the gate as written.
    """
    expression = text[gate.expression.start : gate.expression.end]
    threshold = gate.threshold
    if scale.unit is not Unit.SHARE and threshold.percent:
        is_in = "is" if scale.unit is Unit.COEFFICIENT else "is in"
        message = (
            f"`{expression}` {is_in} {scale.unit.value}, so a threshold in percent means nothing"
        )
        return message, None
    outcome = off_scale(gate, scale)
    if outcome is None:
        return None
    message = f"`{expression}` {lies(scale)}, so `{shown_threshold(gate, text)}` {outcome}"
    percent = threshold.value / 100
    is_percent = not threshold.percent and 1 < threshold.value <= 100
    if scale.unit is Unit.SHARE and is_percent and scale.low <= percent <= scale.high:
        meant = f"{shown_number(threshold.value)}%"
        return f"{message}; did you mean {meant}?", meant
    return message, None


def lies(scale: Scale) -> str:
    """Return where the values of a scale lie, as the verb of a sentence."""
    low, high = shown_number(scale.low), shown_number(scale.high)
    return f"is at least {low}" if high == "inf" else f"lies between {low} and {high}"


def scale_of(expression: Expression, figures: Meanings) -> Scale | None:
    """Return the values that an expression can have.

    None if that is unknown: it has an unknown name, mixes units, or is part of itself.
    """
    scale = _of_sum(sum_of(expression), figures)
    if scale is not None and any(
        function.text == "change" for function in functions_in(expression)
    ):
        width = scale.high - scale.low
        return Scale(-width, width, scale.unit)
    return scale


def scale_of_term(term: Term, figures: Meanings) -> Scale | None:
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


def _of_sum(found: Sum, figures: Meanings) -> Scale | None:
    scales = [scale_of_term(term, figures) for term in found.terms]
    known = [scale for scale in scales if scale is not None]
    if len(known) < len(scales) or len({it.unit for it in known}) > 1:
        return None
    low, high = sum(it.low for it in known), sum(it.high for it in known)
    return Scale(_rounded(low), _rounded(high), known[0].unit)


def _rounded(value: float) -> float:
    """Return a sum without the rounding errors of its terms: 0.1 + 0.2 is 0.3."""
    return round(value, 12)


def _of_figure(figure: Figure, figures: Meanings) -> Scale | None:
    meaning = figures.meaning(figure)
    if meaning is None:
        return None
    if meaning.kind is FigureKind.METRIC:
        if not isinstance(figures, SuiteFigures):
            return None
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
                term.of.figure if isinstance(term.of, Extreme) else term.of
                for term in reversed(found.terms)
            ]
