"""What a run found, at the places of the suite it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from suitecase.ide.graded_places import GradedPlaces
from suitecase.ide.results import CaseResult, EvaluatorResult, is_stale
from suitecase.ide.verdicts import changed, cut, worded
from suitecase.rule import Related, Severity
from suitecase.suite.elements import ParsedRubric
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Span
from suitecase_evaluators.score import Verdict

_SEVERITIES = {
    Verdict.FAIL: Severity.WARNING,
    Verdict.ERROR: Severity.ERROR,
    Verdict.BORDERLINE: Severity.INFO,
    Verdict.NOT_EVALUATED: Severity.INFO,
}


@dataclass(frozen=True, slots=True)
class RunMark:
    """A verdict, a miss, a doubtful grade, or why a case could not be run.

    Attributes:
        verdict: that of the case.
        case: the id of the case.
        related: the range that a score lies in; places in the suite.
        judge: the target that said so; None for a verdict, and where nobody was asked.
        is_miss: whether it is something that an answer missed.
    """

    span: Span
    severity: Severity
    message: str
    verdict: Verdict
    case: str
    related: tuple[Related, ...] = ()
    judge: str | None = None
    is_miss: bool = False


def run_marks(
    suite: ParsedSuite,
    results: Mapping[str, CaseResult],
    problems: Mapping[str, str] = MappingProxyType({}),
) -> list[RunMark]:
    """Return what to mark in a suite of the last results of its cases.

    A failed case is a warning: it is the answer that is wrong, not the suite. A case that could
    not be graded is an error. A case that passed is not marked itself, but what it missed is, and
    a grade that is doubtful.
    Marks of cases that have changed since are mere information.

    Args:
        suite: the suite as it is now.
        results: the last results, by case.
        problems: why cases could not be run the last time, by case.
    """
    marks: list[RunMark] = []
    for number, case in enumerate(suite.cases if results or problems else ()):
        if case.id is not None:
            name = case.id.text
            marks += marks_of_case(suite, number, results.get(name), problems.get(name))
    return marks


def marks_of_case(
    suite: ParsedSuite, number: int, result: CaseResult | None, problem: str | None = None
) -> list[RunMark]:
    """Return what to mark of one case; nothing of a case without an id."""
    written = suite.cases[number].id
    if written is None:
        return []
    marks: list[RunMark] = []
    if problem is not None:
        span = suite.place(number, written.span)
        message = f"not run: {cut(problem)}"
        marks.append(RunMark(span, Severity.ERROR, message, Verdict.ERROR, written.text))
    if result is not None:
        marks += _of_case(suite, number, written.span, result)
    return marks


def _of_case(
    suite: ParsedSuite, number: int, case_id: Span, result: CaseResult
) -> Iterator[RunMark]:
    stale = is_stale(suite, number, result)
    places = GradedPlaces(suite.cases[number])

    def mark(
        span: Span,
        severity: Severity,
        message: str,
        related: tuple[Related, ...] = (),
        judge: str | None = None,
        *,
        is_miss: bool = False,
    ) -> RunMark:
        if stale:
            severity, message = Severity.INFO, f"{message} (stale: {changed(result)} since)"
        placed = tuple(Related(it.message, suite.place(number, it.span)) for it in related)
        span = suite.place(number, span)
        return RunMark(span, severity, message, result.verdict, result.case, placed, judge, is_miss)

    if result.verdict in _SEVERITIES:
        why = result.error or result.reasoning
        message = worded(result) + (f": {cut(why)}" if why else "")
        yield mark(case_id, _SEVERITIES[result.verdict], message)
    for doubtful, doubt in _doubts(result.evaluators):
        span, *_ = places.of(doubtful.name, "")
        said = f"evaluator `{doubtful.name}`: {cut(doubt)}"
        yield mark(span or case_id, Severity.WARNING, said, judge=doubtful.judge)
    severity = Severity.WARNING if result.verdict is Verdict.FAIL else Severity.INFO
    for evaluator, miss in _misses(result):
        span, text, rubric = places.of(evaluator.name if evaluator else None, miss)
        judge = evaluator.judge if evaluator else None
        score = evaluator.raw_scores.get(rubric.id) if evaluator and rubric else None
        related = _range_of(rubric, score) if rubric else ()
        said = f"missed: {cut(text)}"
        yield mark(span or case_id, severity, said, related, judge, is_miss=True)


def _doubts(graded: Iterable[EvaluatorResult]) -> Iterator[tuple[EvaluatorResult, str]]:
    for it in graded:
        yield from ((it, doubt) for doubt in it.doubts)
        yield from _doubts(it.members)


def _misses(result: CaseResult) -> Iterator[tuple[EvaluatorResult | None, str]]:
    graded = [it for it in result.evaluators if it.misses]
    if not graded:
        yield from ((None, miss) for miss in result.misses)
    for it in graded:
        yield from ((it, miss) for miss in it.misses)


def _range_of(rubric: ParsedRubric, score: object) -> tuple[Related, ...]:
    """Return the range of a rubric that a score lies in."""
    if isinstance(score, bool) or not isinstance(score, int):
        return ()
    message = f"the judge gave {score}, which lies in this range"
    for low, high, node in rubric.listed_ranges() or ():
        if low <= score <= high:
            return (Related(message, node.span),)
    below = [(low, key) for low, key in rubric.mapped_ranges() or () if low <= score]
    return (Related(message, max(below, key=lambda it: it[0])[1].span),) if below else ()
