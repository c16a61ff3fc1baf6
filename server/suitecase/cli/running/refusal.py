"""The errors of a suite that was not run, formatted as by `suitecase check`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from suitecase.cli.checking.findings import FileFindings, Unread
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import find_root
from suitecase.text.encoders.terminal import Line
from suitecase.text.working_directory import working_directory


def refusal(suite: SuiteArgument, findings: list[dict[str, Any]], sound: int) -> Iterator[Line]:
    """Yield the lines of the errors of a suite.

    Args:
        findings: the errors as the worker found them.
        sound: the number of selected cases without errors.
    """
    yield from errors(suite, findings)
    number = "1 error" if len(findings) == 1 else f"{len(findings)} errors"
    cases = "the case" if sound == 1 else f"the {sound:,} cases"
    hint = f" --keep-going runs {cases} without errors." if sound else ""
    yield f"{suite.shown} has {number}, so it was not run; nothing was asked.{hint}"


def errors(suite: SuiteArgument, findings: list[dict[str, Any]]) -> list[Line]:
    """Return the lines that show errors as the worker found them."""
    if not findings:
        return []
    places = {
        (shown_path(Path(finding["file"])), finding["line"], finding["column"], finding["code"])
        for finding in findings
    }
    return _errors_in_place(suite, places) or [
        f"{shown_path(Path(finding['file']))}:{finding['line']}:{finding['column']}: error[{finding['code']}] "
        f"{finding['message']}"
        for finding in findings
    ]


def _errors_in_place(
    suite: SuiteArgument, places: set[tuple[str, int, int, str]]
) -> list[Line] | None:
    """Return errors with the lines they are about; None where a file has changed meanwhile.

    Args:
        suite: the suite.
        places: file, line, column and code of the errors.
    """
    from suitecase.cli.output.check.text import findings_text

    try:
        status = suite.path.stat()
    except OSError:
        return None
    known = _errors_by_place(suite.path, status.st_mtime_ns)
    if known is None or not known.keys() >= places:
        return None
    found = sorted((error for place in places for error in known[place]), key=itemgetter(0))
    return [
        line
        for result, of_file in groupby(found, key=itemgetter(1))
        for line in findings_text(result, [finding for _, _, finding in of_file])
    ]


def _place(file: FileFindings, finding: Finding) -> tuple[str, int, int, str]:
    place = file.place(finding.span)
    return file.shown, place.line, place.column, finding.code


@lru_cache(maxsize=4)
def _errors_by_place(
    path: Path, _changed: int
) -> dict[tuple[str, int, int, str], list[tuple[int, FileFindings, Finding]]] | None:
    """Check a suite, and return its errors, each with its number, by their places; None if it cannot be read.

    They are kept while the suite does not change, since many of its cases may be asked about.
    """
    from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job

    file = FileChecker(FileCheckOptions()).check(Job(path, find_root(path, working_directory())))
    if isinstance(file, Unread):
        return None
    found = defaultdict(list)
    numbers = count()
    for result in (file, *file.others):
        for finding in result.findings:
            if finding.severity is Severity.ERROR:
                found[_place(result, finding)].append((next(numbers), result, finding))
    return dict(found)
