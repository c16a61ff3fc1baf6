"""Findings as SARIF 2.1.0, for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from suitecase import __version__
from suitecase.addresses import REPOSITORY
from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.formatter import Document
from suitecase.cli.output.printing import json_text
from suitecase.encoders.visible import visible
from suitecase.rule import Finding, Rule, Severity
from suitecase.suite.baseline_file import Fingerprint
from suitecase.syntax.lines import Place
from suitecase.syntax.node import Span

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: Paths that lie below it are relative to it, so that they hold on another machine.
_BASE = "SRCROOT"


class SarifFormatter(Document):
    """One log with one run."""

    def finish(self, report: Report, /) -> Iterator[str]:
        yield json_text(_log(report), indent=2)


def _log(report: Report) -> dict[str, Any]:
    findings = [(file, it) for file in report.files for it in file.findings]
    rules = sorted({it.rule.code: it.rule for _, it in findings}.items())
    indexes = {code: number for number, (code, _) in enumerate(rules)}
    occurrences: Counter[Fingerprint] = Counter()
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "suitecase",
                "semanticVersion": __version__,
                "informationUri": REPOSITORY,
                "rules": [_rule(rule) for _, rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
        "invocations": [
            {
                "executionSuccessful": not report.unread,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": visible(f"{path} cannot be checked: {why}")},
                    }
                    for path, why in report.unread
                ],
            }
        ],
        "results": [_result(file, it, indexes[it.code], occurrences) for file, it in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.title}."},
        "help": {
            "text": f"{rule.title}. `suitecase explain {rule.code}` says more, as does {rule.url}",
            "markdown": rule.markdown(),
        },
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(
    file: FileFindings, finding: Finding, index: int, occurrences: Counter[Fingerprint]
) -> dict[str, Any]:
    fingerprint = file.fingerprint(finding)
    occurrences[fingerprint] += 1
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(finding.message)},
        "locations": [{"physicalLocation": _location(file, finding.span)}],
        # Two alike are told apart by their order.
        "partialFingerprints": {"suitecase/v1": f"{fingerprint.digest}:{occurrences[fingerprint]}"},
    }
    related = [
        {
            "id": number,
            "message": {"text": visible(other_place.message)},
            "physicalLocation": {
                "artifactLocation": _artifact(display_path),
                **({"region": _region(place)} if place else {}),
            },
        }
        for number, other_place in enumerate(finding.related, 1)
        for display_path, place in (file.related_place(other_place),)
    ]
    if related:
        result["relatedLocations"] = related
    if finding.fix:
        result["fixes"] = [
            {
                "description": {"text": visible(finding.fix.title)},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(file.shown),
                        "replacements": [
                            {
                                "deletedRegion": _region(file.place(edit.span)),
                                "insertedContent": {"text": edit.text},
                            }
                            for edit in finding.fix.edits
                        ],
                    }
                ],
            }
        ]
    return result


def _location(file: FileFindings, span: Span) -> dict[str, Any]:
    return {"artifactLocation": _artifact(file.shown), "region": _region(file.place(span))}


def _artifact(display_path: str) -> dict[str, Any]:
    path = Path(display_path)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _BASE}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
