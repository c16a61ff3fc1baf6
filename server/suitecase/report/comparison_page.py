"""The HTML page of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from suitecase.figures.statistics.interval import Interval
from suitecase.report import pair_words, words
from suitecase.report.asked_models import AskedModel, AskedModels
from suitecase.report.case_table import CaseRow, CaseTable, Column
from suitecase.report.comparison import CaseChange, Change, Comparison
from suitecase.report.groups import Group, kept
from suitecase.report.page import Frame, render
from suitecase.report.pair_tests import PairTest, PairTests
from suitecase.report.results_file import Run
from suitecase.text.plural import counted

_COLUMNS: tuple[Column, ...] = (
    ("change", "Change", "kind"),
    ("case", "Case", "text"),
    ("target", "Target", "text"),
    ("suite", "Suite", "text"),
    ("before", "Before", "grade"),
    ("after", "After", "grade"),
    ("difference", "Difference", "difference"),
)
#: The number of tests shown; the others are collapsed.
MOST_TESTS = 30
#: Bins of the histogram of differences: each a tenth wide, centered on multiples of a tenth.
_BINS = 21
TEXT_CHANGED = "the case's text has changed, so these answer different questions"


def comparison_page(
    before: Run,
    after: Run,
    comparison: Comparison,
    tests: PairTests,
    wished: float,
    frame: Frame | None = None,
) -> Iterator[bytes]:
    """Yield the HTML page of a comparison, piece by piece; `frame` is that of a page of a bundle."""
    counts = comparison.counts
    only = comparison.only_figures
    sides = [_side("Before", before), _side("After", after)]
    bins = _bins(comparison.cases)
    notes = [
        f"{name}: {note}"
        for name, run in (("Before", before), ("After", after))
        for note in run.notes
    ]
    if comparison.text_changed:
        cases = counted(comparison.text_changed, "case")
        notes.append(
            f"The text of {cases} has changed between the runs, so their answers are to different "
            "questions. They are marked, and the mean difference leaves them out."
        )
    yield from render(
        "comparison.html",
        notes=notes,
        table=CaseTable(
            kind_name="change",
            kinds=[
                (change.value, words.CHANGES[change], counts[change])
                for change in Change
                if counts[change]
            ],
            columns=_COLUMNS,
            always=frozenset({"change", "case", "before", "after", "difference"}),
            rows=map(_row, comparison.cases),
            number=len(comparison.cases),
            answers=len(before.answers) + len(after.answers),
            sides=("Before", "After"),
            mark=TEXT_CHANGED,
            by_case=False,
        ),
        runs=(kept(before.answers), kept(after.answers)),
        frame=frame,
        stand_ins=[*before.stand_ins("Before"), *after.stand_ins("After")],
        no_model=before.tally.answerers.no_model and after.tally.answerers.no_model,
        title=(frame.title if frame else "")
        or words.listed(tuple(dict.fromkeys((*sides[0].datasets, *sides[1].datasets))))
        or "Two runs",
        sides=sides,
        comparison=comparison,
        counts={change: counts[change] for change in Change},
        words=words.CHANGES,
        figures=[
            (figure, [test for test in tests.tests if test.targets == figure.targets])
            for figure in comparison.figures
        ],
        paired=tests.whole(only.targets, "score") if only else None,
        facts=lambda test: _facts(test, wished),
        interval=pair_words.interval_text,
        p=pair_words.adjusted_text,
        scale=_scale(tests.tests),
        most_tests=MOST_TESTS,
        tests_notes=[pair_words.made_text(tests), *pair_words.notes(tests)],
        bins=[[(kind, number)] for kind, number in bins],
        ticks=[
            ((number * 5 + 0.5) / _BINS, f"{number / 2 - 1:+.1f}" if number != 2 else "0")
            for number in range(5)
        ],
        chart_label=_chart_label(bins),
    )


def _facts(test: PairTest, wished: float) -> list[tuple[str, str]]:
    """Return names and values of what a test says."""
    facts = [
        ("Conclusion", pair_words.conclusion_text(test)),
        ("Test", pair_words.test_text(test)),
        ("Effect size", pair_words.effect_text(test)),
        ("Power", pair_words.power_text(test, wished)),
    ]
    return [(name, text) for name, text in facts if text is not None]


def _scale(tests: Sequence[PairTest]) -> float:
    """Return the largest difference that charts have room for: all estimates and intervals."""
    most = [abs(test.difference) for test in tests]
    most += [
        max(abs(test.interval.low), abs(test.interval.high))
        for test in tests
        if isinstance(test.interval, Interval)
    ]
    wanted = max(most, default=1.0)
    return next((number for number in (0.02, 0.05, 0.1, 0.2, 0.5) if wanted <= number), 1.0)


@dataclass(frozen=True, slots=True)
class _Side:
    """A run, as the head of the page shows it."""

    name: str
    file: str
    datasets: tuple[str, ...]
    targets: list[AskedModel]
    began: datetime | None


def _side(name: str, run: Run) -> _Side:
    datasets: dict[str, None] = {}
    models = AskedModels()
    began: datetime | None = None
    for answer in run.answers:
        if text := answer.dataset or answer.suite:
            datasets[text] = None
        models.add(answer)
        at = answer.graded_at
        if at is not None:
            began = at if began is None else min(began, at)
    return _Side(name, run.path.name, tuple(datasets), models.targets, began)


_RANKS = {it: rank for rank, it in enumerate(Change)}


def _row(change: CaseChange) -> CaseRow:
    last = change.after or change.before
    return CaseRow(
        change.case,
        ((change.change.value, 1),),
        _RANKS[change.change],
        (
            *(None, change.case, change.target, change.suite),
            *(_grade(change.before), _grade(change.after), change.difference),
        ),
        () if last is None else last.tags,
        tuple(() if it is None else it.numbers for it in (change.before, change.after)),
        change.text_changed,
    )


def _grade(group: Group | None) -> tuple[float | None, str] | None:
    return None if group is None else (group.score, group.status.value)


def _bins(cases: Sequence[CaseChange]) -> list[tuple[str, int]]:
    counts = [0] * _BINS
    for change in cases:
        if change.difference is not None and not change.text_changed:
            counts[round((change.difference + 1) / 2 * (_BINS - 1))] += 1
    middle = _BINS // 2
    return [
        ("worse" if at < middle else "better" if at > middle else "unchanged", number)
        for at, number in enumerate(counts)
    ]


def _chart_label(bins: Sequence[tuple[str, int]]) -> str:
    parts = [
        f"{number:,} around {2 * at / (_BINS - 1) - 1:+.1f}"
        for at, (_, number) in enumerate(bins)
        if number
    ]
    return f"Number of cases by difference: {'; '.join(parts)}"
