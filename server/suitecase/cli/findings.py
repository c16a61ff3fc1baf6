"""What was found in a file, ready to be shown in any format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.analysis import Analysis, ReportedFinding
from suitecase.rule import Severity
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file; lines and columns count from 1, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class FileFindings:
    """A checked file. `shown` is its path as it is printed: relative to the working directory."""

    shown: str
    cases: int
    lines: Lines
    analysis: Analysis

    def place(self, span: Span) -> Place:
        line, column = self.lines.position(span.start)
        end_line, end_column = self.lines.position(span.end)
        return Place(line + 1, column + 1, end_line + 1, end_column + 1)

    def count(self, severity: Severity) -> int:
        return sum(it.severity is severity for it in self.findings)

    @property
    def findings(self) -> list[ReportedFinding]:
        return self.analysis.findings


def shown_path(path: Path) -> str:
    """Return a path as it is printed: relative to the working directory where it lies below."""
    import os

    relative = os.path.relpath(path)
    return Path(relative).as_posix() if not relative.startswith("..") else path.as_posix()
