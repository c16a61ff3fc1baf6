"""Decisions about gates as text."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

import click

from suitecase.figures.deciding import named
from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.gate_words import counts_text, label_of, value_of
from suitecase.report.embedding import visible

_COLORS = {"holds": "green", "FAILS": "red", "undecided": "yellow", "warning": "yellow"}
#: As wide as a column for gates gets; a longer one has a line of its own.
_WIDEST = 44
_INDENT = 13


def gates_text(decisions: Sequence[Decision], notes: Sequence[str]) -> Iterator[str]:
    """Yield the lines that say what is decided about each gate, and why."""
    styled = sys.stdout.isatty()
    columns = min(max(shutil.get_terminal_size((80, 24)).columns, 60), 120)
    several = len({it.target for it in decisions}) > 1
    width = min(max(len(visible(it.gate)) for it in decisions), _WIDEST)
    target = None
    for decision in decisions:
        if several and decision.target != target:
            target = decision.target
            yield f"{visible(target)}:"
        label = label_of(decision)
        shown = f"{label:<10}"
        if styled:
            shown = click.style(shown, fg=_COLORS.get(label))
        gate, value = visible(decision.gate), value_of(decision)
        if len(gate) <= width and _INDENT + width + 2 + len(value) <= columns:
            yield f"  {shown} {gate:<{width}}  {value}".rstrip()
        else:
            yield f"  {shown} {gate}"
            yield from _wrapped(value, columns)
        for text in _explained(decision):
            yield from _wrapped(visible(text), columns)
    for note in notes:
        yield from textwrap.wrap(visible(note), columns)
    yield counts_text(decisions)


def _explained(decision: Decision) -> Iterator[str]:
    if decision.reason:
        yield _sentence(decision.reason)
    if decision.outcome is Outcome.HOLDS:
        return
    if decision.cases:
        yield f"Cases: {named(decision.cases, decision.more_cases)}"
    if decision.missing_cases:
        yield f"Missing: {named(decision.missing_cases)}"
    if decision.needed:
        yield _sentence(decision.needed)
    if decision.why:
        yield decision.why


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _wrapped(text: str, columns: int) -> Iterator[str]:
    indent = " " * _INDENT
    yield from textwrap.wrap(
        text,
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
