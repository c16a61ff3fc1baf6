"""Documents in which a rule takes long are checked in a thread: the server answers meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from suitecase.checking.analysis import Analysis
from suitecase.lsp.documents import OpenDocument
from suitecase.suite.workspace import Unreadable
from suitecase.time_limits import AbandonedError

#: Seconds of processor time that a rule has on the event loop, beside those for the length of a file.
ON_LOOP = 0.5


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a document, and the texts of other files that this depends on."""

    analysis: Analysis
    read: Mapping[Path, str | Unreadable]


@dataclass(frozen=True, slots=True)
class _Version:
    """What a check is about: a text, and how many edits of other documents there had been."""

    text: str
    edits_beside: int


@dataclass(slots=True)
class _Apart:
    """A document that is checked in a thread, and what was found last."""

    checked: Checked | None = None
    version: _Version | None = None
    checking: asyncio.Task[None] | None = None


class ChecksApart:
    """Checks documents in threads, each once at a time; then what it is by then counts.

    Attributes:
        done: is called when there is something new to show of a document.
    """

    def __init__(self, edits_beside: Callable[[OpenDocument], int]) -> None:
        self.done: Callable[[OpenDocument], None] = lambda _: None
        self._edits_beside = edits_beside
        self._apart: WeakKeyDictionary[OpenDocument, _Apart] = WeakKeyDictionary()

    def holds(self, document: OpenDocument) -> bool:
        """Whether a document is checked here."""
        return document in self._apart

    def checked(self, document: OpenDocument, check: Callable[[str], Checked]) -> Checked:
        """Return what was found last in a document, which is checked here from now on.

        Args:
            document: the document.
            check: returns what is found in a text of the document; for any thread.
        """
        apart = self._apart.setdefault(document, _Apart())
        version = _Version(document.text, self._edits_beside(document))
        if apart.checked is not None and apart.version == version:
            return apart.checked
        if apart.checking is None:
            apart.checking = asyncio.create_task(self._check(document, apart, version, check))
        return _earlier(apart.checked, len(version.text)) or Checked(Analysis([]), {})

    def outdate(self) -> None:
        """Check all of them again when they are next asked for: other files have changed."""
        for it in self._apart.values():
            it.version = None

    async def _check(
        self,
        document: OpenDocument,
        apart: _Apart,
        version: _Version,
        check: Callable[[str], Checked],
    ) -> None:
        began = time.monotonic()
        apart.version = version
        try:
            apart.checked = await asyncio.to_thread(check, version.text)
        except AbandonedError:
            return  # the server ends
        finally:
            apart.checking = None
        if time.monotonic() - began < ON_LOOP:
            self._apart.pop(document, None)
        # Who asks for it now is told this, or has it checked once more where it is another by now.
        self.done(document)


def _earlier(checked: Checked | None, length: int) -> Checked | None:
    """Return what was found in an earlier text, as far as it can be shown in one of that length."""
    if checked is None:
        return None
    found = [replace(it, fix=None) for it in checked.analysis.findings if it.span.end <= length]
    return Checked(Analysis(found), checked.read)
