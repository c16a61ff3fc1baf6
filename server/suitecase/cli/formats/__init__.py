"""The formats of findings, a module for each, loaded when it is asked for.

A module has `of_file`, what is printed of a file as soon as it is checked, and `at_end`, what is
printed when all are.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from suitecase.cli.findings import FileFindings, Report

#: Each format with whom it is for.
FORMATS = {
    "text": "people",
    "summary": "people: how often each rule finds something",
    "json": "programs: one object",
    "jsonl": "programs: an object a line",
    "sarif": "code scanning: SARIF 2.1.0",
    "junit": "CI that shows tests: JUnit XML",
    "github": "annotations of GitHub Actions",
    "gitlab": "the code quality report of GitLab",
}


class Format(Protocol):
    """How findings are printed."""

    def of_file(self, file: FileFindings) -> Iterator[str]:
        """Yield the lines that are printed as soon as a file is checked."""
        ...

    def at_end(self, report: Report) -> Iterator[str]:
        """Yield the lines that are printed when all files are checked."""
        ...


def format_named(name: str) -> Format:
    """Return a format of `FORMATS`."""
    module = "json_object" if name == "json" else name
    return cast("Format", import_module(f"{__name__}.{module}"))
