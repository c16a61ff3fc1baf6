"""Runs and targets in order, with ranks as ranges: those that cannot be told apart share them.

Each two are compared over the cases that both have, by flipping the signs of differences; the p-values
are adjusted for their number by Holm's method. An entry ranks behind those that are better than it
beyond chance, and before those that are worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from suitecase.figures.asked import Asked
from suitecase.figures.gates.grammar import Sum
from suitecase.figures.gates.parsing import parse_metric
from suitecase.figures.measured import Measured, MeasuredFigure
from suitecase.figures.measuring import Measurer, Wanted
from suitecase.figures.statistics.exact_tests import holm
from suitecase.figures.statistics.permutation import sign_flip_p
from suitecase.figures.table import RecordedCase, Table


@dataclass(frozen=True, slots=True)
class Competitor:
    """The answers of a target in a run."""

    #: The results file, as it is shown.
    run: str
    table: Table
    asked: Asked | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A competitor with its figure and the ranks that it may have."""

    run: str
    target: str
    figure: MeasuredFigure | None
    best_rank: int | None
    worst_rank: int | None

    @property
    def rank(self) -> str:
        """Its rank for people: `2`, or `1-3`; a dash if it has no figure."""
        if self.best_rank is None or self.worst_rank is None:
            return "—"
        one = self.best_rank == self.worst_rank
        return f"{self.best_rank}" if one else f"{self.best_rank}-{self.worst_rank}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two entries, by their places in the leaderboard, over the cases that both have."""

    first: int
    second: int
    cases: int
    difference: float
    p: float
    adjusted_p: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The competitors by a figure of a slice, the best first."""

    figure: str
    slice: str | None
    entries: tuple[Ranked, ...]
    comparisons: tuple[Comparison, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "figure": self.figure,
            "slice": self.slice,
            "entries": [
                {
                    "results": entry.run,
                    "target": entry.target,
                    "best_rank": entry.best_rank,
                    "worst_rank": entry.worst_rank,
                    "figure": None if entry.figure is None else entry.figure.to_json(),
                }
                for entry in self.entries
            ],
            "comparisons": [
                {
                    "first": comparison.first,
                    "second": comparison.second,
                    "cases": comparison.cases,
                    "difference": comparison.difference,
                    "p": comparison.p,
                    "adjusted_p": comparison.adjusted_p,
                }
                for comparison in self.comparisons
            ],
        }


def leaderboard(
    competitors: Sequence[Competitor],
    figure: str,
    slice_: str | None = None,
    *,
    higher_is_better: bool = True,
) -> Leaderboard:
    """Return competitors ranked by a figure that is a mean over cases."""
    text = figure if slice_ is None else f"{figure}[{slice_}]"
    parsed = parse_metric(text)
    measured: list[Measured] = []
    for competitor in competitors:
        if isinstance(parsed, Sum):
            measured += Measurer(competitor.table, competitor.asked).measure([Wanted(parsed, text)])
        else:
            measured.append(Measured(None, parsed.message))
    sign = 1 if higher_is_better else -1
    order = sorted(range(len(competitors)), key=lambda it: _place(measured[it], sign))
    known = [it for it in order if _estimate(measured[it]) is not None]
    comparisons = _compared([(competitors[it], measured[it]) for it in known])
    alpha = 1 - _confidence(measured)
    better = dict.fromkeys(range(len(known)), 0)
    worse = dict.fromkeys(range(len(known)), 0)
    for own in comparisons:
        if own.adjusted_p <= alpha and own.difference:
            first_leads = sign * own.difference > 0
            better[own.second if first_leads else own.first] += 1
            worse[own.first if first_leads else own.second] += 1
    entries: list[Ranked] = []
    for place, number in enumerate(order):
        ranked = place < len(known)
        entries.append(
            Ranked(
                competitors[number].run,
                competitors[number].table.target,
                measured[number].figure,
                1 + better[place] if ranked else None,
                len(known) - worse[place] if ranked else None,
            )
        )
    return Leaderboard(figure, slice_, tuple(entries), tuple(comparisons))


def _compared(known: Sequence[tuple[Competitor, Measured]]) -> list[Comparison]:
    found: list[tuple[int, int, int, float, float]] = []
    for first, second in combinations(range(len(known)), 2):
        differences, units = _differences(known[first], known[second])
        if not differences:
            continue
        of_units: dict[str, float] = {}
        for case, difference in differences.items():
            of_units[units[case]] = of_units.get(units[case], 0.0) + difference
        asked = known[first][0].asked
        resamples, seed = (
            (10_000, "20260101")
            if asked is None
            else (asked.intervals.resamples, str(asked.intervals.seed))
        )
        p = sign_flip_p(list(of_units.values()), resamples, seed=seed)
        mean = sum(differences.values()) / len(differences)
        found.append((first, second, len(differences), mean, p))
    adjusted = holm([it[-1] for it in found])
    return [Comparison(*it, own) for it, own in zip(found, adjusted, strict=True)]


def _differences(
    one: tuple[Competitor, Measured], other: tuple[Competitor, Measured]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return by how much the first is ahead in each case that both have, and the unit of each."""
    values, others = one[1].by_case or {}, other[1].by_case or {}
    cases, other_cases = one[0].table.cases, other[0].table.cases
    known = one[0].asked.cases if one[0].asked is not None else {}
    same = one[0].table.target == other[0].table.target
    differences: dict[str, float] = {}
    units: dict[str, str] = {}
    for case, value in values.items():
        if case not in others or _has_changed(cases[case], other_cases.get(case), same=same):
            continue
        differences[case] = value - others[case]
        group = known[case].group if case in known else cases[case].group
        units[case] = f"case {case}" if group is None else f"group {group}"
    return differences, units


def _has_changed(one: RecordedCase, other: RecordedCase | None, *, same: bool) -> bool:
    """Whether a case has another text; that of a row differs in any case for another provider."""
    if other is None or None in (one.hash, other.hash) or (one.is_row and not same):
        return False
    return one.hash != other.hash


def _estimate(measured: Measured) -> float | None:
    return measured.figure.estimate if measured.figure is not None else None


def _place(measured: Measured, sign: int) -> tuple[bool, float]:
    estimate = _estimate(measured)
    return estimate is None, 0.0 if estimate is None else -sign * estimate


def _confidence(measured: Sequence[Measured]) -> float:
    return next((it.figure.confidence for it in measured if it.figure is not None), 0.95)


def competitors_of(run: str, tables: Mapping[str, Table], asked: Asked | None) -> list[Competitor]:
    """Return the targets of a run."""
    return [Competitor(run, table, asked) for table in tables.values()]
