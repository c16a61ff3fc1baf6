"""Bringing results to the screen, no more often than typing can bear."""

from __future__ import annotations

import asyncio
import time

from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session

#: A notification for clients with a view of tests: the results of a suite are others.
RESULTS_CHANGED = "suitecase/resultsChanged"
#: Between two times of showing the results of a document at least so much passes, in seconds.
QUIET = 0.1
#: And so many times as long as showing them took.
RESTS = 6.0
#: And so many seconds for each case: a client asks for all lenses and hints again each time.
PER_CASE = 0.001


class ShownResults:
    """Shows the results of documents, as diagnostics and beside the text."""

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._not_before: dict[str, float] = {}

    def soon(self, document: OpenDocument) -> None:
        """Show a document's results, at once if that was not done just before."""
        if document.uri in self._due:
            return
        loop = asyncio.get_running_loop()
        wait = self._not_before.get(document.uri, 0.0) - loop.time()
        if wait <= 0:
            self.now(document)
        else:
            self._due[document.uri] = loop.call_later(wait, self.now, document)

    def now(self, document: OpenDocument) -> None:
        """Show a document's results."""
        timer = self._due.pop(document.uri, None)
        if timer is not None:
            timer.cancel()
        began = time.perf_counter()
        # It may have been closed and opened again since.
        opened = self._session.documents.find(document.uri)
        if opened is not None:
            self._publisher.publish(opened)
        if self._session.client.explores_tests:
            self._session.rpc.notify(RESULTS_CHANGED, {"uri": document.uri})
        self.refresh()
        took = time.perf_counter() - began
        cases = len(self._session.results(document).last)
        rest = max(QUIET, took * RESTS, cases * PER_CASE)
        self._not_before[document.uri] = asyncio.get_running_loop().time() + rest

    def refresh(self) -> None:
        """Let the client ask again for what shows results beside the text."""
        if self._session.client.refreshes_lenses:
            self._session.workspace_code_lens_refresh(None)
        if self._session.client.refreshes_hints:
            self._session.workspace_inlay_hint_refresh(None)
