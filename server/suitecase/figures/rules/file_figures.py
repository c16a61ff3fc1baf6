"""What figures from labels and calibrations cannot be, and what they and `corrected` need: for SC809."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import (
    Call,
    Expression,
    Extreme,
    Figure,
    Gate,
    Name,
    Part,
    functions_in,
    sum_of,
)
from suitecase.figures.gates.meaning import FROM_FILES, OF_PEOPLE, FigureKind, Meaning
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.scales import scale_of
from suitecase.figures.gates.spelling import spelt
from suitecase.figures.gates.written import WrittenGate, WrittenMetric
from suitecase.format.rule import Finding, replace

_OF_PEOPLE = frozenset(OF_PEOPLE.values())


def unmeasured_by_files(figures: SuiteFigures) -> Iterator[Finding]:
    """Yield findings about figures of `human` and `judges`, and about `corrected`."""
    for formula in figures.formulas:
        tree = formula.tree
        if isinstance(tree, GateProblem):
            continue
        for term in sum_of(tree).terms:
            figure = term.of.figure if isinstance(term.of, Extreme) else term.of
            meaning = figures.meaning(figure)
            if meaning is None or meaning.kind not in FROM_FILES:
                continue
            message = _misused(formula, figure, isinstance(term.of, Extreme), figures)
            message = message or _uncalibrated(figure, meaning, figures)
            if message is not None:
                yield Finding(formula.span(Name(figure.start, figure.name_end, "")), message)
        if isinstance(tree, Gate):
            yield from _corrected(formula, tree.expression, figures)


def _misused(
    formula: WrittenGate | WrittenMetric, figure: Figure, by_facet: bool, figures: SuiteFigures
) -> str | None:
    """Return what a figure from files is asked to be that it cannot be."""
    tree = formula.tree
    if isinstance(tree, GateProblem):
        return None
    of = f"`{figure.name}` is not computed from the answers of a run"
    if figure.slice is not None or by_facet:
        return f"{of}, so it has no slices"
    functions = functions_in(tree)
    if any(function.text == "change" for function in functions):
        return f"{of}, so it has no change"
    is_alone = isinstance(tree, Gate) and sum_of(tree).only_term is not None
    if is_alone:
        return None
    if isinstance(tree, Gate) and scale_of(tree.expression, figures) is None:
        return None  # terms of different units have their own rule
    return f"{of}, so it cannot be part of a sum or a metric; give it a gate of its own"


def _uncalibrated(figure: Figure, meaning: Meaning, figures: SuiteFigures) -> str | None:
    if meaning.kind in _OF_PEOPLE or _has_calibration(meaning.evaluator or "", figures):
        return None
    return f"`judges.{meaning.evaluator}` names no `calibration`, from which `{figure.name}` is computed"


def _has_calibration(name: str, figures: SuiteFigures) -> bool:
    """Whether a judge names a calibration file, as far as the head can be read."""
    head = figures.head.model
    if head is None:
        return True
    protocol = (head.judges or {}).get(name)
    return protocol is not None and protocol.calibration is not None


def _corrected(
    formula: WrittenGate | WrittenMetric, expression: Expression, figures: SuiteFigures
) -> Iterator[Finding]:
    while isinstance(expression, Call) and expression.function.text != "corrected":
        expression = expression.of
    if not isinstance(expression, Call):
        return
    inner = sum_of(expression)
    figure = inner.only_term
    meaning = figures.meaning(figure) if isinstance(figure, Figure) else None
    if isinstance(figure, Figure) and meaning is None:
        return  # an unknown name has its own rule
    name = meaning.evaluator if meaning is not None else None
    if isinstance(figure, Figure) and meaning is not None and name is not None:
        if meaning.kind is FigureKind.EVALUATOR_PASS_RATE:
            if not _has_calibration(name, figures):
                yield Finding(
                    formula.span(figure),
                    f"`judges.{name}` names no `calibration`, so the errors of `{name}` are not known",
                )
            return
        if meaning.kind is FigureKind.EVALUATOR_SCORE and (meant := spelt(name, "pass_rate")):
            span = formula.span(Name(figure.start, figure.name_end, ""))
            yield Finding(
                span,
                f"`corrected` takes the pass rate of a judge; did you mean `{meant}`?",
                replace(span, meant, f"Change to `{meant}`", safe=False),
            )
            return
    yield Finding(
        formula.span(Part(inner.start, inner.end)),
        "`corrected` takes the pass rate of one judge, such as `corrected(rubric.pass_rate)`",
    )
