"""Decisions about gates in words, the same wherever they are shown. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.gates.grammar import Gate, functions_in
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.wording import compared_text, figure_text, value_text
from suitecase.text.plural import counted

_MOST_NAMED = 5


def label_of(decision: Decision) -> str:
    """Return the outcome as a word; a gate that is only reported warns where it fails."""
    if decision.outcome is Outcome.FAILS:
        return "warning" if decision.warns else "FAILS"
    return decision.outcome.value


def value_of(decision: Decision) -> str:
    """Return what was measured: the figure with its interval, or the bound that is compared."""
    figure = decision.figure
    if figure is None or figure.estimate is None:
        return "not measured"
    gate = parse_gate(decision.gate)
    if not isinstance(gate, Gate):
        return figure_text(figure)
    text = figure_text(figure, percent=gate.threshold.percent)
    functions = functions_in(gate)
    if functions and functions[0].text in ("lower", "upper") and decision.value is not None:
        bound = compared_text(decision.value, gate, figure.unit)
        beside = _beside(figure, percent=gate.threshold.percent)
        return f"{functions[0].text} bound {bound}, of {text}{beside}"
    estimate = compared_text(figure.estimate, gate, figure.unit)
    text = (
        f"{estimate}{text[text.index(' ') :]}"
        if figure.unit in ("share", "coefficient") and " " in text
        else text
    )
    return text + _beside(figure, percent=gate.threshold.percent)


def _beside(figure: MeasuredFigure, *, percent: bool) -> str:
    p = "" if figure.p is None else f", p = {figure.p:.3f} by permutation"
    return p + correction_text(figure, percent=percent)


def correction_text(figure: MeasuredFigure, *, percent: bool = True) -> str:
    """Return what a corrected rate was made of, to stand behind it; else nothing."""
    made = figure.correction
    if made is None:
        return ""
    uncorrected = value_text(made.uncorrected, figure.unit, percent=percent)
    return (
        f"; uncorrected {uncorrected}, sensitivity {made.sensitivity:.2f} and specificity "
        f"{made.specificity:.2f} of {counted(made.good + made.bad, 'label')}"
    )


def explanation(decision: Decision) -> Iterator[str]:
    """Yield why it is decided so, which cases that is about, and what it would take, in lower case."""
    if decision.reason:
        yield decision.reason
    if decision.outcome.is_met:
        return
    if decision.cases:
        yield f"cases: {named(decision.cases, decision.more_cases)}"
    if decision.missing_cases:
        yield f"missing: {named(decision.missing_cases)}"
    if decision.needed:
        yield decision.needed
    if decision.why:
        yield decision.why


def counts_text(decisions: Sequence[Decision]) -> str:
    """Return how many gates hold, fail and are undecided: `5 gates: 3 hold, 1 fails, 1 undecided`."""
    held = sum(decision.outcome is Outcome.HOLDS for decision in decisions)
    failed = sum(decision.fails_run for decision in decisions)
    undecided = sum(decision.outcome is Outcome.UNDECIDED for decision in decisions)
    warned = sum(decision.outcome is Outcome.FAILS and decision.warns for decision in decisions)
    rehearsed = sum(decision.outcome is Outcome.REHEARSED for decision in decisions)
    parts = [f"{held:,} {'holds' if held == 1 else 'hold'}"] if held or not rehearsed else []
    if rehearsed:
        parts.append(f"{rehearsed:,} rehearsed")
    if failed:
        parts.append(f"{failed:,} {'fails' if failed == 1 else 'fail'}")
    if undecided:
        parts.append(f"{undecided:,} undecided")
    if warned:
        parts.append(counted(warned, "warning"))
    return f"{counted(len(decisions), 'gate')}: {', '.join(parts)}"


def named(cases: Sequence[str], more: int = 0, most: int = _MOST_NAMED) -> str:
    """Return the first names of cases, and the number of the others."""
    rest = len(cases) + more - most
    return ", ".join(cases[:most]) + (f" and {rest:,} more" if rest > 0 else "")
