"""Resolving the cases of a long suite while they are parsed for its check.

Parsing a case again takes longer than resolving it. Which cases are sound is known when all of them are
checked; what was resolved of the others is left alone then.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path

from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import CasePlace, Resolver
from suitecase.run.case_store import Cases, CaseStore
from suitecase.text.document import Content
from suitecase.text.lines import Lines


class Resolving:
    """Resolves cases as they are parsed, by the head of a suite that has the first of them only.

    Args:
        first: that suite.
        path: the path of the suite.
        folder: its folder.
        lines: its text.

    Raises:
        UnsoundSuiteError: its head has errors.
    """

    def __init__(self, first: ParsedSuite, path: Path, folder: Folder, lines: Lines) -> None:
        self._first = first
        self._lines = lines
        self._resolver = Resolver(first, path, folder)
        self._appends = first.appends
        self._store = CaseStore()
        #: For each case, its number in the store and one more; 0 where it is not there.
        self._stored = array("I")
        self._failed = False

    def visit(self, number: int, start: int, content: Content) -> None:
        """Resolve a case, unless it has errors; see `syntax.passing.Visit`."""
        self._stored.append(0)
        if self._failed:
            return
        parsed = self._first.case_index.subject(content)
        if parsed.model is None:
            return
        place = CasePlace(number, start, content.text, self._lines)
        try:
            case = self._resolver.placed(parsed, place)
        except Exception:  # noqa: BLE001 - if it is sound, it is resolved again, and fails there
            return
        try:
            self._store.add(case)
        except OSError:
            self._failed = True  # as does the next one who wants to write
            return
        self._stored[number] = len(self._store)

    def cases(self, suite: ParsedSuite, sound: Sequence[int]) -> Cases | None:
        """Return the sound cases of the suite; None if they have to be resolved with all of it.

        Args:
            suite: the suite with all of its cases.
            sound: the numbers of the sound ones.
        """
        stored = self._stored
        if self._failed or not suite.document.segmented or len(stored) != len(suite.cases):
            return None
        if suite.appends != self._appends:
            return None  # a later case decides how all of them inherit
        numbers = array("I", (stored[it] for it in sound))
        return None if 0 in numbers else Cases(self._store, array("I", (it - 1 for it in numbers)))


def resolving_of(
    first: ParsedSuite, path: Path, folder: Folder, text: str | Lines
) -> Resolving | None:
    """Return what resolves the cases of a suite as they are parsed; None if its head does not allow that.

    Args:
        first: the suite with its first cases only.
        path: the path of the suite.
        folder: its folder.
        text: its text.
    """
    head = first.document.head
    if first.kind == "suite" and head.content.text[head.gap_at :].strip():
        return None  # its lines differ from those of the suite with all cases
    try:
        return Resolving(first, path, folder, text if isinstance(text, Lines) else Lines(text))
    except UnsoundSuiteError:
        return None
