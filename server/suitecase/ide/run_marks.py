"""Marks of run results, at the positions in the suite they concern."""

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
    """A verdict, a miss, a doubtful grade, or the reason a case could not be run.

    Attributes:
        verdict: the verdict of the case.
        case: the id of the case.
        related: the score range of a score, as a span of the suite.
        judge: the target that judged; None for a verdict, and if no judge was called.
        is_miss: whether it is a miss.
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
    """Return the marks of the last results in a suite.

    A failed case is a warning: the answer is wrong, not the suite. A case that could not be graded
    is an error. A case that passed is not marked, but its misses and doubtful grades are. Marks of
    stale results are informational.

    Args:
        suite: the current suite.
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
    """Return the marks of one case; none for a case without an id."""
    case_id = suite.cases[number].id
    if case_id is None:
        return []
    marks: list[RunMark] = []
    if problem is not None:
        span = suite.place(number, case_id.span)
        message = f"not run: {cut(problem)}"
        marks.append(RunMark(span, Severity.ERROR, message, Verdict.ERROR, case_id.text))
    if result is not None:
        marks += _of_case(suite, number, case_id.span, result)
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
        related_spans = tuple(Related(it.message, suite.place(number, it.span)) for it in related)
        span = suite.place(number, span)
        return RunMark(
            span, severity, message, result.verdict, result.case, related_spans, judge, is_miss
        )

    if result.verdict in _SEVERITIES:
        cause = result.error or result.reasoning
        message = worded(result) + (f": {cut(cause)}" if cause else "")
        yield mark(case_id, _SEVERITIES[result.verdict], message)
    for doubtful, doubt in _doubts(result.evaluators):
        span, *_ = places.of(doubtful.name, "")
        doubt_message = f"evaluator `{doubtful.name}`: {cut(doubt)}"
        yield mark(span or case_id, Severity.WARNING, doubt_message, judge=doubtful.judge)
    severity = Severity.WARNING if result.verdict is Verdict.FAIL else Severity.INFO
    for evaluator, miss in _misses(result):
        span, text, rubric = places.of(evaluator.name if evaluator else None, miss)
        judge = evaluator.judge if evaluator else None
        score = evaluator.raw_scores.get(rubric.id) if evaluator and rubric else None
        related = _range_of(rubric, score) if rubric else ()
        miss_message = f"missed: {cut(text)}"
        yield mark(span or case_id, severity, miss_message, related, judge, is_miss=True)


def _doubts(graded: Iterable[EvaluatorResult]) -> Iterator[tuple[EvaluatorResult, str]]:
    for evaluator in graded:
        yield from ((evaluator, doubt) for doubt in evaluator.doubts)
        yield from _doubts(evaluator.members)


def _misses(result: CaseResult) -> Iterator[tuple[EvaluatorResult | None, str]]:
    graded = [it for it in result.evaluators if it.misses]
    if not graded:
        yield from ((None, miss) for miss in result.misses)
    for evaluator in graded:
        yield from ((evaluator, miss) for miss in evaluator.misses)


def _range_of(rubric: ParsedRubric, score: object) -> tuple[Related, ...]:
    """Return the range of a rubric that contains a score."""
    if isinstance(score, bool) or not isinstance(score, int):
        return ()
    message = f"the judge gave {score}, which lies in this range"
    for low, high, node in rubric.listed_ranges() or ():
        if low <= score <= high:
            return (Related(message, node.span),)
    below = [(low, key) for low, key in rubric.mapped_ranges() or () if low <= score]
    return (Related(message, max(below, key=lambda it: it[0])[1].span),) if below else ()
