"""Gates, figures and slices of a run, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Protocol
from urllib.parse import quote

from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.gate_words import correction_text, counts_text, label_of, value_of
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.wording import figure_text, value_text
from suitecase.text.plural import capitalized, counted

#: The figures of slices that are shown side by side; all others are collapsed.
_OF_SLICES = ("pass_rate", "score")
#: As many cases of a gate are named.
_MOST_CASES = 12


@dataclass(frozen=True, slots=True)
class GateRow:
    """A gate of the suite."""

    label: str
    #: `pass`, `rehearsed`, `fail` or `borderline`, for its color.
    band: str
    gate: str
    target: str
    value: str
    figure: MeasuredFigure | None
    threshold: float | None
    #: Sentences: why it is so, and what it would take.
    reasons: tuple[str, ...]
    why: str | None
    #: Cases that count against it, with the link to each.
    cases: tuple[tuple[str, str], ...]
    more_cases: int
    missing: tuple[tuple[str, str], ...]
    more_missing: int


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A measured figure."""

    name: str
    target: str
    cases: int
    missing: int
    #: What the missing answers could make of it.
    possible: str
    text: str
    figure: MeasuredFigure

    @property
    def on_scale(self) -> bool:
        """Whether it can be drawn on a scale from 0 to 1."""
        return _on_scale(self.figure)


@dataclass(frozen=True, slots=True)
class SliceRow:
    """The figures of a slice, in the order of `RunSections.slice_figures`; None for one it has not."""

    name: str
    target: str
    cases: int
    figures: tuple[FigureRow | None, ...]


@dataclass(frozen=True, slots=True)
class RunSections:
    """What is measured of the answers to a suite.

    Attributes:
        suite: the suite; empty if the run has only one.
        targets: whether there are several, so that rows name theirs.
        files: the figures from labels and calibrations, and the rates that they correct.
        slice_figures: the names of the figures of `slices`.
        more: all other figures of slices.
        basis: how intervals were computed.
    """

    suite: str
    targets: bool
    gates: tuple[GateRow, ...]
    gates_text: str
    figures: tuple[FigureRow, ...]
    files: tuple[FigureRow, ...]
    slice_figures: tuple[str, ...]
    slices: tuple[SliceRow, ...]
    more: tuple[FigureRow, ...]
    basis: str

    @property
    def scale(self) -> tuple[float, float]:
        """The scale of the chart of figures."""
        return scale_of(self.figures)

    @property
    def files_scale(self) -> tuple[float, float]:
        """The scale of the figures from files."""
        return scale_of(self.files)

    @property
    def slice_scales(self) -> tuple[tuple[float, float], ...]:
        """The scale of each figure of slices."""
        return tuple(
            scale_of(figure for row in self.slices if (figure := row.figures[at]) is not None)
            for at in range(len(self.slice_figures))
        )

    @property
    def more_scale(self) -> tuple[float, float]:
        """The scale of the other figures of slices."""
        return scale_of(self.more)

    @property
    def missing(self) -> bool:
        """Whether an answer is missing of any figure."""
        return any(figure.missing for figure in self.figures)


def sections_of(found: RunFigures, *, several_suites: bool) -> RunSections:
    """Return the sections of a suite's figures.

    Args:
        several_suites: whether the page has several suites, so that headings name theirs.
    """
    of_answers = [figure for figure in found.figures if not figure.from_files]
    whole = [of_answer for of_answer in of_answers if of_answer.slice is None]
    sliced = [figure for figure in found.figures if figure.slice is not None]
    targets = len({figure.target for figure in found.figures}) > 1
    order = list(dict.fromkeys(it.figure for it in whole))
    if targets:  # the best target first
        whole.sort(
            key=lambda it: (
                order.index(it.figure),
                -(it.estimate or 0.0) if it.unit == "share" else it.estimate or 0.0,
            )
        )
    own = [
        of_slice for of_slice in _OF_SLICES if any(figure.figure == of_slice for figure in sliced)
    ]
    return RunSections(
        suite=found.suite_path if several_suites else "",
        targets=targets,
        gates=tuple(gate_row(gate) for gate in found.gates),
        gates_text=counts_text(found.gates) if found.gates else "",
        figures=tuple(figure_row(it, it.figure) for it in whole),
        files=tuple(figure_row(it, it.figure) for it in _once(found.figures)),
        slice_figures=tuple(own),
        slices=tuple(_slices(sliced, own)),
        more=tuple(figure_row(it, it.name) for it in sliced if it.figure not in own),
        basis=_basis(of_answers),
    )


class _Ranked(Protocol):
    """An entry of `suitecase.figures.leaderboard`, which imports numpy."""

    @property
    def run(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def figure(self) -> MeasuredFigure | None: ...
    @property
    def rank(self) -> str: ...


class RankedFigures(Protocol):
    """A `suitecase.figures.leaderboard.Leaderboard`."""

    @property
    def figure(self) -> str: ...
    @property
    def entries(self) -> Sequence[_Ranked]: ...


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard: rank, run and row of each entry that has the figure."""

    figure: str
    runs: bool
    rows: tuple[tuple[str, str, FigureRow], ...]
    scale: tuple[float, float]


def board_of(ranked: RankedFigures) -> Board:
    """Return a leaderboard as the page shows it."""
    rows = tuple(
        (entry.rank, entry.run, figure_row(entry.figure, entry.target))
        for entry in ranked.entries
        if entry.figure is not None
    )
    runs = len({run for _, run, _ in rows}) > 1
    return Board(ranked.figure, runs, rows, scale_of([it for _, _, it in rows]))


def scale_of(rows: Iterable[FigureRow]) -> tuple[float, float]:
    """Return a scale in tenths, within 0 to 1, that has room for all estimates and intervals."""
    known = [
        it
        for row in rows
        if row.on_scale
        for it in (row.figure.estimate, row.figure.low, row.figure.high)
        if it is not None
    ]
    if not known:
        return 0.0, 1.0
    low, high = floor(10 * min(known)) / 10, ceil(10 * max(known)) / 10
    return (low, high) if high > low else (max(low - 0.1, 0.0), min(high + 0.1, 1.0))


def gate_row(decision: Decision) -> GateRow:
    """Return a gate as pages show it."""
    failed = not decision.outcome.is_met
    sentences = [decision.reason, decision.needed if failed else ""]
    cases = decision.cases if failed else ()
    missing = decision.missing_cases if failed else ()
    figure = decision.figure
    return GateRow(
        label=label_of(decision).lower(),
        band=_band(decision),
        gate=decision.gate,
        target=decision.target,
        value=value_of(decision),
        figure=figure if _on_scale(figure) else None,
        threshold=decision.threshold,
        reasons=tuple(f"{capitalized(sentence)}." for sentence in sentences if sentence),
        why=decision.why,
        cases=tuple(map(linked, cases[:_MOST_CASES])),
        more_cases=max(len(cases) - _MOST_CASES, 0) + (decision.more_cases if failed else 0),
        missing=tuple(map(linked, missing[:_MOST_CASES])),
        more_missing=max(len(missing) - _MOST_CASES, 0),
    )


def _on_scale(figure: MeasuredFigure | None) -> bool:
    """Whether a figure lies between 0 and 1. A sum of shares need not, nor a change."""
    if figure is None or figure.unit not in ("share", "coefficient"):
        return False
    known = [it for it in (figure.estimate, figure.low, figure.high) if it is not None]
    return all(0 <= it <= 1 for it in known)


def _band(decision: Decision) -> str:
    if decision.outcome.is_met:
        return "pass" if decision.outcome is Outcome.HOLDS else "rehearsed"
    return "fail" if decision.fails_run else "borderline"


def linked(case: str) -> tuple[str, str]:
    """Return a case with the link to it on the page of its run."""
    return case, f"#open={quote(case, safe='', errors='replace')}"


def figure_row(figure: MeasuredFigure, name: str) -> FigureRow:
    """Return a figure as pages show it."""
    possible = ""
    if figure.missing and figure.lowest is not None and figure.highest is not None:
        bounds = (value_text(it, figure.unit) for it in (figure.lowest, figure.highest))
        possible = " to ".join(bounds)
    return FigureRow(
        name,
        figure.target,
        figure.cases,
        figure.missing,
        possible,
        figure_text(figure) + correction_text(figure),
        figure,
    )


def _once(figures: Sequence[MeasuredFigure]) -> Iterable[MeasuredFigure]:
    """Yield the figures from files: those of people and judges once, not for each target."""
    seen: set[str] = set()
    for figure in figures:
        if figure.from_files and (figure.of == "case" or figure.figure not in seen):
            seen.add(figure.figure)
            yield figure


def _slices(sliced: Sequence[MeasuredFigure], own: Sequence[str]) -> list[SliceRow]:
    by_slice: dict[tuple[str, str], dict[str, MeasuredFigure]] = {}
    order = list(dict.fromkeys(it.slice for it in sliced))
    sliced = sorted(sliced, key=lambda it: order.index(it.slice))
    for it in sliced:
        if it.figure in own:
            by_slice.setdefault((it.slice or "", it.target), {})[it.figure] = it
    return [
        SliceRow(
            name,
            target,
            max(figure.cases for figure in figures.values()),
            tuple(figure_row(figures[it], it) if it in figures else None for it in own),
        )
        for (name, target), figures in by_slice.items()
    ]


def _basis(figures: Sequence[MeasuredFigure]) -> str:
    whole = next((figure for figure in figures if figure.slice is None), None)
    if whole is None:
        return ""
    text = f"Bars are {100 * whole.confidence:g} % intervals. Cases weigh alike."
    if whole.interval.units != whole.cases:
        text += f" {counted(whole.interval.units, 'group')} of cases are resampled together."
    return text
