"""All figures and decisions of a run at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.figures.asked import Asked
from suitecase.figures.deciding import decide
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.gates.grammar import Gate, Sum
from suitecase.figures.gates.parsing import parse_gate, parse_metric
from suitecase.figures.gates.spelling import facet_text
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.measuring import Measurer, Wanted
from suitecase.figures.measuring_files import FileFigures
from suitecase.figures.standard import standard_figures, standard_file_figures, standard_slices
from suitecase.figures.table import Table, Tables


def run_figures(
    tables: Tables, asked: Asked, results: str = "", baseline: Tables | None = None
) -> RunFigures:
    """Return the standard figures of a run and what is decided about the gates of its suite.

    Args:
        results: the name of the results file.
    """
    files = FileFigures(asked)
    figures = [
        figure
        for table in tables.by_target.values()
        for figure in figures_of(table, asked, files=files)
    ]
    return RunFigures(
        results=results,
        suite_path=asked.suite_path,
        figures=tuple(figures),
        gates=tuple(decide(tables, asked, baseline, files)),
        answers=tables.answers,
    )


def figures_of(
    table: Table,
    asked: Asked | None,
    *,
    slices: Sequence[str] | None = None,
    everything: bool = False,
    gaps: str | None = None,
    files: FileFigures | None = None,
) -> list[MeasuredFigure]:
    """Measure the standard figures of a target: of all cases, and of slices.

    What no case has is left out.

    Args:
        slices: the slices; None for all that the cases have.
        everything: also figures of rubrics, classes, and whether single evaluators pass.
        gaps: a facet whose gaps of the pass rate and the score are measured, too.
        files: what measures figures from files, to measure them once for several targets.
    """
    names = standard_figures(table, asked, everything=everything)
    safety = asked.safety_slices if asked is not None else frozenset()
    chosen = standard_slices(table, asked) if slices is None else slices
    texts: list[str] = []
    for slice_ in (None, *chosen):
        own = [*names, "violation_rate"] if slice_ in safety else names
        texts += [name if slice_ is None else f"{name}[{slice_}]" for name in own]
    facet = None if gaps is None else facet_text(gaps)
    if facet is not None:
        texts += [f"gap({name} by {facet})" for name in ("pass_rate", "score")]
    trees = [(text, parse_metric(text)) for text in texts]
    wanted = [Wanted(tree, text) for text, tree in trees if isinstance(tree, Sum)]
    if asked is not None and (asked.people or asked.judges):
        wanted += _from_files(standard_file_figures(table, asked, everything=everything))
    measured = Measurer(table, asked, files=files).measure(wanted, cases=False)
    found = [it.figure for it in measured if it.figure is not None]
    return [it for it in found if it.cases or it.missing]


def _from_files(texts: Sequence[str]) -> Iterator[Wanted]:
    for text in texts:
        gate = parse_gate(f"{text} >= 0")  # a metric has no functions
        if isinstance(gate, Gate):
            yield Wanted(gate.expression, text)
