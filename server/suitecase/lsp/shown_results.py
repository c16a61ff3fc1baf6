"""Publishing results to the client, throttled so that typing stays responsive."""

from __future__ import annotations

import asyncio
import time

from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session

#: A notification for test explorers: the results of a suite have changed.
RESULTS_CHANGED = "suitecase/resultsChanged"
#: The minimum interval between two publications of a document's results, in seconds.
QUIET = 0.1
#: The interval is also at least this many times the duration of the last publication,
RESTS = 6.0
#: and at least this many seconds per case: a client requests all lenses and hints again each time.
PER_CASE = 0.001


class ShownResults:
    """Publishes the results of documents, as diagnostics and inline."""

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._not_before: dict[str, float] = {}

    def soon(self, document: OpenDocument) -> None:
        """Publish a document's results, at once unless they were published a moment ago."""
        if document.uri in self._due:
            return
        loop = asyncio.get_running_loop()
        wait = self._not_before.get(document.uri, 0.0) - loop.time()
        if wait <= 0:
            self.now(document)
        else:
            self._due[document.uri] = loop.call_later(wait, self.now, document)

    def now(self, document: OpenDocument) -> None:
        """Publish a document's results."""
        timer = self._due.pop(document.uri, None)
        if timer is not None:
            timer.cancel()
        began = time.perf_counter()
        # It may have been closed and opened again in the meantime.
        opened = self._session.documents.find(document.uri)
        if opened is not None:
            self._publisher.publish(opened)
        if self._session.client.explores_tests:
            self._session.rpc.notify(RESULTS_CHANGED, {"uri": document.uri})
        self.refresh()
        if opened is None:
            return
        duration = time.perf_counter() - began
        cases = len(self._session.results(document).last)
        rest = max(QUIET, duration * RESTS, cases * PER_CASE)
        self._not_before[document.uri] = asyncio.get_running_loop().time() + rest

    def closed(self, document: OpenDocument) -> None:
        """Forget when results of a closed document were published."""
        self._not_before.pop(document.uri, None)

    def refresh(self) -> None:
        """Make the client request what shows results inline again."""
        if self._session.client.refreshes_lenses:
            self._session.workspace_code_lens_refresh(None)
        if self._session.client.refreshes_hints:
            self._session.workspace_inlay_hint_refresh(None)
