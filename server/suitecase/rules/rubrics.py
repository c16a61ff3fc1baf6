"""Rules on the items of rubrics, wherever they are."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rewriting.names import renamed
from suitecase.rewriting.removing import without_item
from suitecase.rule import Finding, Fix, Related, Severity, replace, rule
from suitecase.rules.issue_places import issues_of
from suitecase.suite.elements import ParsedRubrics
from suitecase.suite.parsed import ParsedCase, ParsedHead
from suitecase.suite.scales import other_scale
from suitecase.suite.validation import IssueKind
from suitecase.syntax.node import Mapping, Node, Scalar, Span, describe, plain
from suitecase.taken_names import TakenNames
from suitecase_evaluators.rubric import TOP


@rule("SC207", only_of="issues", issues=(IssueKind.REQUIRED_MIN_SCORE,))
def required_min_score_out_of_bounds(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A `required_min_score` is not a valid score.

    It is a whole number from 0 to 10, the scale of the judge's scores.

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
    """
    for issue in issues_of(part, required_min_score_out_of_bounds):
        actual = issue.node.text if isinstance(issue.node, Scalar) else describe(issue.node)
        yield Finding(
            issue.span,
            f"`required_min_score` must be a whole number from 0 to 10; got {actual}",
            _of_hundred(issue.node),
        )


def _of_hundred(node: Node) -> Fix | None:
    """Return the fix that converts a score on the scale from 0 to 100 to the scale from 0 to 10."""
    value = node.value if isinstance(node, Scalar) else None
    if type(value) is not int or not TOP < value <= 10 * TOP or value % 10:
        return None
    return replace(node.span, str(value // 10), f"Change to {value // 10}", safe=False)


@rule("SC208", only_of="issues", issues=(IssueKind.NEGATIVE_WEIGHT,))
def negative_weight(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
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
    for item in rubrics.node.items:
        text = item.get("expected_outcome") if isinstance(item, Mapping) else item
        ranged = isinstance(item, Mapping) and "score_ranges" in item
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
