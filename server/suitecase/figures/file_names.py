"""Which expressions are about files of the suite instead of the answers of a run."""

from __future__ import annotations

from suitecase.figures.gates.grammar import Expression, Figure, functions_in, sum_of
from suitecase.figures.gates.meaning import FROM_FILES, FigureNames, Meaning, meaning_of


def file_figure(expression: Expression, names: FigureNames) -> Meaning | None:
    """Return the figure of people or of a judge that an expression is, maybe as a bound; else None.

    Such a figure has no slice, and is no part of a sum.
    """
    figure = sum_of(expression).only_term
    if not isinstance(figure, Figure) or figure.slice is not None:
        return None
    if not {function.text for function in functions_in(expression)} <= {"lower", "upper"}:
        return None
    meaning = meaning_of(figure, names)
    return meaning if meaning is not None and meaning.kind in FROM_FILES else None
