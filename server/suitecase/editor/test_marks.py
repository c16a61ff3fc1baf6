"""Marks of the last results of another tool's tests: at the test, and at the assertions that failed.

An assertion that grades several tests, such as one of `defaultTest`, is marked once, with the tests
that it fails; those tests are marked as well. Tests in other files are marked there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from suitecase.editor.dialect_tests import DialectTests, GradedPlace, TestElsewhere
from suitecase.editor.graded_places import named_item
from suitecase.editor.results import CaseResult, EvaluatorResult, is_stale, is_stale_by_name
from suitecase.editor.rubric_outcomes import RubricOutcome
from suitecase.editor.run_mark import SEVERITIES, RunMark
from suitecase.editor.verdicts import changed, cut, error_of, with_stand_in
from suitecase.format.rule import Related, Severity
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.status import Status

#: Rows of these need no cause.
_AS_WANTED = (Status.PASS, Status.REHEARSED)

#: The maximum number of tests that a mark names.
_MOST_NAMED = 5
#: Returns the place of what each evaluator of a test grades by, from their number.
_Places = Callable[[int], Sequence[GradedPlace]]


class FileMarks(NamedTuple):
    """The marks of tests in another file than their suite.

    Attributes:
        text: the text of the file, in which their places are.
        entry: the place in the suite that names the file.
        marks: the marks.
    """

    text: str
    entry: Span
    marks: tuple[RunMark, ...]


class _Missed(NamedTuple):
    """A miss of a row, or the reason it could not be graded, with the place of the criterion."""

    row: CaseResult
    evaluator: EvaluatorResult
    text: str
    place: GradedPlace

    @property
    def is_error(self) -> bool:
        return self.evaluator.status is Status.ERROR


def marks_of_test(tests: DialectTests, number: int, result: CaseResult) -> list[RunMark]:
    """Return the marks of a test in its own text."""
    test = tests.cases[number]
    if test.id is None:
        return []
    span = tests.place(number, test.id.span)
    stale = is_stale(tests, number, result)
    return _marks(span, result, partial(tests.graded, number), stale=stale)


def marks_elsewhere(
    tests: DialectTests,
    results: Mapping[str, CaseResult],
    problems: Mapping[str, str] = MappingProxyType({}),
) -> dict[Path, FileMarks]:
    """Return the marks of tests that are written in other files, by file.

    Args:
        tests: the current tests of the suite.
        results: the last results, by test.
        problems: why tests could not be run the last time, by test.
    """
    found: dict[Path, list[RunMark]] = defaultdict(list)
    files: dict[Path, TestElsewhere] = {}
    for name, test in tests.elsewhere.items() if results or problems else ():
        marks: list[RunMark] = []
        if name in problems:
            marks.append(problem_mark(test.name_span, name, problems[name]))
        result = results.get(name)
        if result is not None and _has_marks(result):
            stale = is_stale_by_name(tests, name, result)
            marks += _marks(test.name_span, result, test.graded, stale=stale)
        if marks:
            found[test.path] += marks
            files[test.path] = test
    return {
        path: FileMarks(
            files[path].text,
            files[path].entry,
            # A file that is named twice has the same tests twice.
            tuple({(mark.span, mark.message): mark for mark in marks}.values()),
        )
        for path, marks in found.items()
    }


def _has_marks(result: CaseResult) -> bool:
    """Whether there is anything to mark: of most tests, that is told without looking for places."""
    return result.status in SEVERITIES or any(
        evaluator.misses or evaluator.error or evaluator.members
        for row in result.rows or (result,)
        for evaluator in row.evaluators
    )


def problem_mark(span: Span, name: str, problem: str) -> RunMark:
    """Return the mark of a case that could not be run."""
    return RunMark(span, Severity.WARNING, f"not run: {cut(problem)}", Status.ERROR, name)


def _marks(name_span: Span, result: CaseResult, graded: _Places, *, stale: bool) -> list[RunMark]:
    """Return the marks of a test in its own file: at its name, and at its own assertions."""
    rows = result.rows or (result,)
    missed = list(_missed(graded, rows))
    marks: list[RunMark] = []

    def mark(span: Span, severity: Severity, message: str, **more: object) -> None:
        if stale:
            severity, message = Severity.INFO, f"{message} (stale: {changed(result)} since)"
        marks.append(RunMark(span, severity, message, result.status, result.case, **more))  # type: ignore[arg-type]

    if result.status in SEVERITIES:
        elsewhere = {
            it.text for it in missed if it.place.span is not None and not it.place.is_shared
        }
        message = ": ".join(filter(None, (with_stand_in(result), _cause(result, elsewhere))))
        is_hint = result.status is Status.NOT_EVALUATED
        mark(name_span, SEVERITIES[result.status], message, is_hint=is_hint)
    for (span, text), found in _by_place(missed).items():
        if found[0].place.is_shared:
            continue
        fails = any(miss.row.status is Status.FAIL for miss in found)
        severity = Severity.WARNING if fails else Severity.INFO
        if found[0].is_error:
            severity = Severity.ERROR
        mark(
            span,
            severity,
            _worded(found, text, len(rows)),
            judge=found[0].evaluator.judge,
            is_miss=not found[0].is_error,
            is_hint=all(miss.row.status in _AS_WANTED for miss in found),
        )
    return marks


def marks_of_shared(tests: DialectTests, results: Mapping[str, CaseResult]) -> list[RunMark]:
    """Return the marks of assertions that grade several tests, each with the tests that it fails."""
    failing: dict[Span, dict[str, tuple[CaseResult, str]]] = {}
    graded: dict[str, _Places] = {
        name: partial(tests.graded, number) for number, name in tests.named_cases()
    }
    graded |= {name: test.graded for name, test in tests.elsewhere.items()}
    for name, places in graded.items():
        result = results.get(name)
        if result is None or result.status not in SEVERITIES:
            continue
        if is_stale_by_name(tests, name, result):
            continue
        for miss in _missed(places, result.rows or (result,)):
            if (
                miss.place.is_shared
                and miss.place.span is not None
                and miss.row.status in SEVERITIES
            ):
                failing.setdefault(miss.place.span, {}).setdefault(name, (result, miss.text))
    marks: list[RunMark] = []
    for span, of_tests in sorted(failing.items()):
        names = [f"`{of_test}`" for of_test in list(of_tests)[:_MOST_NAMED]]
        more = f" and {len(of_tests) - len(names):,} more" if len(of_tests) > len(names) else ""
        related = tuple(
            Related(cut(f"`{name}`: {text}"), *place)
            for name, (_, text) in list(of_tests.items())[:_MOST_NAMED]
            if (place := _place_of(tests, name)) is not None
        )
        name, (result, _) = next(iter(of_tests.items()))
        message = f"missed by {', '.join(names)}{more}"
        marks.append(
            RunMark(span, Severity.WARNING, message, result.status, name, related, is_miss=True)
        )
    return marks


def _place_of(tests: DialectTests, name: str) -> tuple[Span, Path | None] | None:
    """Return the place of a test's name, and its file if that is not the suite."""
    elsewhere = tests.elsewhere.get(name)
    if elsewhere is not None:
        return elsewhere.name_span, elsewhere.path
    number = tests.case_named(name)
    case_id = tests.cases[number].id if number is not None else None
    if number is None or case_id is None:
        return None
    return tests.place(number, case_id.span), None


def outcomes_of_test(tests: DialectTests, number: int, result: CaseResult) -> list[RubricOutcome]:
    """Return the outcomes of the assertions in a test's own text, in order."""
    rows = result.rows or (result,)
    outcomes: dict[Span, RubricOutcome] = {}
    for (span, text), found in _by_place(_missed(partial(tests.graded, number), rows)).items():
        if not found[0].place.is_shared:
            outcomes.setdefault(span, RubricOutcome(span, False, _worded(found, text, len(rows))))
    for row in rows:
        places = tests.graded(number, len(row.evaluators))
        for evaluator, place in zip(row.evaluators, places, strict=False):
            for hit in evaluator.hits:
                item, text = named_item(hit)
                at = place.items.get(item) or place.span
                if at is not None and not place.is_shared:
                    rehearsed = row.rehearsed or evaluator.rehearsed
                    outcomes.setdefault(
                        at, RubricOutcome(at, not rehearsed, cut(text), rehearsed=rehearsed)
                    )
    return sorted(outcomes.values(), key=lambda it: it.span.start)


def _missed(graded: _Places, rows: Iterable[CaseResult]) -> Iterator[_Missed]:
    for row in rows:
        count = len(row.evaluators)
        places = graded(count) or [GradedPlace(None)] * count
        for evaluator, place in zip(row.evaluators, places, strict=True):
            yield from _missed_by(row, evaluator, place)


def _missed_by(
    row: CaseResult, evaluator: EvaluatorResult, place: GradedPlace
) -> Iterator[_Missed]:
    if len(evaluator.members) == len(place.members) > 0:
        for member, its_place in zip(evaluator.members, place.members, strict=True):
            yield from _missed_by(row, member, its_place)
        return
    if evaluator.error:
        yield _Missed(row, evaluator, evaluator.error, place)
    for miss in evaluator.misses:
        item, text = named_item(miss)
        span = place.items.get(item) if item else None
        if span is not None:
            yield _Missed(row, evaluator, text, GradedPlace(span, place.is_shared))
        else:
            yield _Missed(row, evaluator, miss, place)


def _by_place(missed: Iterable[_Missed]) -> dict[tuple[Span, str], list[_Missed]]:
    found: dict[tuple[Span, str], list[_Missed]] = {}
    for it in missed:
        if it.place.span is not None:
            found.setdefault((it.place.span, it.text), []).append(it)
    return found


def _worded(found: list[_Missed], text: str, rows: int) -> str:
    """Return a miss, with the number of rows that missed it if there are several rows."""
    what = "not graded" if found[0].is_error else "missed"
    asked = len({it.row.case for it in found})
    return f"{what}{f' in {asked:,} of {rows:,} rows' if rows > 1 else ''}: {cut(text)}"


def _cause(result: CaseResult, elsewhere: set[str]) -> str:
    """Return the cause of a test's verdict, without what is marked elsewhere in the test."""
    if result.counted_rows is not None:
        rows = [row for row in result.rows if row.status not in _AS_WANTED]
        reasons = dict.fromkeys(filter(None, (_cause_of_row(row, elsewhere) for row in rows)))
        return cut(": ".join((result.counted_rows, "; ".join(reasons))).removesuffix(": "))
    return cut(_cause_of_row((result.rows or (result,))[0], elsewhere))


def _cause_of_row(row: CaseResult, elsewhere: set[str]) -> str:
    if row.status is Status.JUDGE_FAILED:
        return error_of(row)
    if row.status is Status.ERROR:
        return "" if any(error in elsewhere for error in _errors(row)) else error_of(row)
    misses = [named_item(miss)[1] for miss in row.misses]
    here = [miss for miss in dict.fromkeys(misses) if not any(text in miss for text in elsewhere)]
    if here or misses:
        return "; ".join(here)
    reason = row.reasoning or row.error or ""
    return "" if any(text in reason for text in elsewhere) else reason


def _errors(row: CaseResult) -> Iterator[str]:
    yield from (evaluator.error for evaluator in row.evaluators if evaluator.error)
