"""Which rubrics and evaluators of a case its last answer met."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.editor.graded_places import GradedPlaces
from suitecase.editor.results import CaseResult
from suitecase.editor.verdicts import cut
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span


@dataclass(frozen=True, slots=True)
class RubricOutcome:
    """The outcome of a rubric, or of an evaluator without rubrics.

    Attributes:
        span: its name, as a span of the suite.
        met: whether nothing was missed, as far as a judge says so.
        rehearsed: whether a stand-in took the place of a judge, so that nobody knows.
        text: the evaluator's explanation.
    """

    span: Span
    met: bool
    text: str
    rehearsed: bool = False


def rubric_outcomes(suite: ParsedSuite, number: int, result: CaseResult) -> list[RubricOutcome]:
    """Return the outcomes of a case's rubrics in order.

    Rubrics without an outcome are left out: they were not graded, or no longer exist.

    Args:
        suite: the current suite.
        number: the number of the case.
        result: the last result of the case.
    """
    places = GradedPlaces(suite.cases[number])
    outcomes: dict[Span, RubricOutcome] = {}
    for evaluator in result.evaluators:
        # Misses first: one is enough, and says more than the hits.
        for met, point in (
            *((False, miss) for miss in evaluator.misses),
            *((True, hit) for hit in evaluator.hits),
        ):
            span, text, _ = places.of(evaluator.name, point)
            if span is not None:
                suite_span = suite.place(number, span)
                rehearsed = met and (result.rehearsed or evaluator.rehearsed)
                outcome = RubricOutcome(suite_span, met and not rehearsed, cut(text), rehearsed)
                outcomes.setdefault(suite_span, outcome)
    return sorted(outcomes.values(), key=lambda it: it.span.start)
