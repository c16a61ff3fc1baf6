"""The findings in the cases of a file, kept apart by case, so that their places can wait."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from suitecase.checking.findings import InCase, InCases
from suitecase.checking.rule_runner import (
    FoundInPart,
    InFolder,
    Part,
    RuleFailure,
    cross_file_subjects,
    local_findings,
)
from suitecase.checking.selection import Selection
from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Finding
from suitecase.format.suppression import Suppressions
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.document import Pieces


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """The findings in a case by what becomes of them, with places in the case."""

    found: FoundInPart
    reported: InCase
    silenced: InCase
    external: tuple[Finding, ...]


#: The cross-file findings in a case, for the last selection.
_CROSS_FILE: Cache[tuple[Selection, _Sorted]] = Cache()


class CaseFindings:
    """The findings in the cases of a file whose text was parsed case by case.

    Args:
        suite: the file.
        folder: its folder.
        selection: the rules that are enabled in it.
        cross_file: whether rules that read other files report.
    """

    def __init__(
        self,
        suite: ParsedSuite | DialectFile,
        folder: Folder,
        selection: Selection,
        *,
        cross_file: bool,
    ) -> None:
        self._pieces = suite.document.cases
        self._entries: Sequence[tuple[int, _Sorted]] = suite.case_index.where(_look(selection))
        if cross_file:
            others = list(_cross_file(suite, folder, selection))
            if others:
                self._entries = sorted([*self._entries, *others], key=lambda entry: entry[0])

    @property
    def failures(self) -> Iterator[RuleFailure]:
        """The rules that failed."""
        return (
            failure
            for _, found in self._entries
            if found.found.failures
            for failure in found.found.failures
        )

    def placed(self, cases: Collection[int] | None = None) -> Iterator[Finding]:
        """Yield the findings in some cases with their places, whatever becomes of them.

        Args:
            cases: the numbers of the cases; None for all.
        """
        for number, of_case in self._entries if cases is None or cases else ():
            if cases is None or number in cases:
                yield from _placed(of_case.found.findings, self._pieces, number)

    def external(self, aside: Collection[int]) -> Iterator[Finding]:
        """Yield the findings in other files that cases have, except for some cases."""
        for number, of_case in self._entries:
            if of_case.external and number not in aside:
                yield from _placed(of_case.external, self._pieces, number)

    def reported(self, aside: Collection[int], completed: Callable[[Finding], Finding]) -> InCases:
        """Return the findings in the file that are reported, except for some cases."""
        return InCases(
            self._pieces,
            [
                (n, it.reported)
                for n, it in self._entries
                if it.reported.findings and n not in aside
            ],
            completed,
        )

    def silenced(self, aside: Collection[int], completed: Callable[[Finding], Finding]) -> InCases:
        """Return the findings in the file that the configuration suppresses, except for some cases."""
        return InCases(
            self._pieces,
            [
                (n, it.silenced)
                for n, it in self._entries
                if it.silenced.findings and n not in aside
            ],
            completed,
        )


def cases_with_comments(suppressions: Suppressions, pieces: Pieces) -> Collection[int]:
    """Return the numbers of the cases in which comments may suppress findings."""
    if any(it.scope == "file" for it in suppressions.all):
        return range(len(pieces))
    return {number for it in suppressions.all for number in pieces.touching(it.reach)}


def _placed(findings: Iterable[Finding], pieces: Pieces, number: int) -> Iterator[Finding]:
    absolute = pieces[number].absolute
    return (finding.moved(absolute) for finding in findings)


@lru_cache(maxsize=16)
def _look(selection: Selection) -> Callable[[Part], _Sorted | None]:
    """Return the function that sorts the local findings in a case; the same one for each selection."""

    def look(case: Part) -> _Sorted | None:
        found = local_findings(case)
        return _sorted(found, selection) if found is not None else None

    return look


def _cross_file(
    suite: ParsedSuite | DialectFile, folder: Folder, selection: Selection
) -> Iterator[tuple[int, _Sorted]]:
    in_folder = InFolder.of(folder)

    def look(case: Part) -> _Sorted | None:
        found = in_folder(case)
        if found is None:
            return None
        known = _CROSS_FILE.get(case.content)
        if known is None or known[0] != selection or known[1].found is not found:
            known = (selection, _sorted(found, selection))
            _CROSS_FILE.set(case.content, known)
        return known[1]

    return suite.case_index.where_now(cross_file_subjects, look)


def _sorted(found: FoundInPart, selection: Selection) -> _Sorted:
    each = {
        (finding.span, finding.code, finding.message, finding.external): finding
        for finding in found.findings
    }
    here = [it for it in each.values() if it.external is None]
    enabled = [it for it in here if selection.is_enabled(it.rule)]
    return _Sorted(
        found,
        InCase.of([as_configured(it, selection) for it in enabled]),
        InCase.of([it for it in here if not selection.is_enabled(it.rule)]),
        tuple(it for it in each.values() if it.external is not None),
    )


def as_configured(found: Finding, selection: Selection) -> Finding:
    """Return a finding with the severity that the configuration gives it."""
    severity = selection.severity(found.rule)
    return found if severity is found.rule.severity else replace(found, configured=severity)
