"""Rules on the items of rubrics, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Related, rule
from suitecase.suite.elements import WrittenRubrics
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Mapping, Scalar, Span, describe


@rule("SC207", only_of="issues")
def required_min_score_out_of_bounds(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A `required_min_score` is no score.

    It is a whole number from 0 to 10, on the scale of the judge's scores.

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

    ```yaml good
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
    """
    for issue in part.issues:
        if issue.rule == "required-min-score-out-of-bounds":
            written = issue.node.text if isinstance(issue.node, Scalar) else describe(issue.node)
            yield Finding(
                issue.span,
                f"`required_min_score` is a whole number from 0 to 10; here is {written}",
            )


@rule("SC208", only_of="issues")
def negative_weight(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A weight is below zero.

    Weights share out the score. A weight of 0 leaves the item out of it; less has no meaning.

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
    """
    for issue in part.issues:
        if issue.rule == "negative-weight":
            written = issue.node.text if isinstance(issue.node, Scalar) else describe(issue.node)
            yield Finding(issue.span, f"`weight` is 0 or more; here is {written}")


@rule("SC209")
def duplicate_rubric_id(rubrics: WrittenRubrics) -> Iterator[Finding]:
    """Two rubrics of one list have the same id.

    The judge answers by id, so it could answer only one of them. An item without an id is called
    `rubric-N`, with N its number in the list.

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

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
          - id: warmth
            expected_outcome: Is warm
    ```
    """
    written: dict[str, Span] = {}
    implied = {
        f"rubric-{number}": node.span
        for number, node in enumerate(rubrics.node.items, 1)
        if not (isinstance(node, Mapping) and "id" in node)
    }
    for rubric in rubrics.items:
        own = rubric.node.get("id")
        if not isinstance(own, Scalar) or not own.text:
            continue
        first = written.get(own.text) or implied.get(own.text)
        if first is None:
            written[own.text] = own.span
            continue
        unnamed = own.text not in written
        yield Finding(
            own.span,
            f"the rubric id `{own.text}` is already used in this list"
            + (", by an item without an id of its own" if unnamed else ""),
            related=(Related("first used here", first),),
        )
