"""The pages of a bundle that are not the report of its run."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.releasing.contents import Contents
from suitecase.releasing.safety import safety_report
from suitecase.report.comparison import compare
from suitecase.report.comparison_page import comparison_page
from suitecase.report.page import Frame, render_without_cases
from suitecase.report.pair_tests import pair_tests_of
from suitecase.report.pairs import pairs_of
from suitecase.report.results_file import Run

#: Differences of scores up to this count as unchanged, as in `suitecase compare`.
_UNCHANGED = 0.05


def safety_page(contents: Contents, frame: Frame) -> Iterator[bytes]:
    """Yield the page of safety slices and groups of people, piece by piece."""
    yield from render_without_cases(
        "safety.html",
        frame=frame,
        title=contents.release.name,
        report=safety_report(contents),
    )


def compare_page(contents: Contents, baseline: Run, frame: Frame) -> Iterator[bytes]:
    """Yield the page that compares the run with an earlier one, piece by piece."""
    comparison = compare(baseline.answers, contents.run.answers, _UNCHANGED)
    pairs = [(it.targets, pairs_of(it.changes)) for it in comparison.figures]
    tests = pair_tests_of(pairs, dict(contents.release.asked.slices))
    yield from comparison_page(baseline, contents.run, comparison, tests, _UNCHANGED, frame)
