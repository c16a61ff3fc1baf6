"""Findings for people."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.findings import FileFindings, Report
from suitecase.cli.findings_text import finding_text, summary


def of_file(file: FileFindings) -> Iterator[str]:
    for finding in file.findings:
        yield from finding_text(file, finding)
        yield ""


def at_end(report: Report) -> Iterator[str]:
    if report.files:
        yield summary(report.files)
