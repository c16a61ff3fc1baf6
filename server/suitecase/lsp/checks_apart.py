"""Checking in threads, for documents with slow rules, so that the server keeps answering."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from suitecase.checking.analysis import Analysis
from suitecase.format.workspace import Unreadable
from suitecase.lsp.documents import OpenDocument
from suitecase.text.lines import Lines
from suitecase.text.time_limits import ON_LOOP, AbandonedError


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings of a document, and the texts of other files they depend on."""

    analysis: Analysis
    read: Mapping[Path, str | Lines | Unreadable]


@dataclass(frozen=True, slots=True)
class _Version:
    """The input of a check: a text, and the number of edits to other documents so far."""

    text: str
    edits_beside: int


@dataclass(slots=True)
class _Apart:
    """A document that is checked in a thread, and its last result."""

    checked: Checked | None = None
    version: _Version | None = None
    checking: asyncio.Task[None] | None = None


class ChecksApart:
    """Checks documents in threads, one check per document at a time, then again if it has changed.

    Attributes:
        done: called when a document has new findings to show.
    """

    def __init__(self, edits_beside: Callable[[OpenDocument], int]) -> None:
        self.done: Callable[[OpenDocument], None] = lambda _: None
        self._edits_beside = edits_beside
        self._apart: WeakKeyDictionary[OpenDocument, _Apart] = WeakKeyDictionary()

    def is_threaded(self, document: OpenDocument) -> bool:
        """Whether a document is checked in a thread."""
        return document in self._apart

    def checked(self, document: OpenDocument, check: Callable[[str], Checked]) -> Checked:
        """Return the last result for a document, which is checked in a thread from now on.

        Args:
            document: the document.
            check: returns the result for a text of the document; runs in any thread.
        """
        apart = self._apart.setdefault(document, _Apart())
        version = _Version(document.text, self._edits_beside(document))
        if apart.checked is not None and apart.version == version:
            return apart.checked
        if apart.checking is None:
            apart.checking = asyncio.create_task(self._check(document, apart, version, check))
        return _stale(apart.checked, len(version.text)) or Checked(Analysis([]), {})

    def outdate(self) -> None:
        """Check all of them again on the next request: other files have changed."""
        for apart in self._apart.values():
            apart.version = None

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
            return  # the server is shutting down
        finally:
            apart.checking = None
        if time.monotonic() - began < ON_LOOP:
            self._apart.pop(document, None)
        # A request that comes now gets this result, or starts another check if the text has
        # changed.
        self.done(document)


def _stale(checked: Checked | None, length: int) -> Checked | None:
    """Return the result for an earlier text, as far as its spans fit a text of this length."""
    if checked is None:
        return None
    findings = [
        replace(finding, fix=None)
        for finding in checked.analysis.findings
        if finding.span.end <= length
    ]
    return Checked(Analysis(findings), checked.read)
