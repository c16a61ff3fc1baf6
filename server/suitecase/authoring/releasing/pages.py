"""The pages of a bundle that are not the report of its run."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.document import Block, Listing, Paragraph, Section, markdown
from suitecase.authoring.releasing.safety import safety_report
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


def appendix_page(
    contents: Contents, sections: tuple[Section, ...], frame: Frame
) -> Iterator[bytes]:
    """Yield the appendix as a page, piece by piece."""
    yield from render_without_cases(
        "appendix.html", frame=frame, title=contents.release.name, sections=sections
    )


def appendix_markdown(contents: Contents, sections: tuple[Section, ...]) -> str:
    """Return the appendix as Markdown."""
    marks: list[Section] = []
    if contents.reasons is not None:
        marks.append(Section("Draft", _why_draft(contents.reasons)))
    notices = [Paragraph(it) for it in contents.notices]
    canary = contents.release.governance.canary
    if canary:
        notices.append(Paragraph(f"Canary: `{canary}`"))
    if notices:
        marks.append(Section("Notices", tuple(notices)))
    ordered = [*marks[:-1], *sections, *marks[-1:]] if notices else [*marks, *sections]
    return markdown(f"Appendix: {contents.release.name}", ordered)


def _why_draft(reasons: tuple[str, ...]) -> tuple[Block, ...]:
    if not reasons:
        return (Paragraph("Not for publication, though nothing forbids it."),)
    return Paragraph("This bundle may not be published:"), Listing(reasons)


def compare_page(contents: Contents, baseline: Run, frame: Frame) -> Iterator[bytes]:
    """Yield the page that compares the run with an earlier one, piece by piece."""
    comparison = compare(baseline.answers, contents.run.answers, _UNCHANGED)
    pairs = [(it.targets, pairs_of(it)) for it in comparison.figures]
    tests = pair_tests_of(pairs, dict(contents.release.asked.slices))
    yield from comparison_page(baseline, contents.run, comparison, tests, _UNCHANGED, frame)
