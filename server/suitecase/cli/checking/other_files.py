"""Files that suites name and that something was found in: each is reported once, whoever names it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from suitecase.checking.check import check_external
from suitecase.cli.checking.file_checker import FileChecker
from suitecase.cli.checking.findings import FileFindings


def other_files(files: Iterable[FileFindings], checker: FileChecker) -> list[FileFindings]:
    """Return what was found in files that checked ones name, in the order of their paths.

    Args:
        files: what was checked.
        checker: knows the workspaces.
    """
    found: dict[Path, list[FileFindings]] = {}
    for file in files:
        for other in file.others:
            if other.path is not None:
                found.setdefault(other.path, []).append(other)
    return [_merged(path, found[path], checker) for path in sorted(found)]


def _merged(path: Path, same: list[FileFindings], checker: FileChecker) -> FileFindings:
    """Return as one what several suites find in a file."""
    first = same[0]
    all_found = (it for of in same for it in (*of.analysis.findings, *of.analysis.known))
    workspace = checker.workspace(first.root or path.parent)
    analysis = check_external(path, all_found, workspace, checker.asked.options, lines=first.lines)
    beside = {path: lines for file in reversed(same) for path, lines in file.beside.items()}
    used = {related.path for it in analysis.findings for related in it.related}
    beside = {path: lines for path, lines in beside.items() if path in used}
    return replace(first, analysis=analysis, beside=beside)
