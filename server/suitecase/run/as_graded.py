"""Cases of a suite as they will be graded, for `suitecase show` and editors."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.formats.suitecase.show import shown_suite
from suitecase.run.blocking_findings import ReportedError, suite_errors
from suitecase.run.candidates import Candidates
from suitecase.text.near_names import nearest

#: So many cases are named where one is unknown.
_MOST_NAMED = 5


class UnknownCaseError(Exception):
    """A suite has no case with this id."""


class NotSoundError(Exception):
    """The requested cases have errors, so it is unknown how they would be graded."""

    def __init__(self, errors: list[ReportedError]) -> None:
        super().__init__(f"{len(errors)} errors")
        self.errors = errors


def as_graded(
    suite: ParsedSuite, path: Path, folder: Folder, cases: Collection[str] = ()
) -> dict[str, Any]:
    """Return a suite, or some of its cases, as they will be graded.

    Errors in other cases are ignored.

    Args:
        suite: the parsed suite.
        path: its path.
        folder: its folder.
        cases: the ids of the cases; empty for all.

    Raises:
        UnknownCaseError: there is no such case.
        NotSoundError: the requested cases have errors.
        UnsoundSuiteError: they have errors that a comment or a baseline silences.
    """
    errors = suite_errors(suite, path, folder)
    ids = [it.id for it in Candidates(suite)]
    for name in cases:
        if name not in ids:
            # If the text does not parse, not all ids are known.
            if errors.all and suite.document.broken:
                raise NotSoundError(errors.all)
            suggestion = nearest(name, [it for it in ids if it])
            some = ", ".join(f"`{it}`" for it in [it for it in ids if it][:_MOST_NAMED])
            hint = f"; did you mean `{suggestion}`?" if suggestion else f"; it has {some}"
            raise UnknownCaseError(f"has no case `{name}`{hint}")
    selected = [number for number, name in enumerate(ids) if not cases or name in cases]
    reported = errors.of(selected) if cases else errors.all
    if reported:
        raise NotSoundError(reported)
    effective = resolve(suite, path, folder, only=selected)
    targets = find_targets(folder.workspace, folder.path)
    return shown_suite(effective, list(effective.cases), targets, folder.shown)
