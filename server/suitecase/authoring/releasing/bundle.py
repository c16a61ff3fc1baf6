"""The bundle of a run: a folder with its results, figures and pages, ready to be handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from suitecase.authoring.releasing.appendix import appendix_of
from suitecase.authoring.releasing.bundle_files import BundleFiles
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.croissant import croissant_of
from suitecase.authoring.releasing.document import Block, Listing, Paragraph, Section, markdown
from suitecase.authoring.releasing.failing import failures_page
from suitecase.authoring.releasing.manifest import manifest_of
from suitecase.authoring.releasing.notice import notice_text
from suitecase.authoring.releasing.safety import safety_report
from suitecase.figures.figures_file import figures_values
from suitecase.figures.leaderboard import Leaderboard
from suitecase.report.comparison import compare
from suitecase.report.comparison_page import comparison_page
from suitecase.report.page import Frame, render_without_cases
from suitecase.report.pair_tests import pair_tests_of
from suitecase.report.pairs import pairs_of
from suitecase.report.results_file import Run
from suitecase.report.run_page import run_page
from suitecase.report.run_sections import FigureRow, figure_row, scale_of
from suitecase_evaluators.answers.records.record import ResultRecord

#: The pages with their names, in the order of their links.
_PAGES = (
    ("index.html", "Results"),
    ("failures.html", "Failures"),
    ("safety.html", "Safety"),
    ("leaderboard.html", "Leaderboard"),
    ("appendix.html", "Appendix"),
)
_COMPARE = ("compare.html", "Comparison")


def write_bundle(contents: Contents, folder: Path, boards: Sequence[Leaderboard]) -> list[str]:
    """Write a bundle, whole or not at all, and return the names of its files.

    Args:
        contents: what it is made of.
        folder: where; it does not exist.
        boards: the leaderboards of the run.

    Raises:
        LeakError: a file would have something in it that may not be read.
        OSError: it cannot be written.
    """
    baseline = contents.baseline
    frame = contents.frame([*_PAGES, *([_COMPARE] if baseline is not None else [])])
    sections = appendix_of(contents)
    with BundleFiles(folder, contents.redaction) as files:

        def framed(name: str) -> Frame:
            return files.framed(frame, name)

        files.records("results.jsonl", _results(contents))
        files.json_lines("figures.jsonl", figures_values(contents.figures))
        files.json("gates.json", _gates(contents))
        files.table("leaderboard.csv", leaderboard_rows(boards))
        files.lines("appendix.md", appendix_markdown(contents, sections))
        for name, pieces in (
            ("index.html", run_page(contents.run, [contents.figures], (), framed("index.html"))),
            ("failures.html", failures_page(contents, framed("failures.html"))),
            ("safety.html", safety_page(contents, framed("safety.html"))),
            ("leaderboard.html", leaderboard_page(contents, boards, framed("leaderboard.html"))),
            ("appendix.html", appendix_page(contents, sections, framed("appendix.html"))),
        ):
            files.page(name, pieces)
        if baseline is not None:
            files.page("compare.html", compare_page(contents, baseline, framed("compare.html")))
        files.lines("NOTICE", notice_text(contents.release, contents.reasons))
        files.json("croissant.json", croissant_of(contents, files.digests, files.sizes))
        files.json("manifest.json", manifest_of(contents, files.digests, files.sizes))
        return sorted(files.digests)


def _results(contents: Contents) -> Iterator[ResultRecord]:
    """Yield the published records, each with the canary: a line may be taken out of its file."""
    canary = contents.release.governance.canary
    marks = {} if canary is None else {"canary": contents.redaction.text(canary)}
    for record in contents.run.answers:
        yield ResultRecord({**record.fields, **marks}) if marks else record


def _gates(contents: Contents) -> Any:
    return {
        "draft": contents.draft,
        "gates": [gate.to_json() for gate in contents.figures.gates],
    }


_COLUMNS = (
    *("slice", "best_rank", "worst_rank", "results", "target", "figure", "estimate"),
    *("low", "high", "confidence", "cases", "missing"),
)
#: The name of all cases among slices.
_ALL = "all cases"


def leaderboard_page(
    contents: Contents, boards: Sequence[Leaderboard], frame: Frame
) -> Iterator[bytes]:
    """Yield the page of the leaderboards, piece by piece."""
    rows: list[tuple[str, str, str, FigureRow]] = [
        (
            board.slice or _ALL,
            entry.rank,
            entry.run,
            figure_row(entry.figure, entry.target),
        )
        for board in boards
        for entry in board.entries
        if entry.figure is not None
    ]
    yield from render_without_cases(
        "leaderboard.html",
        frame=frame,
        title=contents.release.name,
        figure=boards[0].figure if boards else "",
        runs=len({row[2] for row in rows}) > 1,
        rows=rows,
        scale=scale_of(row for *_, row in rows),
    )


def leaderboard_rows(boards: Sequence[Leaderboard]) -> Iterator[Sequence[object]]:
    """Yield the rows of the leaderboards as a table, with a heading."""
    yield _COLUMNS
    for board in boards:
        for entry in board.entries:
            figure = entry.figure
            if figure is not None:
                names = [
                    board.slice or "",
                    entry.best_rank,
                    entry.worst_rank,
                    entry.run,
                    entry.target,
                ]
                numbers = [figure.estimate, figure.low, figure.high, figure.confidence]
                yield [*names, board.figure, *numbers, figure.cases, figure.missing]


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
    notices = [Paragraph(notice) for notice in contents.notices]
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
    pairs = [(figure.targets, pairs_of(figure)) for figure in comparison.figures]
    tests = pair_tests_of(pairs, dict(contents.release.asked.slices))
    yield from comparison_page(baseline, contents.run, comparison, tests, _UNCHANGED, frame)
