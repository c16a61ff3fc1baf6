"""Files that suites name and that something was found in: each is reported once, whoever names it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from suitecase.checking.analysis import Analysis, merged
from suitecase.cli.file_checker import FileChecker, filter_baseline
from suitecase.cli.findings import FileFindings


def other_files(files: Iterable[FileFindings], checker: FileChecker) -> list[FileFindings]:
    """Return what was found in files that checked ones name, in the order of their paths.

    Args:
        files: what was checked.
        checker: knows which findings a baseline has, which are left out.
    """
    found: dict[Path, list[FileFindings]] = {}
    for file in files:
        for other in file.others:
            if other.path is not None:
                found.setdefault(other.path, []).append(other)
    all_merged = (_merged(found[path]) for path in sorted(found))
    return [filter_baseline(it, checker.baseline_for(it)) for it in all_merged]


def _merged(same: list[FileFindings]) -> FileFindings:
    """Return as one what several suites find in a file."""
    findings = merged(it for file in same for it in file.findings)
    beside = {path: lines for file in reversed(same) for path, lines in file.beside.items()}
    used = {related.path for it in findings for related in it.related}
    return replace(
        same[0],
        analysis=Analysis(findings),
        beside={path: lines for path, lines in beside.items() if path in used},
    )
