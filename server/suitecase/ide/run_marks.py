"""What a run found, at the places of the suite it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from suitecase.ide.results import CaseResult, EvaluatorResult, is_stale
from suitecase.ide.verdicts import changed, cut, worded
from suitecase.rule import Related, Severity
from suitecase.suite.elements import (
    WrittenEvaluator,
    WrittenEvaluators,
    WrittenRubric,
    WrittenRubrics,
)
from suitecase.suite.written import WrittenCase, WrittenSuite
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Node, Scalar, Sequence, Span
from suitecase_evaluators.score import Verdict

#: What misses start with: the rubric, in a composite after the member that it is in.
_NAMED = re.compile(r"\[([^\]]+)\] ")
#: The evaluator that a case's own `rubrics` become.
_OF_CASE = "rubric"
_SEVERITIES = {
    Verdict.FAIL: Severity.WARNING,
    Verdict.ERROR: Severity.ERROR,
    Verdict.BORDERLINE: Severity.INFO,
    Verdict.NOT_EVALUATED: Severity.INFO,
}


@dataclass(frozen=True, slots=True)
class RunMark:
    """A verdict, a miss, or why a case could not be run.

    Attributes:
        verdict: that of the case.
        case: the id of the case.
        related: the range that a score lies in; places in the suite.
        judge: the target that said so; None for a verdict, and where nobody was asked.
    """

    span: Span
    severity: Severity
    message: str
    verdict: Verdict
    case: str
    related: tuple[Related, ...] = ()
    judge: str | None = None


def run_marks(
    suite: WrittenSuite,
    results: Mapping[str, CaseResult],
    problems: Mapping[str, str] = MappingProxyType({}),
) -> list[RunMark]:
    """Return what to mark in a suite of the last results of its cases.

    A failed case is a warning: it is the answer that is wrong, not the suite. A case that could
    not be graded is an error. A case that passed is not marked itself, but what it missed is.
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
    suite: WrittenSuite, number: int, result: CaseResult | None, problem: str | None = None
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
    suite: WrittenSuite, number: int, case_id: Span, result: CaseResult
) -> Iterator[RunMark]:
    stale = is_stale(suite, number, result)
    places = _Places(suite.cases[number])

    def mark(
        span: Span,
        severity: Severity,
        message: str,
        related: tuple[Related, ...] = (),
        judge: str | None = None,
    ) -> RunMark:
        if stale:
            severity, message = Severity.INFO, f"{message} (stale: {changed(result)} since)"
        placed = tuple(Related(it.message, suite.place(number, it.span)) for it in related)
        span = suite.place(number, span)
        return RunMark(span, severity, message, result.verdict, result.case, placed, judge)

    if result.verdict in _SEVERITIES:
        why = result.error or result.reasoning
        message = worded(result) + (f": {cut(why)}" if why else "")
        yield mark(case_id, _SEVERITIES[result.verdict], message)
    severity = Severity.WARNING if result.verdict is Verdict.FAIL else Severity.INFO
    for evaluator, miss in _misses(result):
        span, text, rubric = places.of(_name(evaluator) if evaluator else "", miss)
        judge = evaluator.judge if evaluator else None
        score = evaluator.raw_scores.get(rubric.id) if evaluator and rubric else None
        related = _range_of(rubric, score) if rubric else ()
        yield mark(span or case_id, severity, f"missed: {cut(text)}", related, judge)


def _misses(result: CaseResult) -> Iterator[tuple[EvaluatorResult | None, str]]:
    graded = [it for it in result.evaluators if it.misses]
    if not graded:
        yield from ((None, miss) for miss in result.misses)
    for it in graded:
        yield from ((it, miss) for miss in it.misses)


def _range_of(rubric: WrittenRubric, score: object) -> tuple[Related, ...]:
    """Return the range of a rubric that a score lies in."""
    if isinstance(score, bool) or not isinstance(score, int):
        return ()
    message = f"the judge gave {score}, which lies in this range"
    for low, high, node in rubric.listed_ranges() or ():
        if low <= score <= high:
            return (Related(message, node.span),)
    below = [(low, key) for low, key in rubric.mapped_ranges() or () if low <= score]
    return (Related(message, max(below, key=lambda it: it[0])[1].span),) if below else ()


def _name(evaluator: EvaluatorResult) -> str:
    return evaluator.name or _OF_CASE


class _Places:
    """The rubrics and evaluators that stand in a case, by evaluator and rubric id."""

    def __init__(self, case: WrittenCase) -> None:
        self._rubrics: dict[tuple[str, str], tuple[Span, WrittenRubric | None]] = {}
        self._evaluators: dict[str, Span] = {}
        node = case.node or Tree(0, 0, {}, flow=False)
        self._add_rubrics(_OF_CASE, node.get("rubrics"))
        self._add_evaluators(node.get("evaluators"))
        execution = node.get("execution")
        if isinstance(execution, Tree):
            self._add_evaluators(execution.get("evaluators"))

    def of(self, evaluator: str, miss: str) -> tuple[Span | None, str, WrittenRubric | None]:
        """Return where a miss belongs, its text without the names that led there, its rubric."""
        path, text = [evaluator], miss
        while named := _NAMED.match(text):
            inner, rest = named.group(1), text[named.end() :]
            rubric = self._rubrics.get((path[-1], inner))
            if rubric is not None:
                return rubric[0], rest, rubric[1]
            if inner not in self._evaluators:
                break
            path.append(inner)
            text = rest
        return self._evaluators.get(path[-1]), text, None

    def _add_evaluators(self, node: Node | None) -> None:
        if not isinstance(node, Sequence):
            return
        for entry in WrittenEvaluators(node).items:
            self._add_evaluator(entry)

    def _add_evaluator(self, entry: WrittenEvaluator) -> None:
        if entry.name is not None:
            self._evaluators.setdefault(entry.name.text, entry.name.span)
            self._add_rubrics(entry.name.text, entry.node.get("rubrics"))
        self._add_evaluators(entry.node.get("evaluators"))

    def _add_rubrics(self, evaluator: str, node: Node | None) -> None:
        if not isinstance(node, Sequence):
            return
        for rubric in WrittenRubrics(node).items:
            self._rubrics.setdefault((evaluator, rubric.id), (_place(rubric), rubric))
        for number, item in enumerate(node.items, 1):
            if isinstance(item, Scalar):
                self._rubrics.setdefault((evaluator, f"rubric-{number}"), (item.span, None))


def _place(rubric: WrittenRubric) -> Span:
    own = rubric.node.get("id")
    if isinstance(own, Scalar):
        return own.span
    return min((entry.key.span for _, entry in rubric.node), default=rubric.node.span)
