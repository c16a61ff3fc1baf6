"""Numbers of gates as messages show them."""

from __future__ import annotations

from suitecase.figures.gates.grammar import Gate


def shown_number(value: float) -> str:
    """Return a number as people write it: `0.9`, `4000`, not `4e+03`."""
    return f"{value:.12g}" if abs(value) < 1e12 else f"{value:g}"


def shown_threshold(gate: Gate, text: str) -> str:
    """Return the comparison of a gate with its threshold, as it is written in the gate's text."""
    return f"{gate.comparison} {text[gate.threshold.start : gate.threshold.end]}"
