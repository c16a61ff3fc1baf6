"""Rules on `field_accuracy`, which compares an answer with the expected answer of the case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

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
from suitecase_evaluators.evaluator import EntryProblem
from suitecase_evaluators.message import Message

#: Says why no answer can be graded by the messages that a case expects.
_Unfit = Callable[[tuple[Message, ...]], EntryProblem | None]


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
    common = list(_unfit(suite.head))
    cases = suite.case_index.where(_with_unfit) if not common else enumerate(suite.cases)
    for number, case in cases:
        if case.model is None or case.node is None or case.content.unknown_aliases:
            continue
        expected = expected_messages(case.model)
        own = own_list(case)
        inherits = own is None or suite.appended_to(number)
        for evaluator, unfit in _unfit(case):
            problem = unfit(expected)
            if problem is not None:
                place = suite.place(number, _place(evaluator, problem))
                fix = _near(case, evaluator, problem)
                fix = fix and placed(fix, suite.document.cases[number])
                yield Finding(
                    place, f"this evaluator cannot grade any answer: {problem.message}", fix
                )
        for evaluator, unfit in common if inherits else ():
            problem = unfit(expected)
            if problem is not None:
                name = evaluator.name.text if evaluator.name is not None else ""
                asked = suite.head_place(_place(evaluator, problem))
                yield Finding(
                    suite.place(number, _expectation(case)),
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


def _with_unfit(case: ParsedCase) -> ParsedCase | None:
    evaluators = (it for it in case.elements() if isinstance(it, ParsedEvaluator))
    return case if any(it.description.unfit is not None for it in evaluators) else None


def _unfit(part: ParsedHead | ParsedCase) -> Iterator[tuple[ParsedEvaluator, _Unfit]]:
    """Yield the effective evaluators of a part that look at what is expected, with members."""
    listed = own_list(part)
    if part.node is None or listed is None:
        return
    # The elements of a part are kept as they were read, but they are those of both its lists.
    has_both = "evaluators" in part.node and "execution" in part.node
    for evaluator in evaluators_in(listed.value) if has_both else part.elements():
        unfit = evaluator.description.unfit if isinstance(evaluator, ParsedEvaluator) else None
        if isinstance(evaluator, ParsedEvaluator) and unfit is not None:
            config = evaluator.read()
            if config is not None:
                yield evaluator, partial(unfit, config)


def _place(evaluator: ParsedEvaluator, problem: EntryProblem) -> Span:
    """Return the place where a field is named, or else the evaluator's."""
    if not problem.path:
        return evaluator.name.span if evaluator.name is not None else evaluator.node.span
    node, _, _ = at(evaluator.node, problem.path)
    return node.span


def _expectation(case: ParsedCase) -> Span:
    """Return the key of a case's expected answer, or else the case's id."""
    keys = (
        case.node.key(name) if case.node else None
        for name in ("expected_messages", "expected_output", "id")
    )
    return next((it.span for it in keys if it is not None), Span(0, 1))
