"""Marks of run results, at the positions in the suite they concern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.graded_places import GradedPlaces
from suitecase.editor.results import CaseResult, EvaluatorResult, is_stale
from suitecase.editor.run_mark import SEVERITIES, RunMark
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.test_marks import marks_of_test, problem_mark
from suitecase.editor.verdicts import changed, cut, error_of, with_stand_in
from suitecase.format.rule import Related, Severity
from suitecase.formats.suitecase.elements import ParsedRubric
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.status import SETTLED, Status


def run_marks(
    suite: ParsedSuite,
    results: Mapping[str, CaseResult],
    problems: Mapping[str, str] = MappingProxyType({}),
) -> list[RunMark]:
    """Return the marks of the last results in a suite.

    A failed case is a warning: the answer is wrong, not the suite. A case that could not be graded,
    also since its judge failed, is an error. A case that passed is not marked, but its misses are, as hints, and its doubtful
    grades. Marks of stale results are informational. A message is shown once at each place: the
    verdict does not repeat a miss that is marked at its rubric or evaluator.

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


def urgency(result: CaseResult | None, problem: str | None = None) -> int:
    """Return how much the marks of a case matter: 0 for errors and warnings, which matter most, 1 for
    information, 2 for hints; 3 if there are no marks.
    """
    if problem is not None:
        return 0
    if result is None:
        return 3
    if result.status in (Status.ERROR, Status.JUDGE_FAILED, Status.FAIL) or any(
        _doubts(result.evaluators)
    ):
        return 0
    if result.status in SEVERITIES:
        return 1
    return 2 if any(_misses(result)) or any(map(any, map(_misses, result.rows))) else 3


def marks_of_case(
    suite: RunnableCases, number: int, result: CaseResult | None, problem: str | None = None
) -> list[RunMark]:
    """Return the marks of one case; none for a case without an id."""
    case_id = suite.cases[number].id
    if case_id is None:
        return []
    marks: list[RunMark] = []
    if problem is not None:
        span = suite.place(number, case_id.span)
        marks.append(problem_mark(span, case_id.text, problem))
    if result is not None and isinstance(suite, DialectTests):
        marks += marks_of_test(suite, number, result)
    elif result is not None and isinstance(suite, ParsedSuite):
        marks += _of_case(suite, number, case_id.span, result)
    # Several evaluators at one place may say the same.
    return list({(mark.span, mark.message): mark for mark in marks}.values())


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
        is_hint: bool = False,
    ) -> RunMark:
        if stale:
            severity, message = Severity.INFO, f"{message} (stale: {changed(result)} since)"
        related_spans = tuple(Related(it.message, suite.place(number, it.span)) for it in related)
        span = suite.place(number, span)
        return RunMark(
            span,
            severity,
            message,
            result.status,
            result.case,
            related_spans,
            judge,
            is_miss,
            is_hint,
        )

    misses = [(it, *places.of(it.name if it else None, miss)) for it, miss in _misses(result)]
    elsewhere = [text for _, span, text, _ in misses if span is not None]
    here = [text for _, span, text, _ in misses if span is None]
    if result.status in SEVERITIES:
        cause = cut(_cause(result, elsewhere, here))
        message = with_stand_in(result) + (f": {cause}" if cause else "")
        is_hint = result.status is Status.NOT_EVALUATED
        yield mark(case_id, SEVERITIES[result.status], message, is_hint=is_hint)
    for doubtful, doubt in _doubts(result.evaluators):
        span, *_ = places.of(doubtful.name, "")
        doubt_message = f"evaluator `{doubtful.name}`: {cut(doubt)}"
        yield mark(span or case_id, Severity.WARNING, doubt_message, judge=doubtful.judge)
    severity = Severity.WARNING if result.status is Status.FAIL else Severity.INFO
    is_hint = result.status in SETTLED
    for evaluator, span, text, rubric in misses:
        if span is None and result.status in SEVERITIES:
            continue  # the verdict says it
        judge = evaluator.judge if evaluator else None
        score = evaluator.raw_scores.get(rubric.id) if evaluator and rubric else None
        related = _range_of(rubric, score) if rubric else ()
        miss_message = f"missed: {cut(text)}"
        yield mark(
            span or case_id, severity, miss_message, related, judge, is_miss=True, is_hint=is_hint
        )


def _cause(result: CaseResult, elsewhere: Sequence[str], here: Sequence[str]) -> str:
    """Return the reason of a verdict, without what is marked elsewhere in the case.

    Args:
        result: the result.
        elsewhere: the misses that are marked at rubrics and evaluators.
        here: the other misses.
    """
    if result.status in (Status.ERROR, Status.JUDGE_FAILED):
        return error_of(result)
    if here:
        return "; ".join(dict.fromkeys(here))
    reason = result.reasoning or result.error or ""
    return "" if any(it in reason for it in elsewhere) else reason


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
