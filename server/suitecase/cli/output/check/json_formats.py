"""Findings as JSON: one object, or one a line as soon as it is found.

Their form is stable; `schemas/findings.schema.json` describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.formatter import Document
from suitecase.cli.output.printing import json_text
from suitecase.format.rule import Finding, Severity
from suitecase.text.node import Span

SCHEMA_VERSION: Literal[1] = 1

Position = Annotated[int, Field(ge=1, description="Counted from 1; columns in code points.")]


class EditJson(TypedDict):
    """A stretch of the file and what to put in its place."""

    line: Position
    column: Position
    end_line: Position
    end_column: Position
    text: str


class FixJson(TypedDict):
    """Edits that fix a finding. A safe fix keeps the suite's meaning."""

    title: str
    safe: bool
    edits: list[EditJson]


class FindingJson(TypedDict):
    """A finding. `file` is relative to the working directory.

    `tags` say what is true of its place: what stands there has no effect, or is an older way.
    """

    file: str
    line: Position
    column: Position
    end_line: Position
    end_column: Position
    code: str
    name: str
    severity: Literal["error", "warning", "info"]
    tags: list[Literal["unnecessary", "deprecated"]]
    message: str
    help_url: str
    fix: FixJson | None


class SummaryJson(TypedDict):
    """How much was checked, and how much was found."""

    files: int
    cases: int
    errors: int
    warnings: int
    infos: int


class FindingsJson(TypedDict):
    """What `suitecase check --format json` prints."""

    schema_version: Literal[1]
    findings: list[FindingJson]
    summary: SummaryJson


class JsonFormatter(Document):
    """One object, as `FindingsJson` has it."""

    def finish(self, report: Report, /) -> Iterator[str]:
        yield json_text(findings_as_json(report.files), indent=2)


class JsonLinesFormatter:
    """A line for each finding, and one with the summary; `kind` says which it is."""

    def result(self, file: FileFindings, /) -> Iterator[str]:
        for finding in file.findings:
            yield _line("finding", finding_as_json(file, finding))

    def finish(self, report: Report, /) -> Iterator[str]:
        yield _line("summary", {"schema_version": SCHEMA_VERSION, **summary_as_json(report.files)})


def _line(kind: str, value: Mapping[str, object]) -> str:
    return json_text({"kind": kind, **value})


def findings_as_json(files: Sequence[FileFindings]) -> FindingsJson:
    """Return what was found as JSON values; `schemas/findings.schema.json` describes them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "findings": [finding_as_json(file, finding) for file in files for finding in file.findings],
        "summary": summary_as_json(files),
    }


def summary_as_json(files: Sequence[FileFindings]) -> SummaryJson:
    """Return how much was checked and found."""
    return {
        "files": len(files),
        "cases": sum(file.cases for file in files),
        "errors": sum(file.count(Severity.ERROR) for file in files),
        "warnings": sum(file.count(Severity.WARNING) for file in files),
        "infos": sum(file.count(Severity.INFO) for file in files),
    }


def finding_as_json(file: FileFindings, finding: Finding) -> FindingJson:
    """Return a finding as JSON values."""
    place = file.place(finding.span)
    fix: FixJson | None = None
    if shown := file.fix_to_show(finding):
        edits = [_edit(file, edit.span, edit.text) for edit in shown.edits]
        fix = {"title": shown.title, "safe": shown.safe, "edits": edits}
    return {
        "file": file.shown,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "code": finding.code,
        "name": finding.rule.name,
        "severity": finding.severity.value,
        "tags": [tag.value for tag in finding.rule.tags],
        "message": finding.message,
        "help_url": finding.rule.url,
        "fix": fix,
    }


def _edit(file: FileFindings, span: Span, text: str) -> EditJson:
    place = file.place(span)
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "text": text,
    }
