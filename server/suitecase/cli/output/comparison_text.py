"""A comparison of two runs and its tests as text, for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from suitecase.cli.shown_paths import shown_path
from suitecase.report import pair_words
from suitecase.report.comparison import CaseChange, Change, Comparison
from suitecase.report.groups import Group
from suitecase.report.pair_tests import PairTest, PairTests
from suitecase.report.results_file import Run
from suitecase.report.words import CHANGES, changes_text, difference_text, score_text
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted
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


#: The number of rows; the others are in the JSON.
_MOST_TESTS = 24
#: The number of names of those that cannot be tested.
MOST_NAMES = 12
_NAME = 18


def pair_tests_text(tests: PairTests, wished: float) -> Iterator[str]:
    """Yield the lines of all targets: a table, then what it says."""
    for targets in dict.fromkeys(test.targets for test in tests.tests):
        mine = [test for test in tests.tests if test.targets == targets]
        several = len(mine) < len(tests.tests)
        yield from _table(mine, f"{targets}: " if several else "")
        for test in mine[:2]:
            yield from _whole(test, wished)
    if tests.tests:
        yield pair_words.made_text(tests)
    yield from pair_words.notes(tests)


def _table(tests: Sequence[PairTest], of: str) -> Iterator[str]:
    cases = tests[0].cases
    groups = f" in {tests[0].units:,} groups" if tests[0].units != cases else ""
    yield ""
    yield f"{visible(of)}{cases:,} cases graded in both runs{groups}, with 95% intervals"
    yield ""
    yield (
        f"{'':{_NAME}}{'cases':>6} {'before':>6} {'after':>5}  {'difference':<23}"
        f"{'rose':>5}{'fell':>5} {'p':>7}"
    )
    # Of the whole it is always said.
    told = [test for test in tests if test.adjusted_p is not None or test in tests[:2]]
    shown = _shown(told)
    for test in shown:
        name = visible(test.name)
        if len(name) > _NAME - 1:
            yield name
            name = ""
        yield (
            f"{name:{_NAME}}{test.cases:>6} {test.before:>6.3f} {test.after:>5.3f}  "
            f"{pair_words.interval_text(test):<23}{test.rose:>5}{test.fell:>5} "
            f"{pair_words.adjusted_text(test):>7}"
        )
    if len(shown) < len(told):
        yield f"… and {len(told) - len(shown):,} more; --format json or html has all of them"
    untold = [test for test in tests if test not in told]
    differing = [test for test in untold if test.differing]
    if differing:
        yield from _too_few(differing)
    if len(differing) < len(untold):
        figures = counted(len(untold) - len(differing), "more figure")
        yield f"No case differs in {figures} of evaluators and slices."
    yield ""


def _too_few(tests: Sequence[PairTest]) -> Iterator[str]:
    names = [visible(test.name) for test in tests[:MOST_NAMES]]
    more = len(tests) - len(names)
    listed = ", ".join(names) + (f", and {more:,} more" if more else "")
    yield from wrap(f"Too few cases differ to tell: {listed}", 80, subsequent_indent="  ")


def _shown(tests: Sequence[PairTest]) -> Sequence[PairTest]:
    """Return the rows to show in their order: of too many, those with the smallest p-values."""
    if len(tests) <= _MOST_TESTS:
        return tests
    order = sorted(
        range(2, len(tests)),
        key=lambda number: 2.0 if (p := tests[number].adjusted_p) is None else p,
    )
    chosen = {0, 1, *order[: _MOST_TESTS - 2]}
    return [test for number, test in enumerate(tests) if number in chosen]


def _whole(test: PairTest, wished: float) -> Iterator[str]:
    yield f"{visible(test.name)}: {pair_words.conclusion_text(test)}"
    for part in (
        pair_words.test_text(test) if test.p is not None else None,
        pair_words.effect_text(test),
        pair_words.power_text(test, wished),
    ):
        if part is not None:
            yield from _wrapped(part)


def _wrapped(text: str) -> Iterator[str]:
    yield from wrap(text, 80, initial_indent="  ", subsequent_indent="  ")
