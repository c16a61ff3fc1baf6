"""Rules on `field_accuracy`, which compares an answer with the expected answer of the case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.near_names import nearest
from suitecase.rewriting.names import renamed
from suitecase.rewriting.parts import placed
from suitecase.rule import Finding, Fix, Related, rule
from suitecase.rules.evaluator_lists import own_list
from suitecase.suite.elements import ParsedEvaluator, evaluators_in
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.resolve import expected_messages
from suitecase.syntax.node import Mapping, Scalar, Span, at
from suitecase.syntax.node import Sequence as Listed
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.field_accuracy import FieldAccuracyConfig, unfit_expectation
from suitecase_evaluators.registry import with_members

_TYPE = "field_accuracy"


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
    common = list(_fields(suite.head)) if _TYPE in suite.head.source else []
    cases = suite.case_index.where(_with_fields) if not common else enumerate(suite.cases)
    for number, case in cases:
        if case.model is None or case.node is None or case.content.unknown_aliases:
            continue
        expected = expected_messages(case.model)
        own = own_list(case)
        inherits = own is None or suite.appended_to(number)
        for evaluator, config in _fields(case):
            problem = unfit_expectation(config, expected)
            if problem is not None:
                place = suite.place(number, _place(evaluator, problem[1]))
                fix = _near(case, evaluator, problem[1])
                fix = fix and placed(fix, suite.document.cases[number])
                yield Finding(place, f"this evaluator cannot grade any answer: {problem[0]}", fix)
        for evaluator, config in common if inherits else ():
            problem = unfit_expectation(config, expected)
            if problem is not None:
                field_place = suite.head_place(_place(evaluator, problem[1]))
                yield Finding(
                    suite.place(number, _expectation(case)),
                    f"the suite's `{config.name}` cannot grade any answer: {problem[0]}",
                    related=(Related("the field", field_place),) if suite.sidecar is None else (),
                )


def _near(case: ParsedCase, evaluator: ParsedEvaluator, field: int | None) -> Fix | None:
    """Return the fix that changes a field to the expected field that it resembles, if any."""
    if field is None or case.node is None:
        return None
    path = at(evaluator.node, ("fields", field, "path"))[0]
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


def _with_fields(case: ParsedCase) -> ParsedCase | None:
    return case if _TYPE in case.source else None


def _fields(
    part: ParsedHead | ParsedCase,
) -> Iterator[tuple[ParsedEvaluator, FieldAccuracyConfig]]:
    """Yield the effective `field_accuracy` evaluators of a part, including members of composites."""
    listed = own_list(part)
    model = part.model
    if listed is None or model is None:
        return
    configs: Sequence[EvaluatorConfig] | None = (
        model.execution.evaluators if model.execution else None
    )
    if configs is None and isinstance(part, ParsedCase) and part.model is not None:
        configs = part.model.evaluators
    evaluators = (it for it in evaluators_in(listed.value) if isinstance(it, ParsedEvaluator))
    fields = (it for it in evaluators if it.type == _TYPE)
    yield from zip(fields, _configs(configs or ()), strict=False)


def _configs(listed: Sequence[EvaluatorConfig]) -> Iterator[FieldAccuracyConfig]:
    return (it for it in with_members(listed) if isinstance(it, FieldAccuracyConfig))


def _place(evaluator: ParsedEvaluator, field: int | None) -> Span:
    """Return the place where a field is named, or else the evaluator's."""
    if field is None:
        return evaluator.name.span if evaluator.name is not None else evaluator.node.span
    node, _, _ = at(evaluator.node, ("fields", field, "path"))
    return node.span


def _expectation(case: ParsedCase) -> Span:
    """Return the key of a case's expected answer, or else the case's id."""
    keys = (
        case.node.key(name) if case.node else None
        for name in ("expected_messages", "expected_output", "id")
    )
    return next((it.span for it in keys if it is not None), Span(0, 1))
