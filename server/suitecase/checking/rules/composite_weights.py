"""Rules on the weights of the members of composites."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.checking.rules.evaluator_lists import evaluators_under
from suitecase.checking.rules.rubric_lists import is_zero
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import DeferredFix, Edit, Finding, Fix, Severity, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.text.document import Content
from suitecase.text.node import Mapping
from suitecase_evaluators.schema.field_role import FieldRole

#: A name that is the same in YAML with and without quotes.
_PLAIN = re.compile(r"[A-Za-z][\w-]*")


@rule("SC314", Severity.WARNING, roles=(FieldRole.WEIGHTS,))
def zero_weight_members(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """All members of a composite have the weight 0.

    Weights divide the score of a `weighted_average`. Here no member contributes to it, so the
    composite has no score.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
            aggregator:
              type: weighted_average
              weights: {hello: 0}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
            aggregator:
              type: weighted_average
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
            aggregator:
              type: weighted_average
              weights: {hello: 1}
    ```
    """
    members, weights = averaged(evaluator)
    counted = [
        (weights.get(member.name.text) if weights is not None and member.name is not None else None)
        or member.node.get("weight")
        for member in members
    ]
    first = counted[0] if counted else None
    if first is not None and all(map(is_zero, counted)):
        aggregator = evaluator.node.get("aggregator")
        named = aggregator.key("weights") if isinstance(aggregator, Mapping) else None
        keys = (named, *(member.node.key("weight") for member in members))
        weight_keys = [key for key in keys if key is not None]
        yield Finding(
            first.span,
            "all members of this composite have weight 0, so it has no score",
            deferred_fix=without(*weight_keys, title="Remove the weights", safe=False),
        )


@rule("SC315", Severity.INFO, roles=(FieldRole.WEIGHTS,))
def incomplete_weights(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """The `weights` of a composite do not list all members.

    A member that `weights` does not list counts with its own `weight`, which is 1 by default. Next
    to weights that are fractions of 1, that is most of the score.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
              - {name: tone, type: llm_judge}
            aggregator:
              type: weighted_average
              weights: {hello: 0.4}  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
              - {name: tone, type: llm_judge}
            aggregator:
              type: weighted_average
              weights: {tone: 1, hello: 0.4}
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
              - {name: tone, type: llm_judge}
            aggregator:
              type: weighted_average
              weights: {hello: 0.4, tone: 0.6}
    ```
    """
    members, weights = averaged(evaluator)
    if weights is None or not weights.entries:
        return
    left_out = [
        f"`{member.name.text}`"
        for member in members
        if member.name is not None
        and member.name.text not in weights
        and "weight" not in member.node
    ]
    key = next(evaluator.values(FieldRole.WEIGHTS)).entry.key
    if left_out:
        counts = "counts" if len(left_out) == 1 else "count"
        yield Finding(
            key.span,
            f"`weights` does not list {' and '.join(left_out)}, which {counts} with weight 1",
            deferred_fix=_with_weights(weights, [it.strip("`") for it in left_out]),
        )


def _with_weights(weights: Mapping, names: list[str]) -> DeferredFix:
    """Return the fix that adds the weights that members have by default."""

    def fix(content: Content) -> Fix | None:
        if not all(_PLAIN.fullmatch(name) for name in names):
            return None
        added = [entry_added(content, weights, f"{name}: 1") for name in names]
        edits = [it for it in added if it is not None]
        if len(edits) < len(names):
            return None
        one = Edit(edits[0].span, "".join(edit.text for edit in edits))
        return Fix("Add the weight 1", (one,))

    return fix


def averaged(evaluator: ParsedEvaluator) -> tuple[list[ParsedEvaluator], Mapping | None]:
    """Return the members of a weighted average and its weights; no members for anything else."""
    for holder in evaluator.holders(FieldRole.WEIGHTS):
        listed = next(evaluator.values(FieldRole.MEMBERS), None)
        found = next(holder.values(FieldRole.WEIGHTS), None)
        weights = found.node if found is not None else None
        members = evaluators_under(listed.entry if listed is not None else None)
        return members, weights if isinstance(weights, Mapping) else None
    return [], None
