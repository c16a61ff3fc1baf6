"""Rules on the groups that gates compare."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Extreme, Gate, Sum
from suitecase.figures.gates.meaning import ZERO_OR_ONE
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.settings import repeats_of
from suitecase.format.rule import Finding, Severity, rule
from suitecase.text.plural import counted


@rule("SC921", Severity.INFO)
def group_too_small(figures: SuiteFigures) -> Iterator[Finding]:
    """A group is so small that a single answer decides a gate that compares groups.

    In a group of four cases, one more answer that fails lowers the pass rate by 25 %. A gate that
    accepts a gap of 10 % then says nothing about how the group is treated: it says whether that one
    answer was good. Add cases, or ask each more often with `execution.repeats`.

    ```yaml bad
    slices:
      language: {by: metadata.language}
    gates:
      - gap(pass_rate by language) <= 10%  # <- finding@22
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```

    ```yaml good
    slices:
      language: {by: metadata.language}
    gates:
      - gap(pass_rate by language) <= 10%
    execution: {repeats: 10}
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```
    """
    repeats = repeats_of(figures)
    for gate in figures.gates:
        tree = gate.tree
        if not isinstance(tree, Gate):
            continue
        gap, limit = _compared(tree), tree.threshold.value
        meaning = figures.meaning(gap.figure) if gap is not None else None
        if gap is None or meaning is None or meaning.kind not in ZERO_OR_ONE or limit <= 0:
            continue
        value, cases = _smallest_group(gap, figures) or ("", 0)
        if cases and 1 / (cases * repeats) > limit:
            asked = f", asked {repeats} times each" if repeats > 1 else ""
            yield Finding(
                gate.span(gap.facet),
                f"`{gap.facet.text}={value}` has {counted(cases, 'case')}{asked}: a single answer "
                f"changes its `{gap.figure.name}` by {100 / (cases * repeats):.3g} %, more than the "
                f"gap of {100 * limit:.3g} % that this gate accepts",
            )


def _compared(tree: Gate) -> Extreme | None:
    """Return the gap that a gate limits."""
    expression = tree.expression
    only = expression.only_term if isinstance(expression, Sum) else None
    is_gap = isinstance(only, Extreme) and only.function.text == "gap"
    return only if isinstance(only, Extreme) and is_gap and not tree.at_least else None


def _smallest_group(gap: Extreme, figures: SuiteFigures) -> tuple[str, int] | None:
    """Return the value of the smallest of several groups, and the number of its cases."""
    if not figures.all_known or gap.facet.text not in figures.facets:
        return None
    within: set[int] | None = None
    if gap.figure.slice is not None:
        choice = figures.choose(gap.figure.slice.text)
        if choice is None:
            return None
        within = set(figures.cases_of(choice))
    sizes: dict[str, int] = {}
    for value, cases in figures.values_of(gap.facet.text).items():
        left = cases if within is None else within.intersection(cases)
        if value is not None and left:
            sizes[value] = len(left)
    return min(sizes.items(), key=lambda it: it[1]) if len(sizes) > 1 else None
