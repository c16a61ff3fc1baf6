"""Rules on minimum scores, below which a case fails whatever its score is."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.misspelling import misspells
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import Finding, Related, Severity, Tag, rule
from suitecase.formats.suitecase.elements import OWN_SPELLING, ParsedEvaluator, ParsedRubric
from suitecase.text.node import Mapping, Scalar, Sequence
from suitecase_evaluators.answers.rubric import Rubric


def _minimum(rubric: ParsedRubric) -> tuple[Scalar, Scalar] | None:
    """Return the minimum score and its key if it is a number; in our own format, a whole one."""
    entry = rubric.node.entries.get(rubric.spelling.minimum)
    numbers = (int,) if rubric.spelling is OWN_SPELLING else (int, float)
    if (
        entry is None
        or not isinstance(entry.value, Scalar)
        or type(entry.value.value) not in numbers
    ):
        return None
    return entry.value, entry.key


def _has_ranges(rubric: ParsedRubric) -> bool:
    ranges = rubric.node.get("score_ranges")
    return isinstance(ranges, (Mapping, Sequence))


@rule("SC211", Severity.WARNING, keys=("required_min_score",), tags=(Tag.UNNECESSARY,))
def min_score_without_ranges(rubric: ParsedRubric) -> Iterator[Finding]:
    """A rubric without score ranges has a `required_min_score`.

    Such an item is either satisfied or not; it has no score from 0 to 10 to compare with a minimum.
    Use `required` to say whether it must be satisfied; the default is `true`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            required_min_score: 7  # <- finding
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

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: hello
            expected_outcome: Says hello
            required: true
          - id: warmth
            required_min_score: 7
            score_ranges:
              0: Cold
              6: Warm
    ```
    """
    minimum = _minimum(rubric)
    if minimum is None or misspells(rubric.node, "score_ranges", Rubric):
        return
    if rubric.spelling is not OWN_SPELLING:
        return  # AgentV gives such an item a score, too, if another item has ranges
    if "score_ranges" not in rubric.node:
        yield Finding(
            minimum[1].span,
            f"rubric `{rubric.id}` has no `score_ranges`, so it gets no score and "
            f"`{rubric.spelling.minimum}` has no effect; add ranges, or use `required`",
            # A requirement was intended: a person has to decide to remove it.
            deferred_fix=without(minimum[1], safe=False),
        )


@rule("SC212", Severity.WARNING, keys=("required_min_score", "min_score"), tags=(Tag.UNNECESSARY,))
def zero_min_score(graded: ParsedRubric | ParsedEvaluator) -> Iterator[Finding]:
    """A minimum score of 0 has no effect.

    No score is below 0, so it never fails a case. Removing `required_min_score` from a rubric, or
    `min_score` from an evaluator, makes it clear that there is no minimum. For an evaluator,
    `required: true` without `min_score` is a minimum of 0.8.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required_min_score: 0  # <- finding
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
            required_min_score: 6
            score_ranges:
              0: Cold
              6: Warm
    ```
    """
    if isinstance(graded, ParsedEvaluator):
        yield from _zero_of_evaluator(graded)
        return
    minimum = _minimum(graded)
    is_error = graded.spelling is not OWN_SPELLING  # AgentV refuses it
    if minimum is not None and minimum[0].value == 0 and _has_ranges(graded) and not is_error:
        yield Finding(
            minimum[0].span,
            f"every score meets a minimum of 0, so rubric `{graded.id}` cannot fail the case; the "
            f"lowest effective minimum is 1",
            deferred_fix=without(minimum[1], safe=False),
        )


def _zero_of_evaluator(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    entry, config = evaluator.node.entries.get("min_score"), evaluator.config
    if entry is None or config is None or not config.has_gate():
        return
    value = entry.value.value if isinstance(entry.value, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != 0:
        return
    name = evaluator.name.text if evaluator.name is not None else evaluator.type
    yield Finding(
        entry.value.span,
        f"every score meets a minimum of 0, so evaluator `{name}` cannot fail the case by itself",
        deferred_fix=without(entry.key, safe=False),
    )


@rule("SC213", Severity.WARNING, keys=("required_min_score", "min_score"), tags=(Tag.UNNECESSARY,))
def redundant_required(rubric: ParsedRubric) -> Iterator[Finding]:
    """A rubric with score ranges has both `required` and `required_min_score`.

    Only the minimum counts: `required: false` does not remove it, and `required: true` does
    not raise it to 10.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required: false  # <- finding
            required_min_score: 6
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
            required_min_score: 6
            score_ranges:
              0: Cold
              6: Warm
    ```
    """
    minimum = _minimum(rubric)
    entry = rubric.node.entries.get("required")
    if minimum is None or entry is None or not _has_ranges(rubric):
        return
    required = entry.value.value if isinstance(entry.value, Scalar) else None
    if isinstance(required, bool):
        means = "still fails the case" if not required else "is what fails the case"
        yield Finding(
            entry.key.span,
            f"`required: {str(required).lower()}` has no effect with `{rubric.spelling.minimum}`: a "
            f"score "
            f"below {minimum[0].value} {means}",
            deferred_fix=without(entry.key, safe=False),
            related=(Related("this one is used", minimum[1].span),),
        )
