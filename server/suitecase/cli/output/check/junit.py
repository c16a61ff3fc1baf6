"""Findings as JUnit XML: a file is a test suite, and a finding a failed test.

Findings that do not fail the check are in the output of the file, since JUnit has no warnings.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.checking.findings import NOT_FIXED, FileFindings, Report, Unread
from suitecase.cli.output.formatter import Document
from suitecase.format.rule import Finding
from suitecase.text.encoders.xml_text import attribute, content


class JUnitFormatter(Document):
    """One document, a suite for each file."""

    def finish(self, report: Report, /) -> Iterator[str]:
        suites = [_suite(file) for file in report.files]
        broken = [_unread(file) for file in report.unread]
        failures = sum(len(_failing(file)) for file in report.files)
        tests = sum(len(_failing(file)) or 1 for file in report.files) + len(broken)
        yield '<?xml version="1.0" encoding="utf-8"?>'
        yield (
            f'<testsuites name="suitecase" tests="{tests}" failures="{failures}" '
            f'errors="{len(broken)}">'
        )
        for lines in (*suites, *broken):
            yield from lines
        yield "</testsuites>"


def _failing(file: FileFindings) -> list[Finding]:
    return [finding for finding in file.findings if file.analysis.fails_for(finding)]


def _suite(file: FileFindings) -> list[str]:
    failing = _failing(file)
    name = attribute(file.shown)
    head = f'  <testsuite name={name} tests="{len(failing) or 1}" failures="{len(failing)}" errors="0">'
    lines = [head]
    for finding in failing:
        place = file.place(finding.span)
        case = attribute(f"{finding.code} {finding.rule.name} ({place.line}:{place.column})")
        lines += [
            f"    <testcase name={case} classname={name}>",
            f'      <failure message={attribute(finding.message)} type="{finding.severity.value}">',
            f"{content(_described(file, finding))}</failure>",
            "    </testcase>",
        ]
    if not failing:
        lines.append(f'    <testcase name="check" classname={name}/>')
    others = [finding for finding in file.findings if finding not in failing]
    if others:
        output = "\n".join(_described(file, finding) for finding in others)
        lines.append(f"    <system-out>{content(output)}</system-out>")
    lines.append("  </testsuite>")
    return lines


def _unread(file: Unread) -> list[str]:
    name = attribute(file.shown)
    message = attribute(file.message)
    case, kind = ("fix", "not-fixed") if file.what == NOT_FIXED else ("check", "unreadable")
    return [
        f'  <testsuite name={name} tests="1" failures="0" errors="1">',
        f'    <testcase name="{case}" classname={name}>',
        f'      <error message={message} type="{kind}"/>',
        "    </testcase>",
        "  </testsuite>",
    ]


def _described(file: FileFindings, finding: Finding) -> str:
    place = file.place(finding.span)
    return (
        f"{file.shown}:{place.line}:{place.column}: {finding.severity.value}[{finding.code}] "
        f"{finding.message}\n"
        f"`suitecase explain {finding.code}` says more, as does {finding.rule.url}"
    )
