"""Rules on evaluators that compare answers with texts, labels and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.checking.rules.expected_by_cases import expectation_of, graded_cases
from suitecase.checking.rules.synonyms import normalize_beside
from suitecase.format.rule import Finding, Related, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Scalar, Span
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.normalize import comparable
from suitecase_evaluators.schema.field_role import FieldRole


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


@rule("SC836", roles=(FieldRole.COMPARED_TEXT, FieldRole.LABELS), gradable=True)
def empty_after_normalization(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """Nothing is left of an expected text after normalization.

    Every answer of which nothing is left either would match, the empty one among them.

    ```yaml bad
    evalcases:
      - id: shrug
        input: Answer with a question mark.
        expected_outcome: Answers with a question mark
        evaluators:
          - name: mark
            type: equals
            value: "?"  # <- finding
            normalize: [punctuation]
    ```

    ```yaml good
    evalcases:
      - id: shrug
        input: Answer with a question mark.
        expected_outcome: Answers with a question mark
        evaluators:
          - name: mark
            type: equals
            value: "?"
            normalize: [casefold]
    ```
    """
    for value in evaluator.values(FieldRole.COMPARED_TEXT, FieldRole.LABELS):
        known, normalize = normalize_beside(value)
        texts = value.node.items if isinstance(value.node, Listed) else [value.node]
        for node in texts if known else ():
            if not isinstance(node, Scalar) or not isinstance(node.value, str):
                continue
            if node.text.strip() and not comparable(node.text, normalize):
                yield Finding(
                    node.span,
                    f"nothing is left of `{node.text}` after normalization, so an empty answer "
                    "matches it",
                )


def _name_span(evaluator: ParsedEvaluator) -> Span:
    return evaluator.name.span if evaluator.name is not None else evaluator.node.span
