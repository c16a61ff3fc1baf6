"""A comparison of two runs as text."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.output.pair_tests_text import pair_tests_text
from suitecase.cli.shown_paths import shown_path
from suitecase.report.comparison import CaseChange, Change, Comparison
from suitecase.report.groups import Group
from suitecase.report.pair_tests import PairTests
from suitecase.report.results_file import Run
from suitecase.report.words import CHANGES, changes_text, difference_text, score_text
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase_evaluators.answers.score import shown_score

_COLORS = {
    Change.NEW_FAILURE: "red",
    Change.WORSE: "red",
    Change.NO_LONGER_GRADED: "magenta",
    Change.SCORE_DOWN: "yellow",
    Change.NEW_PASS: "green",
    Change.BETTER: "green",
    Change.SCORE_UP: "green",
}
#: The number of listed cases per kind of change.
MOST = 50


def comparison_text(
    before: Run,
    after: Run,
    comparison: Comparison,
    tests: PairTests,
    *,
    wished: float,
) -> Iterator[Line]:
    """Yield the lines that say what changed: the gravest first, then what it comes to."""
    yield f"Before: {shown_path(before.path)}"
    if before.remark:
        yield f"        {visible(before.remark)}"
    yield f"After:  {shown_path(after.path)}"
    if after.remark:
        yield f"        {visible(after.remark)}"
    for change in Change:
        cases = [entry for entry in comparison.cases if entry.change is change]
        if not cases or change is Change.UNCHANGED:
            continue
        yield ""
        title = CHANGES[change].capitalize()
        yield ((f"{title} ({len(cases):,})", f"bold {_COLORS.get(change, '')}"),)
        for entry in cases[:MOST]:
            yield f"  {_case(entry)}"
        if len(cases) > MOST:
            yield f"  … and {len(cases) - MOST:,} more; --format json or html has all of them"
    changed = [
        entry
        for entry in comparison.cases
        if entry.text_changed and entry.change is Change.UNCHANGED
    ]
    if changed:
        yield ""
        yield ((f"Unchanged, but to another text of the case ({len(changed):,})", "bold"),)
        for entry in changed[:MOST]:
            yield f"  {_case(entry)}"
    yield ""
    counts = comparison.counts
    counts_text = [changes_text(entry, counts[entry]) for entry in Change if counts[entry]]
    yield (("; ".join(counts_text), "bold"),)
    for figures in comparison.figures:
        # Several targets have no common mean.
        of = f" of {visible(figures.targets)}" if len(comparison.figures) > 1 else ""
        yield (
            f"Mean score of everything graded{of}: {score_text(figures.mean_before)} before, "
            f"{score_text(figures.mean_after)} after"
        )
    yield from pair_tests_text(tests, wished)
    if comparison.text_changed:
        yield ("Cases marked with * ask something else than before; the tests leave them out.")


def _case(change: CaseChange) -> str:
    where = f"{change.suite}::{change.case}" if change.suite else change.case
    if change.target:
        where += f" ({change.target})"
    mark = "*" if change.text_changed else ""
    sides = [_side(it) for it in (change.before, change.after) if it is not None]
    difference = ""
    if change.difference is not None:
        difference = f" ({difference_text(change.difference)})"
    return f"{visible(where)}{mark}  {' -> '.join(sides)}{difference}"


def _side(group: Group) -> str:
    repeats = f" in {len(group.numbers)} repeats" if len(group.numbers) > 1 else ""
    return (
        group.status.word
        + ("" if group.score is None else f" {shown_score(group.score)}")
        + repeats
    )
