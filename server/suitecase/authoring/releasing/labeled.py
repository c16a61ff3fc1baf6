"""Conditions on the people who label: their agreement is measured, and a gate asks for it."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.releasing.condition import Condition, Kind
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.labels.people import peoples_labels
from suitecase.figures.gates.grammar import Gate, figures_in
from suitecase.figures.gates.parsing import parse_gate


def label_conditions(release: Release) -> Iterator[Condition]:
    """Yield the labels that cannot be read, whose agreement is not measured, or that no gate is about.

    What a gate on agreement comes to is decided with the other gates.
    """
    asked_for = {name for gate in release.asked.gates for name in _agreement_in(gate.text)}
    for name in release.head.human or {}:
        line = release.line_of("human", name)
        labels = peoples_labels(release.suite, name, release.folder)
        for why in labels.incomplete if labels is not None else ():
            text = f"labels of `{name}` are left out: {why}"
            yield Condition(
                Kind.LABELS, text, release.head_file, release.line_of("human", name, "labels")
            )
        if labels is not None and not any(len(it.ratings) > 1 for it in labels.by_item.values()):
            text = f"agreement on `{name}` is not measured: no answer was labeled by two people"
            yield Condition(Kind.LABELS, text, release.head_file, line, undecided=True)
        if name not in asked_for:
            text = f"no gate asks for the agreement of people on `{name}`, such as "
            text += f"`human.{name}.alpha >= 0.667`"
            yield Condition(Kind.LABELS, text, release.head_file, line)


def _agreement_in(text: str) -> Iterator[str]:
    """Yield the names of evaluators whose labels a gate is about."""
    gate = parse_gate(text)
    for figure in figures_in(gate) if isinstance(gate, Gate) else ():
        names = [it.text for it in figure.names]
        if names[0] == "human" and len(names) > 1:
            yield names[1]
