"""The bundle of a run: a folder with its results, figures and pages, ready to be handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from suitecase.authoring.releasing.appendix import appendix_of
from suitecase.authoring.releasing.boards import leaderboard_page, leaderboard_rows
from suitecase.authoring.releasing.bundle_files import BundleFiles
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.croissant import croissant_of
from suitecase.authoring.releasing.failing import failures_page
from suitecase.authoring.releasing.manifest import manifest_of
from suitecase.authoring.releasing.notice import notice_text
from suitecase.authoring.releasing.pages import (
    appendix_markdown,
    appendix_page,
    compare_page,
    safety_page,
)
from suitecase.figures.figures_file import figures_values
from suitecase.figures.leaderboard import Leaderboard
from suitecase.report.page import Frame
from suitecase.report.run_page import run_page
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
        "gates": [it.to_json() for it in contents.figures.gates],
    }
