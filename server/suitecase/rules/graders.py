"""Rules on evaluators that compare answers with texts, labels and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Related, rule
from suitecase.rules.expected_by_cases import expectation_of, graded_cases
from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Span


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
    for graded in graded_cases(suite, _compares_expected):
        if graded.expected:
            continue
        for evaluator in filter(_without_value, graded.own):
            yield Finding(
                suite.place(graded.number, _name_span(evaluator)),
                f"`{evaluator.type}` has no `value`, and the case expects no output to compare the "
                "answer with; add `value`, or `expected_output` to the case",
            )
        for evaluator in filter(_without_value, graded.inherited):
            name = evaluator.name.text if evaluator.name is not None else ""
            place = suite.head_place(_name_span(evaluator))
            yield Finding(
                suite.place(graded.number, expectation_of(graded.case)),
                f"the suite's `{name}` compares the answer with the expected output of the case, "
                "and this case expects none; add `expected_output`",
                related=(Related("the evaluator", place),) if suite.sidecar is None else (),
            )


def _compares_expected(evaluator: ParsedEvaluator) -> bool:
    return evaluator.description.compares_expected is not None


def _without_value(evaluator: ParsedEvaluator) -> bool:
    config, compares = evaluator.read(), evaluator.description.compares_expected
    return config is not None and compares is not None and compares(config)


def _name_span(evaluator: ParsedEvaluator) -> Span:
    return evaluator.name.span if evaluator.name is not None else evaluator.node.span
