"""The digests of the cases of a suite as it is in its file."""

from __future__ import annotations

from suitecase.evidence.releases.case_digests import (
    CaseDigests,
    HeadDigests,
    case_digests,
    head_digests,
)
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite


class SuiteDigests:
    """The digests of the cases of a suite.

    Args:
        suite: the suite or the data set.
        head: its head, which has no errors.
        files: the digests of the files that it names.
        inherited: the digests that count as those of the head; by default its own.
    """

    def __init__(
        self,
        suite: ParsedSuite,
        head: SuiteHead,
        files: FileDigests,
        inherited: HeadDigests | None = None,
    ) -> None:
        self._suite = suite
        self._head = head
        self._files = files
        self.inherited = inherited if inherited is not None else head_digests(head, files)

    def of(self, number: int) -> CaseDigests | None:
        """Return the digests of a case; None if it has errors."""
        case = self._suite.cases[number].model
        if case is None:
            return None
        appended = self._suite.appended_to(number)
        return case_digests(case, self._head, self.inherited, self._files, appended=appended)
