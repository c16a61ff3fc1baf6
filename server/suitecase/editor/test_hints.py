"""Inlay hints with the last verdicts of another tool's tests, for editors that show no lenses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.inlay_hints import Hint
from suitecase.editor.results import CaseResult, is_stale
from suitecase.editor.verdicts import short
from suitecase.text.node import Span


def verdict_hints(
    tests: DialectTests, within: Span, results: Mapping[str, CaseResult]
) -> Iterator[Hint]:
    """Yield the verdicts of the tests in a span, each at the end of the line that names the test.

    Args:
        tests: the tests.
        within: the span.
        results: the last result of each test, by name.
    """
    for number, name in tests.named_cases() if results else ():
        result, test = results.get(name), tests.cases[number]
        if result is None or test.id is None:
            continue
        text = test.content.text
        ends = text.find("\n", test.id.span.end)
        at = tests.place(number, Span(0, ends if ends >= 0 else len(text))).end
        if within.start <= at <= within.end:
            stale = is_stale(tests, number, result)
            tooltip = (
                "The test has changed since it was run." if stale else "How the test did last."
            )
            yield Hint(at, short(result, stale=stale), tooltip)
