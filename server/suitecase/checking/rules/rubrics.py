"""Rules on the items of rubrics, wherever they are."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import issues_of
from suitecase.format.rewriting.names import renamed
from suitecase.format.rewriting.removing import without_item
from suitecase.format.rule import Finding, Fix, Related, Severity, replace, rule
from suitecase.formats.suitecase.elements import OWN_SPELLING, ParsedRubrics, has_ranges
from suitecase.formats.suitecase.scales import other_scale
from suitecase.schema.validation import IssueKind, ValidatedPart
from suitecase.text.node import Mapping, Node, Scalar, Span, describe, plain
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.rubric import TOP


@rule("SC207", only_of="issues", issues=(IssueKind.REQUIRED_MIN_SCORE,))
def required_min_score_out_of_bounds(part: ValidatedPart) -> Iterator[Finding]:
    """The minimum score of a rubric is not a valid score.

    `required_min_score` is a whole number from 0 to 10, the scale of the judge's scores. In suites of
    AgentV, `min_score` is above 0 and at most 1.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required_min_score: 80  # <- finding
            score_ranges:
              0: Cold
              6: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required_min_score: 8
            score_ranges:
              0: Cold
              6: Warm
    ```

    The same holds for the rubrics of AgentV 5.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - outcome: Says hello
                min_score: 7  # <- finding
                score_ranges:
                  0: Cold
                  6: Warm
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - outcome: Says hello
                min_score: 0.7
                score_ranges:
                  0: Cold
                  6: Warm
    ```
    """
    for issue in issues_of(part, required_min_score_out_of_bounds):
        actual = issue.node.text if isinstance(issue.node, Scalar) else describe(issue.node)
        top = issue.context.get("top")
        wanted = issue.message if top else f"must be a whole number from 0 to {TOP}"
        yield Finding(
            issue.span,
            f"`{issue.field}` {wanted}; got {actual}",
            _of_larger_scale(issue.node, top or TOP),
        )


def _of_larger_scale(node: Node, top: int) -> Fix | None:
    """Return the fix that converts a score on a scale up to 100, or also up to 10, to one up to `top`."""
    value = node.value if isinstance(node, Scalar) else None
    if type(value) is not int or not top < value <= 100:
        return None
    scale = 10 if value <= 10 else 100
    if value * top % scale and top > 1:
        return None
    new = f"{value * top / scale:g}"
    return replace(node.span, new, f"Change to {new}", safe=False)


@rule("SC208", only_of="issues", issues=(IssueKind.NEGATIVE_WEIGHT,))
def negative_weight(part: ValidatedPart) -> Iterator[Finding]:
    """A weight is negative.

    Weights divide the score between items. A weight of 0 excludes an item; a negative one has no
    meaning.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: -1  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 1
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            weight: 0
          - id: warmth
            expected_outcome: Is warm
    ```

    The same holds for the rubrics of AgentV 5.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - outcome: Says hello
                weight: -1  # <- finding
              - Is warm
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - outcome: Says hello
                weight: 1
              - Is warm
    ```
    """
    for issue in issues_of(part, negative_weight):
        actual = issue.node.text if isinstance(issue.node, Scalar) else describe(issue.node)
        positive = actual.removeprefix("-")
        fix = None
        if isinstance(issue.node, Scalar) and not issue.node.style and positive != actual:
            fix = replace(issue.node.span, positive, f"Change to {positive}", safe=False)
        yield Finding(issue.span, f"`weight` must be 0 or more; got {actual}", fix)


@rule("SC209")
def duplicate_rubric_id(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """Two rubrics of a list have the same id.

    The judge answers by id, so it could answer only one of them. An item without an id is called
    `rubric-N`, where N is its position in the list.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
          - id: hello  # <- finding
            expected_outcome: Is warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
          - id: hello-2
            expected_outcome: Is warm
    ```

    The same holds for the rubrics of AgentV 5.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - id: hello
                outcome: Says hello
              - id: hello  # <- finding
                outcome: Is warm
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - id: hello
                outcome: Says hello
              - id: hello-2
                outcome: Is warm
    ```
    """
    implied = {
        f"rubric-{number}": node
        for number, node in enumerate(rubrics.node.items, 1)
        if not (isinstance(node, Mapping) and "id" in node)
    }
    ids = ((rubric, rubric.node.get("id")) for rubric in rubrics.items)
    named = [(rubric.node, it) for rubric, it in ids if isinstance(it, Scalar) and it.text]
    taken = TakenNames((*implied, *(it.text for _, it in named)))
    first: dict[str, tuple[Node, Span]] = {}
    for item, own in named:
        unnamed = implied.get(own.text)
        other, place = (
            (unnamed, unnamed.span)
            if unnamed is not None and own.text not in first
            else first.setdefault(own.text, (item, own.span))
        )
        if other is item:
            continue
        new = taken.take(own.text)
        # Of two items with the same text, one is enough.
        is_copy = plain(other) == plain(item)
        removal = without_item(rubrics.node, item, "Remove the second", safe=False)
        yield Finding(
            own.span,
            f"the rubric id `{own.text}` is already used in this list"
            + (" by an item without an `id`" if other is unnamed else ""),
            None if is_copy else renamed(own, new),
            deferred_fix=removal if is_copy else None,
            related=(Related("first used here", place),),
        )


@rule("SC220", Severity.WARNING)
def rubric_of_another_scale(rubrics: ParsedRubrics) -> Iterator[Finding]:
    """A rubric item tells the judge to use another scale than the one that it is asked for.

    An item without `score_ranges` is met or not, and one with ranges gets a whole number from 0 to 10.
    A judge that is told another scale gives scores on either.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: tone
            expected_outcome: Score the warmth from 1 to 5.  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: tone
            score_ranges:
              0: Is cold
              5: Is neutral
              8: Is warm
    ```
    """
    if rubrics.spelling is not OWN_SPELLING:
        return  # another rule checks the scale in every grading text of these formats
    for item in rubrics.node.items:
        text = item.get("expected_outcome") if isinstance(item, Mapping) else item
        ranged = has_ranges(item)
        if not isinstance(text, Scalar) or not isinstance(text.value, str):
            continue
        found = other_scale(text.text, of_criterion=True, top=TOP if ranged else 1)
        if found is not None:
            asked = f"for a whole number from 0 to {TOP}" if ranged else "whether the item is met"
            yield Finding(
                text.span,
                f"the judge is asked {asked}, but the item speaks of {found.text}; "
                + ("write it for this scale" if ranged else "use `score_ranges`, from 0 to 10"),
            )
