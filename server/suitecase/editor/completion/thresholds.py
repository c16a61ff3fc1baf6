"""Thresholds for gates, and which of them a number of cases can reach."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.figure_words import intervals, units
from suitecase.figures.gates.grammar import Figure, Gate, functions_in, sum_of
from suitecase.figures.gates.meaning import FROM_FILES, FigureKind, Unit, meaning_of
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.statistics.binomial import lower_bound_if_all_pass, upper_bound_if_none
from suitecase.text.plural import counted

_AT_LEAST = (99, 98, 95, 90, 85, 80, 75, 70, 60, 50)
_AT_MOST = (0, 1, 2, 5, 10, 15, 20, 25, 30, 40)
#: Of alpha and kappa, by those who proposed them.
_COEFFICIENTS = (
    ("0.8", "reliable (Krippendorff 2004); almost perfect above it (Landis and Koch 1977)"),
    ("0.667", "the least for tentative conclusions (Krippendorff 2004)"),
    ("0.6", "substantial agreement begins here (Landis and Koch 1977)"),
    ("0.4", "moderate agreement begins here (Landis and Koch 1977)"),
)
#: The figures of which less is better.
_BAD = (
    FigureKind.VIOLATION_RATE,
    FigureKind.REFUSAL_RATE,
    FigureKind.ERROR_RATE,
    FigureKind.JUDGE_FAILURE_RATE,
)


def thresholds(before: str, figures: SuiteFigures) -> Iterator[tuple[str, str]]:
    """Yield the thresholds that a gate can have, with a remark.

    Args:
        before: the gate up to the threshold.
        figures: the figures of the suite.
    """
    gate = parse_gate(f"{before}0")
    if not isinstance(gate, Gate):
        return
    figure = sum_of(gate).only_term
    meaning = meaning_of(figure, figures.names) if isinstance(figure, Figure) else None
    if meaning is not None and meaning.unit is Unit.COEFFICIENT:
        yield from _COEFFICIENTS if gate.at_least else ()
    elif meaning is None or meaning.unit is Unit.SHARE:
        names = [function.text for function in functions_in(gate)]
        name = names[0] if names else ""
        if "corrected" in names or (meaning is not None and meaning.kind in FROM_FILES):
            name = ""  # how many cases there are says nothing about its bound
        if isinstance(figure, Figure) and name == "lower" and gate.at_least:
            yield from _reached(figure, figures, at_least=True)
        elif isinstance(figure, Figure) and name == "upper" and not gate.at_least:
            yield from _reached(figure, figures, at_least=False)
        elif name != "change":
            offered = _AT_LEAST[1:-1] if gate.at_least else _AT_MOST
            yield from ((f"{it}%", "") for it in sorted(offered, reverse=gate.at_least))


def best_bound(figures: SuiteFigures, slice_name: str | None) -> int | None:
    """Return the highest usual threshold, in percent, that the lower bound of a slice can reach."""
    reached = (limit for limit in _AT_LEAST if limit <= 100 * _limit(figures, slice_name, True))
    return next(reached, None)


def _reached(figure: Figure, figures: SuiteFigures, *, at_least: bool) -> Iterator[tuple[str, str]]:
    slice_name = figure.slice.text if figure.slice is not None else None
    limit = 100 * _limit(figures, slice_name, at_least)
    cases = counted(_units(figures, slice_name), "case")
    for it in _AT_LEAST if at_least else _AT_MOST:
        if (it <= limit) if at_least else (it >= limit):
            remark = "if all pass" if at_least else "if none does"
            yield f"{it}%", f"within reach of {cases}: the bound is {limit / 100:.3f} {remark}"


def _limit(figures: SuiteFigures, slice_name: str | None, at_least: bool) -> float:
    n = _units(figures, slice_name)
    if n == 0:
        return 0.0 if at_least else 1.0
    confidence = intervals(figures).confidence
    return (
        lower_bound_if_all_pass(n, confidence) if at_least else upper_bound_if_none(n, confidence)
    )


def _units(figures: SuiteFigures, slice_name: str | None) -> int:
    choice = figures.choose(slice_name) if slice_name is not None else None
    if slice_name is not None and choice is None:
        return 0
    return units(figures, figures.cases_of(choice))
