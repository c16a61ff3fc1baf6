"""Which rubrics and evaluators of a case its last answer met."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.ide.graded_places import GradedPlaces
from suitecase.ide.results import CaseResult
from suitecase.ide.verdicts import cut
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class RubricOutcome:
    """What a result says of a rubric, or of an evaluator without rubrics.

    Attributes:
        span: where it is named; a place in the suite.
        met: whether nothing was missed there.
        text: why, in the words of the evaluator.
    """

    span: Span
    met: bool
    text: str


def rubric_outcomes(suite: ParsedSuite, number: int, result: CaseResult) -> list[RubricOutcome]:
    """Return what a result says of the rubrics of a case, in the order they are written.

    Rubrics that nothing was said of are left out: they were not graded, or are no longer there.

    Args:
        suite: the suite as it is now.
        number: the case's place in it.
        result: the last result of the case.
    """
    places = GradedPlaces(suite.cases[number])
    found: dict[Span, RubricOutcome] = {}
    for evaluator in result.evaluators:
        # Misses first: one is enough, and says more than the hits beside it.
        for met, said in (
            *((False, it) for it in evaluator.misses),
            *((True, it) for it in evaluator.hits),
        ):
            span, text, _ = places.of(evaluator.name, said)
            if span is not None:
                placed = suite.place(number, span)
                found.setdefault(placed, RubricOutcome(placed, met, cut(text)))
    return sorted(found.values(), key=lambda it: it.span.start)
