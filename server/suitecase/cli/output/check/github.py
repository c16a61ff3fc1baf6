"""Findings as workflow commands of GitHub Actions, which shows them in the changes of a pull request.

It shows ten of a kind and a step. The log has them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.text import summary
from suitecase.cli.output.workflow_command import COMMANDS, workflow_command
from suitecase.encoders.terminal import Line


class GitHubFormatter:
    """A workflow command for each finding, and a line of counts."""

    def result(self, file: FileFindings, /) -> Iterator[Line]:
        for finding in file.findings:
            place = file.place(finding.span)
            properties = {
                "title": f"suitecase ({finding.code} {finding.rule.name})",
                "file": file.shown,
                "line": str(place.line),
                "endLine": str(place.end_line),
            }
            if place.line == place.end_line:
                # GitHub accepts columns only within one line.
                properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
            where = f"{file.shown}:{place.line}:{place.column}: {finding.code} {finding.message}"
            yield workflow_command(COMMANDS[finding.severity], where, properties)

    def finish(self, report: Report, /) -> Iterator[Line]:
        for display_path, why in report.unread:
            yield workflow_command("error", f"cannot be checked: {why}", {"file": display_path})
        if report.files:
            yield summary(report.files)
