"""Rules on `field_accuracy`, which compares an answer with the expected answer of the case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.checking.rules.expected_by_cases import expectation_of, graded_cases
from suitecase.format.rewriting.names import renamed
from suitecase.format.rule import Finding, Fix, Related, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.part_fixes import placed
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Span, at
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.evaluator import EntryProblem


@rule("SC318")
def fields_not_in_expected_answer(suite: ParsedSuite) -> Iterator[Finding]:
    """The fields of a `field_accuracy` are not in the expected answer of the case.

    The evaluator compares the answer's fields with those of the last expected message. That message
    must be an object or JSON and contain each required field, with the type that `match` compares.
    Otherwise no answer can be graded.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {sum: 12.5}
        evaluators:
          - name: fields
            type: field_accuracy
            fields:
              - path: total  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {total: 12.5}
        evaluators:
          - name: fields
            type: field_accuracy
            fields:
              - path: total
    ```

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {total: 12.5}
        evaluators:
          - name: fields
            type: field_accuracy
            fields:
              - path: totl  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {total: 12.5}
        evaluators:
          - name: fields
            type: field_accuracy
            fields:
              - path: total
    ```
    """
    for graded in graded_cases(suite, _looks_at_expected):
        number, case = graded.number, graded.case
        for evaluator, problem in _unfit(graded.own, graded.expected):
            place = suite.place(number, _place(evaluator, problem))
            fix = _near(case, evaluator, problem)
            fix = fix and placed(fix, suite.document.cases[number])
            yield Finding(place, f"this evaluator cannot grade any answer: {problem.message}", fix)
        for evaluator, problem in _unfit(graded.inherited, graded.expected):
            name = evaluator.name.text if evaluator.name is not None else ""
            asked = suite.head_place(_place(evaluator, problem))
            yield Finding(
                suite.place(number, expectation_of(case)),
                f"the suite's `{name}` cannot grade any answer: {problem.message}",
                related=(Related("the field", asked),) if suite.sidecar is None else (),
            )


def _near(case: ParsedCase, evaluator: ParsedEvaluator, problem: EntryProblem) -> Fix | None:
    """Return the fix that changes a field to the expected field that it resembles, if any."""
    if not problem.path or case.node is None:
        return None
    path = at(evaluator.node, problem.path)[0]
    if not isinstance(path, Scalar):
        return None
    expected = case.node.get("expected_output")
    messages = case.node.get("expected_messages")
    if isinstance(messages, Listed) and messages.items:
        last = messages.items[-1]
        expected = last.get("content") if isinstance(last, Mapping) else None
    if not isinstance(expected, Mapping) or path.text in expected:
        return None
    suggestion = nearest(path.text, expected.entries)
    return renamed(path, suggestion, safe=False) if suggestion else None


def _looks_at_expected(evaluator: ParsedEvaluator) -> bool:
    return evaluator.description.unfit is not None


def _unfit(
    evaluators: Sequence[ParsedEvaluator], expected: tuple[Message, ...]
) -> Iterator[tuple[ParsedEvaluator, EntryProblem]]:
    """Yield the evaluators that can grade no answer by the messages that a case expects, and why."""
    for evaluator in evaluators:
        config, unfit = evaluator.read(), evaluator.description.unfit
        problem = unfit(config, expected) if config is not None and unfit is not None else None
        if problem is not None:
            yield evaluator, problem


def _place(evaluator: ParsedEvaluator, problem: EntryProblem) -> Span:
    """Return the place where a field is named, or else the evaluator's."""
    if not problem.path:
        return evaluator.name.span if evaluator.name is not None else evaluator.node.span
    node, _, _ = at(evaluator.node, problem.path)
    return node.span
