"""Findings as workflow commands of GitHub Actions, which shows them in the changes of a pull request.

It shows ten of a kind and a step. The log has them all.
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.findings import FileFindings, Report
from suitecase.cli.findings_text import summary
from suitecase.rule import Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def of_file(file: FileFindings) -> Iterator[str]:
    for it in file.findings:
        place = file.place(it.span)
        properties = {
            "title": f"suitecase ({it.code} {it.rule.name})",
            "file": file.shown,
            "line": str(place.line),
            "endLine": str(place.end_line),
        }
        if place.line == place.end_line:
            # GitHub takes columns only where they are of one line.
            properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
        said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        where = f"{file.shown}:{place.line}:{place.column}: {it.code} {it.message}"
        yield f"::{_COMMANDS[it.severity]} {said}::{_data(where)}"


def at_end(report: Report) -> Iterator[str]:
    for shown, why in report.unread:
        yield f"::error file={_property(shown)}::{_data(f'cannot be checked: {why}')}"
    if report.files:
        yield summary(report.files)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
