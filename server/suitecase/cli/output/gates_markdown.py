"""Decisions about gates as Markdown, for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.figures.decision import Decision, Outcome, exit_code_of
from suitecase.figures.gate_words import counts_text, explanation, label_of, value_of
from suitecase.text.encoders.markdown import escaped

_SIGNS = {
    "holds": "✅ holds",
    "rehearsed": "⚪ rehearsed",
    "FAILS": "❌ fails",
    "undecided": "⚠️ undecided",
    "warning": "🟡 fails",
}


def gates_markdown(
    decisions: Sequence[Decision], notes: Sequence[str], *, no_model: bool = False
) -> Iterator[str]:
    """Yield a heading, notes, and a table with a row for each gate."""
    rehearsed = no_model or any(decision.outcome is Outcome.REHEARSED for decision in decisions)
    sign = "❌" if exit_code_of(decisions) else "⚪" if rehearsed else "✅"
    yield f"## {sign} {escaped(counts_text(decisions))}{', no model was called' if no_model else ''}"
    yield ""
    for note in notes:
        yield f"> {escaped(note)}"
        yield ""
    yield from gates_table(decisions)


def gates_table(decisions: Sequence[Decision]) -> Iterator[str]:
    """Yield a table with a row for each gate."""
    several = len({decision.target for decision in decisions}) > 1
    target = "| Target " if several else ""
    yield f"{target}| Gate | | Measured | Why |"
    yield f"{'| --- ' if several else ''}| --- | --- | --- | --- |"
    for decision in decisions:
        own = f"| {escaped(decision.target)} " if several else ""
        why = "<br>".join(escaped(text) for text in explanation(decision))
        yield (
            f"{own}| {escaped(decision.gate)} | {_SIGNS[label_of(decision)]} | {escaped(value_of(decision))} | {why} |"
        )
