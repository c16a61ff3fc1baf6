"""Rules on the thresholds of gates."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Fix, Related, Severity, replace, rule
from suitecase.suite.gates.grammar import Gate, Part
from suitecase.suite.gates.implied import Bound, implied_bounds
from suitecase.suite.gates.meaning import Unit
from suitecase.suite.gates.names import SuiteFigures
from suitecase.suite.gates.parsing import GateProblem
from suitecase.suite.gates.scales import Scale, scale_of
from suitecase.suite.gates.shown import shown_number, shown_threshold
from suitecase.suite.gates.written import WrittenGate


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


def _off_scale(gate: Gate, scale: Scale) -> str | None:
    """Return `never holds` or `always holds` of a threshold that no value can have, else None.

    So it is of one at the end of the scale, too, where no value can be beyond it.
    """
    limit = gate.threshold.value
    if limit > scale.high or (limit == scale.high and gate.comparison == ">"):
        return "never holds" if gate.at_least else "always holds"
    if limit < scale.low or (limit == scale.low and gate.comparison == "<"):
        return "always holds" if gate.at_least else "never holds"
    return None


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
        expression, threshold = _expression(written, gate), gate.threshold
        span = written.span(threshold)
        if scale.unit is not Unit.SHARE and threshold.percent:
            is_in = "is" if scale.unit is Unit.COEFFICIENT else "is in"
            yield Finding(
                span,
                f"`{expression}` {is_in} {scale.unit.value}, so a threshold in percent means nothing",
            )
            continue
        outcome = _off_scale(gate, scale)
        if outcome is None:
            continue
        comparison = shown_threshold(gate, written.node.text)
        message = f"`{expression}` {_lies(scale)}, so `{comparison}` {outcome}"
        percent = threshold.value / 100
        is_percent = not threshold.percent and 1 < threshold.value <= 100
        fix: Fix | None = None
        if scale.unit is Unit.SHARE and is_percent and scale.low <= percent <= scale.high:
            meant = f"{shown_number(threshold.value)}%"
            message += f"; did you mean {meant}?"
            fix = replace(span, meant, f"Change to {meant}", safe=False)
        yield Finding(span, message, fix)


def _lies(scale: Scale) -> str:
    low, high = shown_number(scale.low), shown_number(scale.high)
    return f"is at least {low}" if high == "inf" else f"lies between {low} and {high}"


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
        if _off_scale(gate, scale) is not None:
            continue
        end = scale.low if gate.at_least else scale.high
        if gate.threshold.value == end and gate.met_by(end):
            comparison = shown_threshold(gate, written.node.text)
            yield Finding(
                written.span(gate.threshold),
                f"`{_expression(written, gate)} {comparison}` always holds, since the value "
                f"{_lies(scale)}",
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
    earlier: list[tuple[WrittenGate, Gate, list[Bound]]] = []
    for written, gate in _parsed(figures):
        bounds = implied_bounds(gate, figures)
        for other, first, of_other in earlier:
            if any(it.excludes(that) for it in bounds for that in of_other):
                here = Part(gate.start, gate.end)
                related = (Related("the other gate", other.span(Part(first.start, first.end))),)
                text = other.node.text[first.start : first.end]
                message = f"this and `{text}` cannot both hold"
                yield Finding(written.span(here), message, related=related)
                break
        earlier.append((written, gate, bounds))
