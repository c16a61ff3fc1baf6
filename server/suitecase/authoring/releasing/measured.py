"""Figures of a release that its pages show and no gate has to ask for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from suitecase.authoring.releasing.release import Release
from suitecase.figures.asked import Asked
from suitecase.figures.gates.grammar import Sum
from suitecase.figures.gates.parsing import parse_metric
from suitecase.figures.gates.slices import selects
from suitecase.figures.gates.spelling import protocol_meanings, protocol_text
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.measuring import Measurer, Wanted
from suitecase.figures.table import Table

#: The slice of the cases outside of all safety slices. No suite can have such a tag: `|` ends a name.
OUTSIDE = "|outside safety slices|"


def measured(table: Table, asked: Asked, texts: Iterable[str]) -> dict[str, MeasuredFigure]:
    """Return figures of a target by their texts; those that no case has are left out.

    Args:
        table: the answers of the target.
        asked: the suite.
        texts: the figures, as gates write them.
    """
    trees = [(text, parse_metric(text)) for text in texts]
    wanted = [Wanted(tree, text) for text, tree in trees if isinstance(tree, Sum)]
    found = Measurer(table, asked).measure(wanted)
    figures = {
        it.text: own.figure for it, own in zip(wanted, found, strict=True) if own.figure is not None
    }
    return {text: it for text, it in figures.items() if it.cases or it.missing}


def protocol_figures(release: Release) -> dict[str, MeasuredFigure]:
    """Return the agreement of people and the figures of calibrated judges, by their texts."""
    texts = [protocol_text(meaning) for meaning in protocol_meanings(release.asked.names)]
    table = next(iter(release.tables.by_target.values()), None)
    if table is None:
        return {}
    return measured(table, release.asked, [text for text in texts if text is not None])


def with_benign_slice(asked: Asked) -> Asked:
    """Return a suite with the slice `OUTSIDE`."""
    safety = [it for it in asked.slices.values() if it.safety]
    cases = {
        name: replace(it, facts=replace(it.facts, tags=it.facts.tags | {OUTSIDE}))
        if not any(selects(own, it.facts) for own in safety)
        else it
        for name, it in asked.cases.items()
    }
    return replace(asked, cases=cases)
