"""Leaving out what the baseline of a configuration knows, as `suitecase check` does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from suitecase.analysis import ReportedFinding
from suitecase.baseline import CheckedText, ids_of, parted
from suitecase.suite.known_findings import find_baseline
from suitecase.suite.workspace import Workspace
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.lines import Lines


def without_known(
    found: Iterable[ReportedFinding],
    path: Path,
    lines: Lines,
    workspace: Workspace,
    suite: WrittenSuite | None = None,
) -> list[ReportedFinding]:
    """Return findings in a file that the baseline of its folder does not know.

    Args:
        found: what was found.
        path: the file.
        lines: its text.
        workspace: reads the configuration and the baseline.
        suite: the file as a suite, if it is one: findings are recognized by their cases.
    """
    findings = list(found)
    baseline = find_baseline(workspace, path.parent) if findings else None
    if baseline is None:
        return findings
    file = Path(os.path.relpath(path, baseline.root)).as_posix()
    if file not in baseline.known.files:
        return findings
    ids = tuple(ids_of(suite)) if suite is not None else ()
    return parted(findings, baseline.known, CheckedText(file, lines, ids)).new
