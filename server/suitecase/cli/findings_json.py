"""Findings for programs: one JSON object, whose form is stable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from suitecase.analysis import ReportedFinding
from suitecase.cli.findings import FileFindings
from suitecase.rule import Severity

SCHEMA_VERSION = 1


def findings_as_json(files: Sequence[FileFindings]) -> dict[str, Any]:
    """Return what was found as JSON values; `schemas/findings.schema.json` describes them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "findings": [_finding(file, it) for file in files for it in file.findings],
        "summary": {
            "files": len(files),
            "cases": sum(file.cases for file in files),
            **{
                f"{severity.value}s": sum(file.count(severity) for file in files)
                for severity in Severity
            },
        },
    }


def _finding(file: FileFindings, finding: ReportedFinding) -> dict[str, Any]:
    return {
        "file": file.shown,
        **asdict(file.place(finding.span)),
        "code": finding.code,
        "name": finding.rule.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "help_url": finding.rule.url,
        "fix": {
            "title": finding.fix.title,
            "safe": finding.fix.safe,
            "edits": [
                {**asdict(file.place(edit.span)), "text": edit.text} for edit in finding.fix.edits
            ],
        }
        if finding.fix
        else None,
    }
