"""What a gate that holds says about the values of figures."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.figures.gates.grammar import Extreme, Figure, Gate, Sum, functions_in, sum_of
from suitecase.figures.gates.meaning import FigureKind
from suitecase.figures.gates.names import SuiteFigures

#: Identifies a value: functions around a sum, and its terms.
_Key = tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a value: at least a limit, or at most; `strict` excludes the limit itself."""

    key: _Key
    at_least: bool
    limit: float
    strict: bool

    def excludes(self, other: Bound) -> bool:
        """Whether no value is within both bounds."""
        if self.key != other.key or self.at_least == other.at_least:
            return False
        low, high = (self, other) if self.at_least else (other, self)
        return low.limit > high.limit or (low.limit == high.limit and (low.strict or high.strict))

    def is_tighter(self, other: Bound) -> bool:
        """Whether this leaves fewer values than another bound of the same value on the same side."""
        sign = -1 if self.at_least else 1
        return (sign * self.limit, not self.strict) < (sign * other.limit, not other.strict)


def implied_bounds(gate: Gate, figures: SuiteFigures) -> list[Bound]:
    """Return the bounds within which a gate holds: of its own value, and of the figure's.

    The figure is at least the lower bound of its interval, and at most the upper one.
    """
    functions = tuple(function.text for function in functions_in(gate))
    strict = gate.comparison in (">", "<")
    key, mirrored = _key(sum_of(gate), figures)
    found = [(functions, gate.at_least)]
    if functions[:1] == (("lower",) if gate.at_least else ("upper",)):
        found.append((functions[1:], gate.at_least))
    limit = gate.threshold.value
    # 1 - x is at most the limit where x is at least 1 - limit; so it is of the bounds.
    return [
        Bound((tuple(map(_mirrored, around)), key), not at_least, round(1 - limit, 12), strict)
        if mirrored and "change" not in around
        else Bound((around, (*key, ("mirrored",)) if mirrored else key), at_least, limit, strict)
        for around, at_least in found
    ]


def _mirrored(function: str) -> str:
    return {"lower": "upper", "upper": "lower"}.get(function, function)


def _key(found: Sum, figures: SuiteFigures) -> tuple[tuple[tuple[object, ...], ...], bool]:
    """Return what identifies a sum, and whether it is 1 minus that: a rate of violations."""
    only = found.only_term
    if isinstance(only, Figure):
        meaning = figures.meaning(only)
        if meaning is not None and meaning.kind is FigureKind.VIOLATION_RATE:
            return ((FigureKind.PASS_RATE.value, _slice(only)),), True
    terms = []
    for term in found.terms:
        of = term.of
        figure = of.figure if isinstance(of, Extreme) else of
        by = (of.function.text, of.facet.text) if isinstance(of, Extreme) else ()
        weight = () if term.number is None and len(found.terms) == 1 else (term.weight,)
        terms.append((figure.name, _slice(figure), *by, *weight))
    return tuple(terms), False


def _slice(figure: Figure) -> str | None:
    return figure.slice.text if figure.slice is not None else None
