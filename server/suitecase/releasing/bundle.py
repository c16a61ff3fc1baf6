"""The bundle of a run: a folder with its results, figures and pages, ready to be handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from suitecase.encoders.json_text import json_text
from suitecase.figures.figures_file import figures_text
from suitecase.figures.leaderboard import Leaderboard
from suitecase.releasing.appendix import appendix_of
from suitecase.releasing.boards import leaderboard_csv, leaderboard_page
from suitecase.releasing.contents import Contents
from suitecase.releasing.croissant import croissant_of
from suitecase.releasing.failing import failures_page
from suitecase.releasing.folder import StagedFolder
from suitecase.releasing.manifest import manifest_of, manifest_text
from suitecase.releasing.notice import notice_text
from suitecase.releasing.pages import appendix_markdown, appendix_page, compare_page, safety_page
from suitecase.report.page import Frame
from suitecase.report.run_page import run_page
from suitecase_evaluators.records.record import ResultRecord

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
        OSError: it cannot be written.
    """
    baseline = contents.baseline
    frame = contents.frame([*_PAGES, *([_COMPARE] if baseline is not None else [])])

    def framed(name: str) -> Frame:
        return replace(frame, current=name)

    sections = appendix_of(contents)
    with StagedFolder(folder) as staged:
        staged.write("results.jsonl", _results(contents))
        staged.write("figures.jsonl", [_figures(contents)])
        staged.write("gates.json", [_gates(contents)])
        staged.write("leaderboard.csv", [leaderboard_csv(contents, boards)])
        staged.write("appendix.md", [appendix_markdown(contents, sections)])
        for name, pieces in (
            ("index.html", run_page(contents.run, [contents.figures], (), framed("index.html"))),
            ("failures.html", failures_page(contents, framed("failures.html"))),
            ("safety.html", safety_page(contents, framed("safety.html"))),
            ("leaderboard.html", leaderboard_page(contents, boards, framed("leaderboard.html"))),
            ("appendix.html", appendix_page(contents, sections, framed("appendix.html"))),
        ):
            staged.write(name, pieces)
        if baseline is not None:
            staged.write("compare.html", compare_page(contents, baseline, framed("compare.html")))
        staged.write("NOTICE", [_notice(contents)])
        described = croissant_of(contents, staged.digests, staged.sizes)
        staged.write("croissant.json", [_json(described)])
        manifest = manifest_of(contents, staged.digests, staged.sizes)
        staged.write("manifest.json", [manifest_text(manifest)])
    return sorted(staged.digests)


def _results(contents: Contents) -> Iterator[bytes]:
    """Yield the published records, each with the canary: a line may be taken out of its file."""
    canary = contents.release.governance.canary
    for record in contents.run.answers:
        marked = record if canary is None else ResultRecord({**record.fields, "canary": canary})
        yield marked.line()


def _figures(contents: Contents) -> bytes:
    return figures_text(contents.figures).encode(errors="replace")


def _gates(contents: Contents) -> bytes:
    return _json(
        {
            "draft": contents.draft,
            "gates": [it.to_json() for it in contents.figures.gates],
        }
    )


def _notice(contents: Contents) -> bytes:
    text = contents.redaction.text(notice_text(contents.release, contents.reasons))
    return text.encode(errors="replace")


def _json(value: Any) -> bytes:
    return (json_text(value, indent=1) + "\n").encode(errors="replace")
