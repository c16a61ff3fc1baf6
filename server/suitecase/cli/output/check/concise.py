"""Findings a line each, as editors, `grep` and quickfix lists read them."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.text import headline, summary
from suitecase.text.encoders.terminal import Line


class ConciseFormatter:
    """`FILE:LINE:COLUMN: SEVERITY[CODE] MESSAGE`, with `[*]` before what `--fix` fixes."""

    def result(self, file: FileFindings, /) -> Iterator[Line]:
        for finding in file.findings:
            fixable = finding.fix is not None and finding.fix.safe
            yield headline(file, finding, mark="[*] " if fixable else "")

    def finish(self, report: Report, /) -> Iterator[Line]:
        if report.files:
            yield summary(report.files)
