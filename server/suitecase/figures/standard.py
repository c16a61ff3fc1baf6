"""The figures that are reported of each run, whether a gate asks for them or not."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.answer_values import (
    COST,
    FAILED_TO_ANSWER,
    JUDGE_FAILED,
    LATENCY,
    REFUSED,
    TOKENS,
    Measure,
)
from suitecase.figures.asked import Asked
from suitecase.figures.file_data import REPEAT
from suitecase.figures.gates.meaning import OF_PEOPLE, FigureKind, Meaning
from suitecase.figures.gates.slices import facet_value, selects
from suitecase.figures.gates.spelling import (
    protocol_meanings,
    protocol_text,
    slice_text,
    spelt,
)
from suitecase.figures.table import Table

#: So many slices are reported beside all cases. Facets with thousands of values say nothing.
MOST_SLICES = 50


def standard_figures(table: Table, asked: Asked | None, *, everything: bool = False) -> list[str]:
    """Return the names of the figures that the answers of a run have.

    Args:
        everything: also those of rubrics, of classes, and of whether single evaluators pass.
    """
    names = ["pass_rate", "score"]
    measures = table.columns
    if asked is not None:
        names += filter(None, map(spelt, sorted(asked.metrics)))
    by_evaluator: dict[str, list[str]] = {}
    for measure in measures:
        if measure.evaluator is not None:
            own = by_evaluator.setdefault(measure.evaluator, [])
            found = _of_evaluator(measure, table, everything=everything)
            own += [it for it in found if it is not None]
    for own in by_evaluator.values():
        names += dict.fromkeys(own)
    if table.repeats > 1:
        ks = [number for number in (2, 3, 5, 10) if number < table.repeats]
        names += [f"pass@{it}" for it in (*ks, table.repeats)] + [f"pass^{table.repeats}"]
    for measure in (REFUSED, FAILED_TO_ANSWER, JUDGE_FAILED):
        if _any_but_zero(table, measure):
            names.append(measure.kind.value)
    names += [it.kind.value for it in (LATENCY, COST, TOKENS) if _any_known(table, it)]
    return list(dict.fromkeys(names))


def _of_evaluator(measure: Measure, table: Table, *, everything: bool) -> Iterator[str | None]:
    name = measure.evaluator or ""
    match measure.kind:
        case FigureKind.EVALUATOR_SCORE:
            yield spelt(name)
        case FigureKind.EVALUATOR_PASS_RATE if everything:
            yield spelt(name, "pass_rate")
        case FigureKind.EVALUATOR_PART if everything and measure.part:
            yield spelt(name, measure.part)
        case FigureKind.MACRO_F1:
            yield spelt(name, "macro_f1")
            if everything:
                codes = {int(it) for it in table.columns[measure].different}
                expected = sorted({table.labels[code].expected for code in codes})
                yield from (spelt(name, f"recall.{it}") for it in expected)
        case FigureKind.TIES | FigureKind.CONSISTENCY:
            yield spelt(name, measure.kind.value)


def standard_file_figures(table: Table, asked: Asked, *, everything: bool = False) -> list[str]:
    """Return the names of the figures from labels and calibrations, and of the rates they correct.

    Args:
        everything: also those of single items and probes.
    """
    found: list[str | None] = []
    wanted = [*protocol_meanings(asked.names)]
    if everything:
        for name, people in sorted(asked.people.items()):
            for item in sorted({it.item for it in people.items}):
                wanted += [Meaning(of_person, name, item) for of_person in OF_PEOPLE.values()]
        for name, judge in sorted(asked.judges.items()):
            probes = sorted({probe for answer in judge.answers for probe in answer.probed})
            wanted += [
                Meaning(FigureKind.FLIPS, name, probe) for probe in probes if probe != REPEAT
            ]
    found += map(protocol_text, wanted)
    graded = {column.evaluator for column in table.columns}
    for name in sorted(asked.judges):
        rate = spelt(name, "pass_rate") if name in graded else None
        found.append(f"corrected({rate})" if rate is not None else None)
    return [it for it in found if it is not None]


def standard_slices(table: Table, asked: Asked | None) -> list[str]:
    """Return the slices of a run: declared ones, values of facets, and tags; at most `MOST_SLICES`."""
    facts = [
        asked.cases[case].facts if asked is not None and case in asked.cases else recorded.facts
        for case, recorded in table.cases.items()
    ]
    known = [fact for fact in facts if fact is not None]
    names: list[str] = []
    for name, declared in (asked.slices if asked is not None else {}).items():
        if declared.by is None:
            names.append(name)
            continue
        values = {facet_value(declared, it) for it in known if selects(declared, it)}
        names += [f"{name}={value}" for value in sorted(it for it in values if it is not None)]
    tags = sorted({tag for it in known for tag in it.tags})
    names += [tag for tag in tags if tag not in names]
    return [it for it in names if slice_text(it) is not None][:MOST_SLICES]


def _any_but_zero(table: Table, measure: Measure) -> bool:
    column = table.columns.get(measure)
    return column is not None and any(it > 0 for it in column.different)


def _any_known(table: Table, measure: Measure) -> bool:
    column = table.columns.get(measure)
    return column is not None and any(it == it for it in column.different)  # noqa: PLR0124 - not NaN
