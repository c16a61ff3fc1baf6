"""Findings as JSON, one a line as soon as it is found, and a line with the summary.

Each has the form it has in the JSON object, with what it is under `kind`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.findings_json import (
    SCHEMA_VERSION,
    finding_as_json,
    summary_as_json,
)


def of_file(file: FileFindings) -> Iterator[str]:
    for finding in file.findings:
        yield _line("finding", finding_as_json(file, finding))


def at_end(report: Report) -> Iterator[str]:
    yield _line("summary", {"schema_version": SCHEMA_VERSION, **summary_as_json(report.files)})


def _line(kind: str, value: Mapping[str, object]) -> str:
    return json.dumps({"kind": kind, **value}, ensure_ascii=False)
