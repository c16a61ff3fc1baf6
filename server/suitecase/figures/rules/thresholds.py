"""Rules on the thresholds of gates."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator

from suitecase.figures.gates.grammar import Gate, Part
from suitecase.figures.gates.implied import Bound, implied_bounds
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.scales import Scale, lies, off_scale, off_scale_problem, scale_of
from suitecase.figures.gates.shown import shown_threshold
from suitecase.figures.gates.written import WrittenGate
from suitecase.format.rule import Finding, Related, Severity, replace, rule


def _parsed(figures: SuiteFigures) -> Iterator[tuple[WrittenGate, Gate]]:
    for written in figures.gates:
        if not isinstance(written.tree, GateProblem):
            yield written, written.tree


def _scaled(figures: SuiteFigures) -> Iterator[tuple[WrittenGate, Gate, Scale]]:
    for written, gate in _parsed(figures):
        scale = scale_of(gate.expression, figures)
        if scale is not None:
            yield written, gate, scale


def _expression(written: WrittenGate, gate: Gate) -> str:
    """Return the text in front of the comparison."""
    return written.node.text[gate.expression.start : gate.expression.end]


@rule("SC805", affects="run")
def threshold_off_scale(figures: SuiteFigures) -> Iterator[Finding]:
    """A threshold is outside the values that the figure can have.

    Rates and scores lie between 0 and 1. Write a threshold as such a number or with a percent sign:
    `0.9` and `90%` are the same.

    ```yaml bad
    gates:
      - pass_rate >= 90  # <- finding@18
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for written, gate, scale in _scaled(figures):
        problem = off_scale_problem(gate, written.node.text, scale)
        if problem is None:
            continue
        message, meant = problem
        span = written.span(gate.threshold)
        fix = None if meant is None else replace(span, meant, f"Change to {meant}", safe=False)
        yield Finding(span, message, fix)


@rule("SC806", Severity.WARNING)
def gate_always_holds(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate holds whatever the results are.

    Its threshold is the least or the greatest value that the figure can have.

    ```yaml bad
    gates:
      - pass_rate >= 0  # <- finding@18
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for written, gate, scale in _scaled(figures):
        if off_scale(gate, scale) is not None:
            continue
        end = scale.low if gate.at_least else scale.high
        if gate.threshold.value == end and gate.met_by(end):
            comparison = shown_threshold(gate, written.node.text)
            yield Finding(
                written.span(gate.threshold),
                f"`{_expression(written, gate)} {comparison}` always holds, since the value "
                f"{lies(scale)}",
            )


@rule("SC810", Severity.WARNING)
def contradictory_gates(figures: SuiteFigures) -> Iterator[Finding]:
    """Two gates cannot both hold.

    They compare the same figure of the same slice, and no value meets both. A gate on a bound limits
    the figure, too: where the lower bound is at least 90%, so is the figure.

    ```yaml bad
    gates:
      - pass_rate >= 90%
      - pass_rate <= 80%  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    gates:
      - pass_rate >= 80%
      - pass_rate <= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    gates: list[tuple[WrittenGate, Gate]] = []
    #: The bounds of each value on each side with the numbers of their gates, each tighter than those before.
    tightest: defaultdict[tuple[Hashable, bool], list[tuple[Bound, int]]] = defaultdict(list)
    for number, (written, gate) in enumerate(_parsed(figures)):
        bounds = implied_bounds(gate, figures)
        contradicted: list[int] = []
        for bound in bounds:
            others = tightest[bound.key, not bound.at_least]
            first = bisect_left(others, True, key=lambda other: bound.excludes(other[0]))
            contradicted += (index for _, index in others[first : first + 1])
        if contradicted:
            other, of_other = gates[min(contradicted)]
            here = Part(gate.start, gate.end)
            there = Part(of_other.start, of_other.end)
            related = (Related("the other gate", other.span(there)),)
            text = other.node.text[there.start : there.end]
            message = f"this and `{text}` cannot both hold"
            yield Finding(written.span(here), message, related=related)
        gates.append((written, gate))
        for bound in bounds:
            known = tightest[bound.key, bound.at_least]
            if not known or bound.is_tighter(known[-1][0]):
                known.append((bound, number))
