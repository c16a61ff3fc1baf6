"""Rules on the score ranges of rubrics."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import issues_of
from suitecase.checking.rules.misspelling import stands_misspelt
from suitecase.format.rewriting.score_range_gaps import widened
from suitecase.format.rule import Finding, Fix, Related, replace, rule
from suitecase.formats.suitecase.elements import ParsedRubric
from suitecase.schema.validation import IssueKind, ValidatedPart
from suitecase.text.node import Mapping, Node, Sequence, Span
from suitecase_evaluators.answers.rubric import TOP, RangeProblem, map_problems, range_problems


def _range_span(node: Node) -> Span:
    """Return the node with the two numbers of a range, else the range."""
    if isinstance(node, Mapping):
        pair = node.get("score_range")
        if pair is not None:
            return pair.span
    return node.span


def _ranges_key(rubric: ParsedRubric) -> Span:
    key = rubric.node.key("score_ranges")
    return key.span if key else rubric.node.span


def _listed(rubric: ParsedRubric, kind: str) -> Iterator[tuple[RangeProblem, Span, Span | None]]:
    """Yield the problems of a kind in the list form, each with its place and the other place."""
    ranges = rubric.listed_ranges()
    if ranges is None:
        return
    for problem in range_problems([(low, high) for low, high, _ in ranges]):
        if problem.kind == kind:
            span = _ranges_key(rubric)
            if problem.index is not None:
                span = _range_span(ranges[problem.index][2])
            other = _range_span(ranges[problem.other][2]) if problem.other is not None else None
            yield problem, span, other


def _mapped(rubric: ParsedRubric, kind: str) -> Iterator[tuple[RangeProblem, Span]]:
    """Yield the problems of a kind in the map form, each with its place."""
    bounds = rubric.mapped_ranges()
    if bounds is None:
        return
    for problem in map_problems([low for low, _ in bounds]):
        if problem.kind == kind:
            key = bounds[problem.index][1].span if problem.index is not None else None
            yield problem, key or _ranges_key(rubric)


@rule("SC201", keys=("score_ranges",), issues=(IssueKind.SCORE_RANGE_OVERLAP,))
def score_ranges_overlap(rubric: ParsedRubric) -> Iterator[Finding]:
    """Two score ranges overlap.

    The judge could not know which of the two texts a shared score stands for. Each score from 0 to
    10 must belong to exactly one range.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [5, 10]  # <- finding
                expected_outcome: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [6, 10]
                expected_outcome: Warm
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [5, 10], outcome: Warm}  # <- finding
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 10], outcome: Warm}
    ```
    """
    for problem, span, other in _listed(rubric, "overlap"):
        related = (Related("the range it overlaps", other),) if other else ()
        fix = _apart(rubric, problem)
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}", fix, related=related)


def _apart(rubric: ParsedRubric, problem: RangeProblem) -> Fix | None:
    """Make a range end where the one that it overlaps begins, or begin where that one ends.

    It is a choice which of the two texts the shared scores get, so the fix is not safe.
    """
    ranges = rubric.listed_ranges()
    if ranges is None or problem.index is None or problem.other is None:
        return None
    low, high, node = ranges[problem.index]
    other_low, other_high, _ = ranges[problem.other]
    if other_low <= low and other_high < high:
        low = other_high + 1
    elif low < other_low and high <= other_high:
        high = other_low - 1
    else:
        return None  # one lies within the other
    pair = node.get("score_range")
    if not (isinstance(pair, Sequence) and pair.flow):
        return None
    return replace(pair.span, f"[{low}, {high}]", f"Change to [{low}, {high}]", safe=False)


@rule("SC202", keys=("score_ranges",), issues=(IssueKind.SCORE_RANGE_BOUNDS,))
def score_range_out_of_bounds(rubric: ParsedRubric) -> Iterator[Finding]:
    """A score range is outside the scale.

    Scores are whole numbers from 0 to 10, inclusive.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [6, 100]  # <- finding
                expected_outcome: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [6, 10]
                expected_outcome: Warm
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 100], outcome: Warm}  # <- finding
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 10], outcome: Warm}
    ```
    """
    for problem, span, _ in _listed(rubric, "bounds"):
        fix = _on_scale(rubric, problem)
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}", fix)
    for problem, span in _mapped(rubric, "bounds"):
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}")


def _on_scale(rubric: ParsedRubric, problem: RangeProblem) -> Fix | None:
    """End a range at the end of the scale; not safe, since another scale may be intended."""
    ranges = rubric.listed_ranges()
    if ranges is None or problem.index is None:
        return None
    low, high, node = ranges[problem.index]
    pair = node.get("score_range")
    start, end = max(low, 0), min(high, TOP)
    if start > end or not (isinstance(pair, Sequence) and pair.flow):
        return None
    new = f"[{start}, {end}]"
    return replace(pair.span, new, f"Change to {new}", safe=False)


@rule("SC203", keys=("score_ranges",), issues=(IssueKind.SCORE_RANGE_COVERAGE,))
def score_ranges_gap(rubric: ParsedRubric) -> Iterator[Finding]:
    """The score ranges do not cover every score.

    A judge may give any whole number from 0 to 10, so each of them needs a text. The message lists
    the scores without one.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:  # <- finding
              - score_range: [0, 4]
                expected_outcome: Cold
              - score_range: [6, 9]
                expected_outcome: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [6, 10]
                expected_outcome: Warm
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
              - id: warmth
                score_ranges:  # <- finding
                  - {score_range: [0, 4], outcome: Cold}
                  - {score_range: [6, 9], outcome: Warm}
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 10], outcome: Warm}
    ```
    """
    for problem, span, _ in _listed(rubric, "coverage"):
        fixed = widened(rubric.listed_ranges() or [])
        # It is a choice which of the neighbours a score belongs to.
        fix = Fix(*fixed, safe=False) if fixed else None
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}", fix)
    for problem, span in _mapped(rubric, "coverage"):
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}")


@rule("SC204", keys=("score_ranges",), issues=(IssueKind.SCORE_RANGE_REVERSED,))
def score_range_reversed(rubric: ParsedRubric) -> Iterator[Finding]:
    """A score range starts above its end.

    No score is between such bounds, so the judge could never choose this range.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [10, 6]  # <- finding
                expected_outcome: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              - score_range: [0, 5]
                expected_outcome: Cold
              - score_range: [6, 10]
                expected_outcome: Warm
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [10, 6], outcome: Warm}  # <- finding
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 10], outcome: Warm}
    ```
    """
    ranges = rubric.listed_ranges() or []
    for problem, span, _ in _listed(rubric, "reversed"):
        low, high, node = ranges[problem.index or 0]
        new = f"[{high}, {low}]"
        pair = node.get("score_range")
        flow = isinstance(pair, Sequence) and pair.flow
        fix = replace(span, new, f"Swap to {new}") if flow else None
        yield Finding(span, f"in rubric `{rubric.id}` {problem.message}", fix)


@rule("SC205", only_of="issues", issues=(IssueKind.SCORE_RANGE_TEXT,))
def score_range_without_text(part: ValidatedPart) -> Iterator[Finding]:
    """A score range has no text.

    The judge reads the text of each range; without one, it cannot know when to give these scores.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              0: ""  # <- finding
              6: Warm
    ```

    ```yaml good
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
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - score_range: [6, 10]  # <- finding
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: llm-rubric
            value:
              - id: warmth
                score_ranges:
                  - {score_range: [0, 5], outcome: Cold}
                  - {score_range: [6, 10], outcome: Warm}
    ```
    """
    for issue in issues_of(part, score_range_without_text):
        missing = issue.type == "missing"
        if missing and stands_misspelt(part, issue.path[:-1], str(issue.path[-1])):
            continue
        name = f"`{issue.path[-1]}`" if missing else "text"
        yield Finding(
            issue.span,
            f"this score range has no {name}; describe an answer with this score",
        )


@rule("SC206", keys=("score_ranges",), issues=(IssueKind.SCORE_RANGE_START,))
def score_ranges_start(rubric: ParsedRubric) -> Iterator[Finding]:
    """A map of score ranges does not start at 0.

    Each key of the map is the lowest score of its range, which extends to the next key. Scores
    below the first key would have no meaning.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            score_ranges:
              1: Cold  # <- finding
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
              - id: warmth
                score_ranges:
                  1: Cold  # <- finding
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
              - id: warmth
                score_ranges:
                  0: Cold
                  6: Warm
    ```
    """
    for problem, span in _mapped(rubric, "start"):
        yield Finding(
            span,
            f"in rubric `{rubric.id}` {problem.message}",
            replace(span, "0", "Start at 0", safe=False),
        )
