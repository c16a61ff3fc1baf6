"""Decisions about gates as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from suitecase.cli.output.printing import columns
from suitecase.figures.decision import Decision
from suitecase.figures.gate_words import counts_text, explanation, label_of, value_of
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import capitalized

_STYLES = {
    "holds": "green",
    # What holds without a model says nothing of one.
    "rehearsed": "dim",
    "FAILS": "bold red",
    "undecided": "bold yellow",
    "warning": "yellow",
}
#: As wide as a column for gates gets; a longer one is on a separate line.
_WIDEST = 44
_INDENT = 13


def gates_text(
    decisions: Sequence[Decision], notes: Sequence[str] = (), *, no_model: bool = False
) -> Iterator[Line]:
    """Yield the lines that say what is decided about each gate, and why."""
    across = max(columns(), 60)
    several = len({it.target for it in decisions}) > 1
    width = min(max(len(visible(it.gate)) for it in decisions), _WIDEST)
    target = None
    for decision in decisions:
        if several and decision.target != target:
            target = decision.target
            yield f"{visible(target)}:"
        label = label_of(decision)
        gate, value = visible(decision.gate), visible(value_of(decision))
        fits = len(gate) <= width and _INDENT + width + 2 + len(value) <= across
        style = _STYLES.get(label, "")
        yield (
            (f"  {label:<10} ", style),
            (f"{gate:<{width}}  {value}".rstrip() if fits else gate, ""),
        )
        if not fits:
            yield from _wrapped(value, across)
        for text in explanation(decision):
            shown = (
                _sentence(text) if text in (decision.reason, decision.needed) else capitalized(text)
            )
            yield from _wrapped(visible(shown), across)
    for note in notes:
        yield from textwrap.wrap(visible(note), across)
    yield f"{counts_text(decisions)}{' (no model was called)' if no_model else ''}"


def _sentence(text: str) -> str:
    return f"{capitalized(text)}{'' if text.endswith('?') else '.'}"


def _wrapped(text: str, across: int) -> Iterator[str]:
    indent = " " * _INDENT
    yield from textwrap.wrap(
        text,
        across,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
