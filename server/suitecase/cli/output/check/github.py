"""Findings as workflow commands of GitHub Actions, which shows them in the changes of a pull request.

It shows ten of a severity and a step. The log has the others; many of one kind in a file are one.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.alike import alike, how_to_see_all
from suitecase.cli.output.check.text import summary
from suitecase.cli.output.workflow_command import COMMANDS, workflow_command
from suitecase.text.encoders.terminal import Line


class GitHubFormatter:
    """A workflow command for each finding, or for many of one kind, and a line of counts."""

    def result(self, file: FileFindings, /) -> Iterator[Line]:
        for found in alike(file.findings):
            finding = found.first
            place = file.place(finding.span)
            places = found.places(file)
            properties = {
                "title": f"suitecase ({finding.code} {finding.rule.name})",
                "file": file.shown,
                "line": str(place.line),
                "endLine": str(place.end_line),
            }
            if place.line == place.end_line:
                # GitHub accepts columns only within one line.
                properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
            message = f"{file.shown}:{place.line}:{place.column}: {finding.code} {finding.message}"
            if places is not None:
                message += f" ({places}; {how_to_see_all(file)})"
            yield workflow_command(COMMANDS[finding.severity], message, properties)

    def finish(self, report: Report, /) -> Iterator[Line]:
        for unread in report.unread:
            yield workflow_command("error", unread.message, {"file": unread.shown})
        if report.files:
            yield summary(report.files)
