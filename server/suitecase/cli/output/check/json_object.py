"""Findings as one JSON object; `schemas/findings.schema.json` describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.findings_json import findings_as_json


def of_file(file: FileFindings) -> Iterator[str]:
    yield from ()


def at_end(report: Report) -> Iterator[str]:
    yield json.dumps(findings_as_json(report.files), indent=2, ensure_ascii=False)
