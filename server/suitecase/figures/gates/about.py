"""Which slices and facets a gate is about."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Extreme, Figure, functions_in, sum_of
from suitecase.figures.gates.meaning import FigureKind, Unit
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.scales import scale_of
from suitecase.figures.gates.written import WrittenGate, WrittenMetric

#: Figures about whether answers came, not about their content.
_OF_RUNNING = frozenset({FigureKind.ERROR_RATE, FigureKind.JUDGE_FAILURE_RATE})


def extremes_in(formula: WrittenGate | WrittenMetric) -> Iterator[Extreme]:
    """Yield what a gate or a metric compares by a facet."""
    if not isinstance(formula.tree, GateProblem):
        yield from (term.of for term in sum_of(formula.tree).terms if isinstance(term.of, Extreme))


def compares_facet(formula: WrittenGate | WrittenMetric, facet: str) -> bool:
    """Whether a gate or a metric compares the slices of a facet."""
    return any(extreme.facet.text == facet for extreme in extremes_in(formula))


def names_slice(figure: Figure, declared: str, figures: SuiteFigures) -> bool:
    """Whether a figure is of a declared slice, or of a value of a facet."""
    if figure.slice is None:
        return False
    choice = figures.choose(figure.slice.text)
    return choice is not None and choice.declared == declared


def is_about(gate: WrittenGate, declared: str, figures: SuiteFigures) -> bool:
    """Whether a gate says how good the answers of a slice, or of a facet's slices, have to be.

    Costs and errors say nothing about that, and a change says nothing without a baseline.
    """
    tree = gate.tree
    if isinstance(tree, GateProblem) or any(
        function.text == "change" for function in functions_in(tree)
    ):
        return False
    scale = scale_of(tree.expression, figures)
    if scale is not None and scale.unit is not Unit.SHARE:
        return False
    named = [figure for figure in gate.figures() if names_slice(figure, declared, figures)]
    named += [extreme.figure for extreme in extremes_in(gate) if extreme.facet.text == declared]
    meanings = [figures.meaning(it) for it in named]
    return any(meaning is not None and meaning.kind not in _OF_RUNNING for meaning in meanings)
