"""Hovers on the last result of another tool's test: its rows, with their hits and misses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.hover.at_cursor import Hover
from suitecase.editor.hover.case_results import result_text
from suitecase.editor.hover.evaluator_results import points
from suitecase.editor.markdown import code
from suitecase.editor.results import CaseResult, DocumentResults, is_stale
from suitecase.editor.verdicts import age, changed, quoted, sign, worded

_MOST_ROWS = 12


def test_result_at(
    tests: DialectTests, offset: int, results: DocumentResults, now: datetime
) -> Hover | None:
    """Return the last result of the test whose name is at an offset; None if it has no result.

    Args:
        tests: the tests.
        offset: an offset in the document.
        results: the last results.
        now: the time used to tell the age of a result.
    """
    number = tests.document.case_at(offset) if results.last else None
    test = tests.cases[number] if number is not None else None
    if number is None or test is None or test.id is None:
        return None
    span, result = tests.place(number, test.id.span), results.last.get(test.id.text)
    if result is None or not span.start <= offset <= span.end:
        return None
    stale = is_stale(tests, number, result)
    if len(result.rows) < 2:
        only = (result.rows or (result,))[0]
        return Hover(span, result_text(only, stale=stale, now=now, not_run=None))
    verdict = f"**{sign(result.status)} {worded(result)}**"
    parts = [" · ".join((verdict, result.counted_rows or "", age(now, result.at)))]
    if stale:
        parts.append(f"**Stale**: {changed(result)} since.")
    return Hover(span, "\n\n".join([*parts, *_rows(result)]))


def _rows(result: CaseResult) -> Iterator[str]:
    for row in result.rows[:_MOST_ROWS]:
        facts = [f"{sign(row.status)} {worded(row)}: {code(row.case)}"]
        if row.target:
            facts.append(f"answered by {code(row.target)}")
        yield " · ".join(facts)
        if row.error:
            yield quoted(row.error)
        yield points(row.misses, row.hits)
    more = len(result.rows) - _MOST_ROWS
    if more > 0:
        yield f"And {more:,} more rows, see the log."
