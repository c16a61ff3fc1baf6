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
    "summary": "people: the number of findings by rule",
    "json": "programs: one object",
    "jsonl": "programs: an object per line",
    "sarif": "code scanning: SARIF 2.1.0",
    "junit": "CI services that show tests: JUnit XML",
    "github": "annotations in GitHub Actions",
    "gitlab": "GitLab's code quality report",
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
