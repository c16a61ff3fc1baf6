"""The figures of runs as text: a row for each figure, a column for each slice."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterator, Sequence

from suitecase.cli.figures.run_metrics import MeasuredRuns, TargetFigures
from suitecase.figures.gate_words import correction_text
from suitecase.figures.leaderboard import Leaderboard
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.statistics.interval import Interval
from suitecase.figures.wording import short_figure, short_value
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted

_GAP = "  "
#: What stands above figures that are not computed from the answers of the run alone.
FROM_FILES = "From labels and calibrations:"
#: Longer names are cut in the text; the other formats have them whole.
_LONGEST_NAME = 30
#: Intervals of fewer units than this say little.
FEW_UNITS = 10


def metrics_text(found: MeasuredRuns) -> Iterator[Line]:
    """Yield the lines about runs."""
    columns = min(max(shutil.get_terminal_size((80, 24)).columns, 60), 160)
    if not found.leaderboards:
        for target in found.targets:
            yield from _target(target, columns)
        return
    no_model = {(it.run, it.target) for it in found.targets if it.no_model}
    for board in found.leaderboards:
        yield from _board(board, columns, no_model)
        yield ""
    for target in found.targets:
        if target.stand_ins is not None:
            text = f"{target.run}, target {target.target}: {target.stand_ins}"
            yield from _wrapped(visible(text), columns)
    for text in dict.fromkeys(ranks_text(leaderboard) for leaderboard in found.leaderboards):
        yield from _wrapped(text, columns)
    yield from _wrapped(
        "`suitecase metrics` of a single run of one target, or --format json, shows all figures.",
        columns,
    )


def _target(found: TargetFigures, columns: int) -> Iterator[Line]:
    yield from _wrapped(visible(headline(found)), columns)
    for line in remarks(found):
        yield from _wrapped(visible(line), columns)
    slices: list[str | None] = [None, *found.slices]
    names = list(
        dict.fromkeys(of_answer.figure for of_answer in found.of_answers if not of_answer.values)
    )
    rows: list[list[str]] = [["", *("all" if it is None else _cut(it) for it in slices)]]
    rows.append(["cases", *(cases_of(found, it) for it in slices)])
    for name in names:
        cells = [cell_text(found.figure(name, it)) for it in slices]
        rows.append([_cut(name), *cells])
    yield from _columns(rows, columns)
    for of_answer in found.of_answers:
        if of_answer.values:
            yield ""
            yield from _wrapped(visible(gap_text(of_answer)), columns)
    if found.of_files:
        yield ""
        yield from _of_files(found.of_files, columns)
    if found.between_cases is not None:
        yield ""
        yield from _wrapped(variance_text(found.between_cases), columns)


def _of_files(figures: Sequence[MeasuredFigure], columns: int) -> Iterator[str]:
    """Yield the figures from labels and calibrations, one a line."""
    yield FROM_FILES
    names = [visible(figure.figure) for figure in figures]
    values = [cell_text(figure) for figure in figures]
    for it, name, value in zip(figures, names, values, strict=True):
        line = f"{name:<{max(map(len, names))}}{_GAP}{value:>{max(map(len, values))}}{_GAP}"
        yield from _wrapped(f"  {line}{visible(file_figure_basis(it))}", columns)


def file_figure_basis(figure: MeasuredFigure) -> str:
    """Say what a figure from labels or a calibration is made of."""
    if figure.correction is not None:
        return correction_text(figure, percent=False).removeprefix("; ")
    text = counted(figure.cases, "answer")
    if figure.missing:
        text += f", {figure.missing:,} missing"
    parts = (f"{name} {short_value(it or 0, figure.unit)}" for name, it in figure.values.items())
    return f"{text} ({', '.join(parts)})" if figure.values else text


def variance_text(between: float) -> str:
    """Say whether more cases or more repeats narrow the interval of the pass rate."""
    text = (
        f"Of the variance of pass_rate, {between:.0%} lies between cases and {1 - between:.0%} between "
        "answers to the same case"
    )
    more = "more cases narrow it further than more repeats"
    return f"{text}: {more}." if between >= 0.5 else f"{text}: more repeats narrow it, too."


def headline(found: TargetFigures) -> str:
    """Say what the figures are of."""
    asked = f"asked {found.repeats:,} times each" if found.repeats > 1 else "asked once each"
    no_model = ", no model" if found.no_model else ""
    return (
        f"{found.suite or found.run}, target {found.target}: {counted(found.cases, 'case')} {asked}"
        f" ({found.run}){no_model}"
    )


def remarks(found: TargetFigures) -> Iterator[str]:
    """Say what is missing, and how the intervals were computed."""
    if found.stand_ins is not None:
        yield found.stand_ins
    whole = found.figure("pass_rate", None)
    if whole is None:
        return
    if whole.missing:
        some = counted(whole.missing, "answer")
        are = "is" if whole.missing == 1 else "are"
        ends = ""
        if whole.lowest is not None and whole.highest is not None:
            low, high = (f"{100 * it:z.1f}%" for it in (whole.lowest, whole.highest))
            ends = f"; with them the pass rate is from {low} to {high}"
        yield f"{some} of {found.cases * found.repeats:,} {are} missing{ends}."
    if whole.not_evaluated:
        some = counted(whole.not_evaluated, "answer")
        yield f"{some} had nothing to be graded by, and {_count(whole.not_evaluated)} nowhere."
    yield method_text(found.of_answers)
    thin = [
        figure.slice
        for figure in found.figures
        if figure.figure == "pass_rate" and figure.slice and figure.interval.units < FEW_UNITS
    ]
    if thin:
        few = ", ".join(thin[:5]) + (f" and {len(thin) - 5} more" if len(thin) > 5 else "")
        yield f"Fewer than {FEW_UNITS} cases or groups, so intervals are wide: {few}."


def method_text(figures: Sequence[MeasuredFigure]) -> str:
    """Say how the intervals were computed."""
    first = figures[0]
    methods = {
        figure.interval.method for figure in figures if isinstance(figure.interval, Interval)
    }
    drawn = next((figure for figure in figures if figure.resamples is not None), None)
    units = (
        "groups of cases"
        if any(figure.interval.units < figure.cases for figure in figures)
        else "cases"
    )
    how = []
    if any(not method.random for method in methods):
        how.append("exact binomial where each case is 0 or 1")
    if drawn is not None:
        how.append(
            f"expanded BCa bootstrap over {units}, {drawn.resamples:,} resamples, seed {drawn.seed}"
        )
    text = f"{100 * first.confidence:g}% intervals"
    return f"{text}: {'; else '.join(how)}." if how else f"{text}: none."


def cases_of(found: TargetFigures, slice_: str | None) -> str:
    """Return how many cases the pass rate of a slice is computed from."""
    figure = found.figure("pass_rate", slice_)
    return "0" if figure is None else f"{figure.cases:,}"


def cell_text(figure: MeasuredFigure | None) -> str:
    """Return a figure with its interval for a table; a dash where there is none."""
    return "-" if figure is None or figure.estimate is None else short_figure(figure)


def gap_text(figure: MeasuredFigure) -> str:
    """Return a gap with the figures that it is between."""
    values = ", ".join(
        f"{name} {'-' if it is None else short_value(it, figure.unit)}"
        for name, it in figure.values.items()
    )
    p = "" if figure.p is None else f", p = {figure.p:.3f} by permutation"
    return f"{figure.figure}: {cell_text(figure)}{p} ({values})"


def _board(
    board: Leaderboard, columns: int, no_model: Collection[tuple[str, str]]
) -> Iterator[str]:
    of = "all cases" if board.slice is None else f"the slice {board.slice}"
    yield from _wrapped(visible(f"Leaderboard of {of}, by {board.figure}"), columns)
    targets = len({entry.target for entry in board.entries}) > 1
    runs = len({entry.run for entry in board.entries}) > 1 or not targets
    heads = [*(["run"] if runs else []), *(["target"] if targets else [])]
    rows = [["rank", *heads, board.figure, "cases"]]
    for entry in board.entries:
        cases = "0" if entry.figure is None else f"{entry.figure.cases:,}"
        names = [
            *([visible(entry.run)] if runs else []),
            *([_cut(entry.target)] if targets else []),
        ]
        if (entry.run, entry.target) in no_model:
            names[-1] += " (no model)"
        rows.append([entry.rank, *names, cell_text(entry.figure), cases])
    yield from _table(rows, right=1)


def ranks_text(board: Leaderboard) -> str:
    """Say how ranks were found."""
    number = len(board.comparisons)
    if not number:
        return "No two of them have a case in common, so their order may be chance."
    return (
        f"Ranks are from {counted(number, 'comparison')} over the cases that both runs have "
        "(sign-flip permutation, Holm): entries that share a rank cannot be told apart."
    )


def _columns(rows: list[list[str]], columns: int) -> Iterator[Line]:
    """Yield a table whose first column is repeated as often as the others need lines."""
    widths = [max(len(row[it]) for row in rows) for it in range(len(rows[0]))]
    first = 1
    while first < len(widths):
        last, used = first, widths[0]
        while last < len(widths) and (last == first or used + len(_GAP) + widths[last] <= columns):
            used += len(_GAP) + widths[last]
            last += 1
        yield ""
        for number, row in enumerate(rows):
            if number > 1 and all(it == "-" for it in row[first:last]):
                continue
            cells = (f"{row[it]:>{widths[it]}}" for it in range(first, last))
            line = _GAP.join([f"{row[0]:<{widths[0]}}", *cells]).rstrip()
            yield ((line, "bold" if number == 0 else ""),)
        first = last


def _table(rows: list[list[str]], right: int) -> Iterator[str]:
    widths = [max(len(row[number]) for row in rows) for number in range(len(rows[0]))]
    for row in rows:
        cells = [
            f"{text:>{width}}" if number >= len(row) - right or number == 0 else f"{text:<{width}}"
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {_GAP.join(cells)}".rstrip()


def _cut(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _count(number: int) -> str:
    return "counts" if number == 1 else "count"


def _wrapped(text: str, columns: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text, columns, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
    )
