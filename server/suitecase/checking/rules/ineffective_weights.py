"""Rules on weights that have no effect on the score, or none on the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.checking.rules.composite_weights import averaged
from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import Finding, Severity, Tag, rule
from suitecase.formats.suitecase.elements import (
    OWN_SPELLING,
    ParsedEvaluator,
    ParsedEvaluators,
    ParsedRubrics,
    has_ranges,
)
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.formats.suitecase.part_fixes import fix_of_case, fix_of_head
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.answers.score import PASS_AT, rounded, shown_score
from suitecase_evaluators.schema.shares import shares_of

_REMOVE = "Remove the weight"


class _Share(NamedTuple):
    """The share of an item in the score: its weight, the weight's entry, and the least value from 0
    to 1 that it has if its minimum is met."""

    weight: float
    written: Entry | None
    least: float


@rule("SC218", Severity.INFO)
def ineffective_weights(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """The minimum scores of a rubric decide the verdict, whatever the weights are.

    A required item fails the case if it is not met. If the required items have enough weight that
    any answer which meets them passes, the weights change only the score of an answer that fails,
    never a verdict. To give the weights an effect, make items optional: `required: false`, or a
    lower `required_min_score`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 3  # <- finding
          - id: warmth
            expected_outcome: Is warm
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 3
          - id: warmth
            expected_outcome: Is warm
            required: false
    ```
    """
    if rubrics.spelling is not OWN_SPELLING:
        return  # the score at which a test of AgentV passes is a setting
    shares = [_share(item) for item in rubrics.node.items]
    counted = [share for share in shares if share is not None and share.weight > 0]
    if None in shares or len({it.weight for it in counted}) < 2:
        return
    parts = shares_of([it.weight for it in counted])
    least = rounded(sum(part * it.least for part, it in zip(parts, counted, strict=True)))
    weight_entry = next(it.written for it in counted if it.written is not None)
    if least < PASS_AT:
        return
    if all(it.least >= PASS_AT for it in counted):
        message = (
            "every item with a weight is required, so these weights never change a verdict; they "
            "only divide the score of an answer that fails"
        )
    else:
        message = (
            f"an answer that meets all required items gets {shown_score(least)} or more and "
            f"passes, so with these weights the other items never change the verdict"
        )
    yield Finding(weight_entry.key.span, message)


def _share(item: Node) -> _Share | None:
    """Return an item's share; None if the item cannot be graded."""
    if isinstance(item, Scalar):
        return _Share(1.0, None, 1.0)
    if not isinstance(item, Mapping):
        return None
    entry = item.entries.get("weight")
    weight = _number(entry.value) if entry is not None else 1.0
    if weight is None or weight < 0:
        return None
    required = item.get("required")
    is_required = required.value if isinstance(required, Scalar) else None
    if not has_ranges(item):
        return _Share(weight, entry, 0.0 if is_required is False else 1.0)
    gate_node = item.get("required_min_score")
    minimum = _number(gate_node) if gate_node is not None else None
    if minimum is not None:
        return _Share(weight, entry, minimum / TOP)
    return _Share(weight, entry, 1.0 if is_required is True else 0.0)


def _number(node: Node) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@rule("SC219", Severity.INFO, keys=("aggregator",), tags=(Tag.UNNECESSARY,))
def redundant_weight(element: ParsedRubrics | ParsedEvaluator) -> Iterator[Finding]:
    """The only rubric of a list, or the only member of a composite, has a weight.

    Weights divide the score between several items. A single item has the whole score, whatever its
    weight.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 3  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
    ```
    """
    if isinstance(element, ParsedRubrics):
        items = element.node.items
        alone = items[0] if len(items) == 1 else None
        entry = alone.entries.get("weight") if isinstance(alone, Mapping) else None
        if entry is not None and _matters(entry):
            yield Finding(
                entry.key.span,
                "this weight has no effect: this list has no other item",
                deferred_fix=without(entry.key, title=_REMOVE),
            )
        return
    members, weights = averaged(element)
    if len(members) != 1:
        return
    name = members[0].name
    named = weights.entries.get(name.text) if weights is not None and name is not None else None
    entry = named or members[0].node.entries.get("weight")
    if entry is not None and _matters(entry):
        yield Finding(
            entry.key.span,
            "this weight has no effect: this composite has no other member",
            deferred_fix=without(entry.key, title=_REMOVE),
        )


def _matters(entry: Entry) -> bool:
    """Whether a weight is intended to have an effect: 1 is the default, and 0 excludes the item."""
    weight = _number(entry.value)
    return weight is not None and weight > 0 and weight != 1


@rule("SC319", Severity.INFO, tags=(Tag.UNNECESSARY,))
def redundant_evaluator_weight(suite: ParsedSuite) -> Iterator[Finding]:
    """The only evaluator of a case has a weight.

    Weights divide the score of a case between its evaluators. A single evaluator has the whole
    score, whatever its weight.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello, weight: 2}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: hello, type: icontains, value: hello, weight: 2}
          - {name: tone, type: llm_judge}
    ```
    """
    if suite.head.node is None or "evaluation_mode" in suite.head.node or not suite.cases:
        return
    common = _only_weight(own_list(suite.head))
    for number, entry in suite.case_index.where(_own_weight):
        if not suite.appended_to(number):
            yield Finding(
                suite.place(number, entry.key.span),
                "this weight has no effect: this case has no other evaluator",
                fix_of_case(suite, number, without(entry.key, title=_REMOVE)),
            )
    inherit = len(suite.case_index.numbers(own_list)) < len(suite.cases)
    if suite.case_index.any(_beside_others) or suite.appends or suite.kind != "suite":
        return
    if common is not None and inherit:
        yield Finding(
            suite.head_place(common.key.span),
            "this weight has no effect: no case has another evaluator beside this one",
            fix_of_head(suite, without(common.key, title=_REMOVE)),
        )


def _has_rubrics(case: ParsedCase) -> bool:
    rubrics = case.node.get("rubrics") if case.node else None
    return isinstance(rubrics, Sequence) and bool(rubrics.items)


def _own_weight(case: ParsedCase) -> Entry | None:
    return None if _has_rubrics(case) else _only_weight(own_list(case))


def _beside_others(case: ParsedCase) -> bool:
    """Whether rubrics, or something that cannot be read, grade a case with the suite's evaluators."""
    return (case.node is None or _has_rubrics(case)) and own_list(case) is None


def _only_weight(listed: Entry | None) -> Entry | None:
    """Return the weight of a list's only evaluator, if it is intended to have an effect."""
    node = listed.value if listed is not None else None
    items = ParsedEvaluators(node).items if isinstance(node, Sequence) else []
    entry = items[0].node.entries.get("weight") if len(items) == 1 else None
    return entry if entry is not None and _matters(entry) else None
