"""The tests of a comparison as text, for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from suitecase.report import pair_words
from suitecase.report.pair_tests import PairTest, PairTests
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted

#: The number of rows; the others are in the JSON.
MOST = 24
#: The number of names of those that cannot be tested.
MOST_NAMES = 12
_NAME = 18


def pair_tests_text(tests: PairTests, wished: float) -> Iterator[str]:
    """Yield the lines of all targets: a table, then what it says."""
    for targets in dict.fromkeys(it.targets for it in tests.tests):
        mine = [it for it in tests.tests if it.targets == targets]
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
    told = [it for it in tests if it.adjusted_p is not None or it in tests[:2]]
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
    untold = [it for it in tests if it not in told]
    differing = [it for it in untold if it.differing]
    if differing:
        yield from _too_few(differing)
    if len(differing) < len(untold):
        figures = counted(len(untold) - len(differing), "more figure")
        yield f"No case differs in {figures} of evaluators and slices."
    yield ""


def _too_few(tests: Sequence[PairTest]) -> Iterator[str]:
    names = [visible(it.name) for it in tests[:MOST_NAMES]]
    more = len(tests) - len(names)
    listed = ", ".join(names) + (f", and {more:,} more" if more else "")
    yield from wrap(f"Too few cases differ to tell: {listed}", 80, subsequent_indent="  ")


def _shown(tests: Sequence[PairTest]) -> Sequence[PairTest]:
    """Return the rows to show in their order: of too many, those with the smallest p-values."""
    if len(tests) <= MOST:
        return tests
    order = sorted(
        range(2, len(tests)),
        key=lambda it: 2.0 if (p := tests[it].adjusted_p) is None else p,
    )
    chosen = {0, 1, *order[: MOST - 2]}
    return [it for number, it in enumerate(tests) if number in chosen]


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
