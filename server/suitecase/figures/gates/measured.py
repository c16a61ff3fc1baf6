"""The cases in which a figure can be measured: those that its evaluator grades."""

from __future__ import annotations

from suitecase.figures.gates.grammar import Figure
from suitecase.figures.gates.meaning import FROM_FILES, EvaluatorNames, FigureKind, Meaning
from suitecase.figures.gates.names import SuiteFigures


def measured_cases(
    figure: Figure, meaning: Meaning, figures: SuiteFigures, numbers: tuple[int, ...]
) -> tuple[int, ...]:
    """Return those of some cases that a figure can be measured in.

    A case of which that is unknown, since it or its evaluator has errors, counts as one.
    """
    if meaning.evaluator is None or meaning.kind in FROM_FILES:
        return numbers
    known: dict[int, bool] = {}  # cases share their evaluators
    found = []
    for number in numbers:
        evaluators = figures.evaluators[number]
        gives = known.get(id(evaluators))
        if gives is None:
            gives = evaluators is None or (
                meaning.evaluator in evaluators and _gives(evaluators[meaning.evaluator], meaning)
            )
            known[id(evaluators)] = gives
        if gives:
            found.append(number)
    return tuple(found)


def _gives(names: EvaluatorNames | None, meaning: Meaning) -> bool:
    if names is None:
        return True
    match meaning.kind:
        case FigureKind.EVALUATOR_PART:
            return meaning.part in names.parts
        case FigureKind.RECALL:
            return names.labels is not None and meaning.part in names.labels
        case FigureKind.MACRO_F1:
            return names.labels is not None
        case FigureKind.TIES | FigureKind.CONSISTENCY:
            return names.compares
        case _:
            return True
