"""Why a suite was not run: its errors, as `suitecase check` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suitecase.cli.findings import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.rule import Severity
from suitecase.suite.workspace import find_root


def refusal(suite: SuiteArgument, findings: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines that show the errors of a suite.

    Args:
        findings: the errors as the worker found them.
    """
    yield from errors_in_place(suite) or [
        f"{shown_path(Path(it['file']))}:{it['line']}:{it['column']}: {it['code']} {it['message']}"
        for it in findings
    ]
    number = "1 error" if len(findings) == 1 else f"{len(findings)} errors"
    yield f"{suite.shown} has {number}, so it was not run; nothing was asked."


def errors_in_place(suite: SuiteArgument) -> list[str]:
    """Return the errors of a suite, and of the files it names, with the lines they are about.

    None where the file changed meanwhile.
    """
    from suitecase.cli.file_checker import Asked, FileChecker, Job, Unread
    from suitecase.cli.findings_text import finding_text

    file = FileChecker(Asked()).check(Job(suite.path, find_root(suite.path, Path.cwd())))
    if isinstance(file, Unread):
        return []
    return [
        line
        for it in (file, *file.others)
        for finding in it.findings
        if finding.severity is Severity.ERROR
        for line in (*finding_text(it, finding), "")
    ]
