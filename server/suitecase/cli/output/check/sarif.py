"""Findings as SARIF 2.1.0, for code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from suitecase import __version__
from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.formatter import Aside, Document
from suitecase.cli.output.printing import json_text
from suitecase.format.baseline_file import Fingerprint
from suitecase.format.rule import Finding, Rule, Severity
from suitecase.text.addresses import REPOSITORY
from suitecase.text.encoders.visible import visible
from suitecase.text.lines import Place
from suitecase.text.node import Span
from suitecase.text.working_directory import working_directory

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
#: Limits of GitHub: results of a run, those of them that it stores, and bytes compressed by gzip.
#: https://docs.github.com/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
MOST_RESULTS, STORED_RESULTS, MOST_BYTES = 25_000, 5_000, 10_000_000
_RANKS = {it: rank for rank, it in enumerate((Severity.ERROR, Severity.WARNING, Severity.INFO))}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: Paths that lie below it are relative to it, so that they hold on another machine.
_BASE = "SRCROOT"


class SarifFormatter(Document):
    """One log with one run, as large as code hosts accept."""

    def finish(self, report: Report, /) -> Iterator[str]:
        results = [*_results(report)]
        kept, log = _within_limits(report, results)
        for remark in _remarks(kept, len(results)):
            yield Aside(f"warning: {remark}")
        yield log


@dataclass(frozen=True, slots=True)
class _Result:
    """A finding of a file, and which of those with the same fingerprint it is, from 1."""

    file: FileFindings
    finding: Finding
    fingerprint: Fingerprint
    occurrence: int


def _results(report: Report) -> Iterator[_Result]:
    occurrences: Counter[Fingerprint] = Counter()
    for file in report.files:
        for finding in file.findings:
            fingerprint = file.fingerprint(finding)
            occurrences[fingerprint] += 1
            yield _Result(file, finding, fingerprint, occurrences[fingerprint])


def _within_limits(report: Report, results: Sequence[_Result]) -> tuple[int, str]:
    """Return how many of the gravest results a log has that code hosts accept, and the log."""
    gravest = sorted(range(len(results)), key=lambda at: _RANKS[results[at].finding.severity])
    kept = min(len(results), MOST_RESULTS)
    while True:
        chosen = [results[at] for at in sorted(gravest[:kept])]
        text = json_text(_log(report, chosen, len(results)), indent=2)
        size = _compressed_size(text)
        if size <= MOST_BYTES or not kept:
            return kept, text
        kept = int(kept * MOST_BYTES / size * 0.95)


def _compressed_size(text: str) -> int:
    """Return how many bytes are uploaded, or more if they are few enough in any case."""
    if len(text) * 4 <= MOST_BYTES:
        return len(text) * 4
    return len(gzip.compress(text.encode(), compresslevel=6))


def _remarks(kept: int, number: int) -> Iterator[str]:
    """Yield what a log leaves out, and what a code host leaves out of it."""
    if kept < number:
        yield (
            f"SARIF has the {kept:,} gravest of {number:,} findings, since GitHub rejects more than "
            f"{MOST_RESULTS:,} results, and files of more than {MOST_BYTES // 1_000_000} MB; "
            "`--format json` has all of them"
        )
    if kept > STORED_RESULTS:
        yield (
            f"SARIF has {kept:,} results, of which GitHub stores and shows {STORED_RESULTS:,}, the "
            "gravest first"
        )


def _log(report: Report, results: Sequence[_Result], number: int) -> dict[str, Any]:
    """Return a log.

    Args:
        report: what was checked.
        results: what the log has of it.
        number: how many findings there are in all.
    """
    rules = sorted({result.finding.rule.code: result.finding.rule for result in results}.items())
    indexes = {code: at for at, (code, _) in enumerate(rules)}
    unread = [f"{file.shown} {file.message}" for file in report.unread]
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
        "originalUriBaseIds": {_BASE: {"uri": f"{working_directory().as_uri().rstrip('/')}/"}},
        "invocations": [
            {
                "executionSuccessful": not report.unread,
                "toolExecutionNotifications": [
                    *(_notification("error", it) for it in unread),
                    *(
                        _notification("warning", remark)
                        for remark in _remarks(len(results), number)
                    ),
                ],
            }
        ],
        "results": [_result(result, indexes[result.finding.code]) for result in results],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": visible(text)}}


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


def _result(of: _Result, index: int) -> dict[str, Any]:
    file, finding = of.file, of.finding
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": visible(finding.message)},
        "locations": [{"physicalLocation": _location(file, finding.span)}],
        # Two alike are told apart by their order.
        "partialFingerprints": {"suitecase/v1": f"{of.fingerprint.digest}:{of.occurrence}"},
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
    if fix := file.fix_to_show(finding):
        result["fixes"] = [
            {
                "description": {"text": visible(fix.title)},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(file.shown),
                        "replacements": [
                            {
                                "deletedRegion": _region(file.place(edit.span)),
                                "insertedContent": {"text": edit.text},
                            }
                            for edit in fix.edits
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
    # The bytes of a name that is not UTF-8 are quoted one by one, as those of any other.
    return {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": _BASE}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
