"""Rules on evaluators that compare answers with texts, labels and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.rule import Finding, Related, rule
from suitecase.rules.expected_by_cases import expectation_of, graded_cases
from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Span
from suitecase_evaluators.message import Message


@rule("SC839")
def nothing_to_compare(suite: ParsedSuite) -> Iterator[Finding]:
    """An evaluator has nothing to compare the answer with.

    Without a `value`, the evaluator compares the answer with the expected output of the case. Here
    the case expects no output, so no answer could be graded. Add one of them.

    ```yaml bad
    evalcases:
      - id: capital
        input: Name the capital of France in one word.
        expected_outcome: Names Paris
        evaluators:
          - name: exact  # <- finding
            type: equals
    ```

    ```yaml good
    evalcases:
      - id: capital
        input: Name the capital of France in one word.
        expected_outcome: Names Paris
        expected_output: Paris
        evaluators:
          - name: exact
            type: equals
    ```
    """
    for graded in graded_cases(suite, _may_compare_expected):
        for evaluator, problem in _lacking(graded.own, graded.expected):
            place = suite.place(graded.number, _name_span(evaluator))
            yield Finding(place, f"this evaluator cannot grade any answer: {problem}")
        for evaluator, problem in _lacking(graded.inherited, graded.expected):
            name = evaluator.name.text if evaluator.name is not None else ""
            place = suite.head_place(_name_span(evaluator))
            yield Finding(
                suite.place(graded.number, expectation_of(graded.case)),
                f"the suite's `{name}` cannot grade any answer: {problem}",
                related=(Related("the evaluator", place),) if suite.sidecar is None else (),
            )


def _may_compare_expected(evaluator: ParsedEvaluator) -> bool:
    return evaluator.description.lacks_expected is not None


def _lacking(
    evaluators: Iterable[ParsedEvaluator], expected: tuple[Message, ...]
) -> Iterator[tuple[ParsedEvaluator, str]]:
    """Yield the evaluators that find nothing to compare with in what a case expects, and why."""
    for evaluator in evaluators:
        config, lacks = evaluator.read(), evaluator.description.lacks_expected
        problem = lacks(config, expected) if config is not None and lacks is not None else None
        if problem is not None:
            yield evaluator, problem


def _name_span(evaluator: ParsedEvaluator) -> Span:
    return evaluator.name.span if evaluator.name is not None else evaluator.node.span
