"""Findings as a code quality report of GitLab.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.formatter import Document
from suitecase.cli.output.printing import json_text
from suitecase.format.baseline_file import Fingerprint
from suitecase.format.rule import Finding, Severity
from suitecase.text.encoders.visible import visible

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


class GitLabFormatter(Document):
    """One array of issues."""

    def finish(self, report: Report, /) -> Iterator[str]:
        occurrences: Counter[Fingerprint] = Counter()
        issues = [
            _issue(file, finding, occurrences) for file in report.files for finding in file.findings
        ]
        yield json_text(issues, indent=2)


def _issue(
    file: FileFindings, finding: Finding, occurrences: Counter[Fingerprint]
) -> dict[str, Any]:
    place = file.place(finding.span)
    fingerprint = file.fingerprint(finding)
    occurrences[fingerprint] += 1
    # GitLab shows only one of several issues with the same fingerprint.
    unique = sha256(f"{fingerprint.digest}:{occurrences[fingerprint]}".encode()).hexdigest()
    return {
        "description": visible(finding.message),
        "check_name": f"{finding.code} {finding.rule.name}",
        "fingerprint": unique,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": file.shown,
            "lines": {"begin": place.line, "end": place.end_line},
        },
    }
