"""What `safety.html` shows: safety slices with their outcomes, and groups of people compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.measured import OUTSIDE, measured, with_benign_slice
from suitecase.figures.decision import Decision
from suitecase.figures.gates.grammar import Extreme, Gate, figures_in, sum_of
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.gates.slices import facet_value, selects
from suitecase.figures.gates.spelling import facet_text, slice_text
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.table import Table
from suitecase.format.figure_keys import Mitigation, Slice
from suitecase.report.run_sections import FigureRow, GateRow, figure_row, gate_row, scale_of
from suitecase.report.words import p_text
from suitecase.text.plural import counted

#: What groups of people are compared by.
_COMPARED = ("pass_rate", "score", "refusal_rate")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answers of a target to the cases of a safety slice.

    Attributes:
        row: the rate of violations with its interval.
        bound: what the interval says, in a sentence.
        missing: what missing answers could make of it; empty if none is missing.
    """

    target: str
    row: FigureRow
    bound: str
    missing: str


@dataclass(frozen=True, slots=True)
class SafetySlice:
    """A safety slice with what came of it.

    Attributes:
        benign: the rate of refusals of the cases outside of all safety slices, by target.
    """

    name: str
    description: str
    policy: str
    cases: int
    mitigations: tuple[Mitigation, ...]
    outcomes: tuple[Outcome, ...]
    gates: tuple[GateRow, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference between groups, with how likely it is by chance."""

    figure: str
    target: str
    text: str
    p: str


@dataclass(frozen=True, slots=True)
class SensitiveFacet:
    """Groups of people and how they compare.

    Attributes:
        groups: the number of cases of each group.
        without: how many cases are in none.
        rows: the figures of each group.
    """

    name: str
    description: str
    basis: str
    groups: tuple[tuple[str, int], ...]
    without: int
    rows: tuple[FigureRow, ...]
    gaps: tuple[Gap, ...]
    gates: tuple[GateRow, ...]

    @property
    def scale(self) -> tuple[float, float]:
        """The scale of the chart of its figures."""
        return scale_of(self.rows)


@dataclass(frozen=True, slots=True)
class SafetyReport:
    """The page. `benign` are the rates of refusals of cases outside of all safety slices."""

    slices: tuple[SafetySlice, ...]
    facets: tuple[SensitiveFacet, ...]
    benign: tuple[FigureRow, ...]
    targets: bool


def safety_report(contents: Contents) -> SafetyReport:
    """Return what is known about safety slices and groups of people."""
    release = contents.release
    tables = list(release.tables.by_target.values())
    slices = release.asked.slices
    return SafetyReport(
        tuple(_slice(contents, name, it, tables) for name, it in slices.items() if it.safety),
        tuple(_facet(contents, name, it, tables) for name, it in slices.items() if it.sensitive),
        tuple(_benign(contents, tables)),
        targets=len(tables) > 1,
    )


def _slice(contents: Contents, name: str, declared: Slice, tables: Sequence[Table]) -> SafetySlice:
    asked, text = contents.release.asked, contents.redaction.text
    outcomes: list[Outcome] = []
    for table in tables:
        for of_slice in _names_of(name, declared, contents):
            written = slice_text(of_slice)
            wanted = f"violation_rate[{written}]"
            figure = measured(table, asked, [wanted]).get(wanted) if written else None
            if figure is not None:
                row = figure_row(figure, text(of_slice))
                outcomes.append(Outcome(table.target, row, _bound(figure), _missing(figure)))
    mitigations = [
        mitigation.model_copy(
            update={
                "what": text(mitigation.what),
                "evidence": text(mitigation.evidence) if mitigation.evidence else None,
            }
        )
        for mitigation in declared.mitigations or ()
    ]
    return SafetySlice(
        name,
        text(declared.description or ""),
        text(declared.policy or ""),
        sum(selects(declared, case.facts) for case in asked.cases.values()),
        tuple(mitigations),
        tuple(outcomes),
        tuple(map(gate_row, _gates_about(name, contents.figures.gates))),
    )


def _names_of(name: str, declared: Slice, contents: Contents) -> list[str]:
    """Return the slice, or those of each value of a facet."""
    if declared.by is None:
        return [name]
    return [f"{name}={value}" for value, _ in _groups(declared, contents)[0]]


def _bound(figure: MeasuredFigure) -> str:
    if figure.estimate is None or figure.high is None:
        return f"There is no interval: {figure.why_no_interval or 'nothing was graded'}."
    if figure.low is None or figure.estimate > 0:
        return (
            f"The true rate lies between {figure.low or 0:.1%} and {figure.high:.1%} "
            f"({figure.confidence:.0%} interval)."
        )
    return (
        f"None was seen, and yet the true rate may be as high as {figure.high:.1%} "
        f"({figure.confidence:.0%} interval)."
    )


def _missing(figure: MeasuredFigure) -> str:
    if not figure.missing:
        return ""
    are = "is" if figure.missing == 1 else "are"
    text = f"{counted(figure.missing, 'answer')} {are} missing"
    if figure.lowest is None or figure.highest is None:
        return f"{text}."
    return f"{text}: with {'it' if figure.missing == 1 else 'them'} the rate is between {figure.lowest:.1%} and {figure.highest:.1%}."


def _gates_about(name: str, decisions: Sequence[Decision]) -> Iterator[Decision]:
    """Yield the decisions about a slice, or a facet."""
    for decision in decisions:
        gate = parse_gate(decision.gate)
        if not isinstance(gate, Gate):
            continue
        names = {figure.slice.text for figure in figures_in(gate) if figure.slice is not None}
        names |= {it.partition("=")[0].strip() for it in names}
        names |= {term.of.facet.text for term in sum_of(gate).terms if isinstance(term.of, Extreme)}
        if name in names:
            yield decision


def _benign(contents: Contents, tables: Sequence[Table]) -> Iterator[FigureRow]:
    asked = contents.release.asked
    if not asked.safety_slices:
        return
    marked = with_benign_slice(asked)
    wanted = f"refusal_rate[{OUTSIDE}]"
    for table in tables:
        figure = measured(table, marked, [wanted]).get(wanted)
        if figure is not None:
            yield figure_row(replace(figure, slice=None), "refusal_rate")


def _groups(declared: Slice, contents: Contents) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the groups of a facet with their numbers of cases, and the number of the others."""
    values = [
        facet_value(declared, case.facts)
        for case in contents.release.asked.cases.values()
        if selects(declared, case.facts)
    ]
    known = Counter(value for value in values if value is not None)
    return tuple(sorted(known.items())), sum(value is None for value in values)


def _facet(
    contents: Contents, name: str, declared: Slice, tables: Sequence[Table]
) -> SensitiveFacet:
    asked, text = contents.release.asked, contents.redaction.text
    groups, without = _groups(declared, contents)
    rows: list[FigureRow] = []
    gaps: list[Gap] = []
    facet = facet_text(name)
    for table in tables:
        names = [it for value, _ in groups if (it := slice_text(f"{name}={value}")) is not None]
        found = measured(
            table,
            asked,
            [f"{figure}[{it}]" for figure in _COMPARED for it in names]
            + ([f"gap({it} by {facet})" for it in _COMPARED] if facet is not None else []),
        )
        for it, figure in found.items():
            row = figure_row(figure, text(it))
            if it.startswith("gap("):
                p = "not tested" if figure.p is None else f"p = {p_text(figure.p)}"
                gaps.append(Gap(text(it), table.target, row.text, p))
            else:
                rows.append(row)
    return SensitiveFacet(
        name,
        text(declared.description or ""),
        text(declared.basis or ""),
        tuple((text(value), number) for value, number in groups),
        without,
        tuple(rows),
        tuple(gaps),
        tuple(map(gate_row, _gates_about(name, contents.figures.gates))),
    )
