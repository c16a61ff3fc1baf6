"""Bringing diagnostics to the client: by sending them, or by having it ask.

Never both for one document. Those of a file that is not open are always sent: nobody asks for them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types

from suitecase.lsp.checking import check_and_store
from suitecase.lsp.closed_suites import as_document, suites_with
from suitecase.lsp.diagnostic import diagnostics, diagnostics_of_file
from suitecase.lsp.documents import OpenDocument, path_of
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.lsp.workspace_diagnostic import WorkspaceDiagnostics

#: Where checking takes long, further changes are awaited for as long as it took, in seconds, but
#: no longer than this.
QUIET = 0.5
#: Someone who types without a pause sees findings after this time all the same, in seconds, or
#: after twice the time that checking took.
LONGEST = 0.1
#: What takes less, in seconds, need not wait for anything.
QUICK = 0.005
#: How a client may ask. Findings depend on other files: targets, prompts.
PULL = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=False, identifier="suitecase"
)

Report = JsonText | types.RelatedUnchangedDocumentDiagnosticReport


@dataclass(slots=True)
class _Due:
    """A document to be published: at the latest when, in the time of the event loop."""

    document: OpenDocument
    latest: float
    timer: asyncio.Handle


class Publisher:
    """Sends the diagnostics of documents, or tells a client that asks for them to ask again.

    What suites say of a file they name is shown at that file.

    Args:
        session: the client's.
        has_more: whether messages of the client wait to be handled.
    """

    def __init__(self, session: Session, has_more: Callable[[], bool] = lambda: False) -> None:
        self._session = session
        self._has_more = has_more
        self._due: dict[str, _Due] = {}
        #: How long it took last to publish a document, in seconds.
        self._took: dict[str, float] = {}
        self._sent: set[str] = set()
        #: The addresses under which something was sent of files that are not open.
        self._closed_files: dict[Path, str] = {}
        self._asks_again: asyncio.TimerHandle | None = None
        self._searches: dict[str, asyncio.Task[None]] = {}
        self.workspace = WorkspaceDiagnostics(session)
        session.calm.released = self._show_held_back
        session.checks_apart.done = self._checked_apart

    def opened(self, document: OpenDocument) -> None:
        """Show what is found in a document that was opened."""
        for path in document.paths:
            sent = self.workspace.opened(path)
            uri = self._closed_files.pop(path, sent)
            if uri is None:
                continue
            if self._session.client.pulls or unquote(uri) != unquote(document.uri):
                self._send(uri, None, [])
            else:
                self._sent.add(document.uri)
        closed = self._session.closed_suites
        for uri in [it for it, suite in closed.items() if suite.paths & document.paths]:
            del closed[uri]
            self._session.referenced_files.forget(uri)
        self._session.calm.opened(document)
        self.changed(document)
        self._search(document)

    def _show_held_back(self, uris: Iterable[str]) -> None:
        """Show what was held back of some files while their cause was being written."""
        for uri in uris:
            document = self._session.documents.find(uri)
            path = path_of(uri)
            if document is not None:
                self._show(document)
            elif path is not None:
                self._show_closed(path)
        self.workspace.calmed()

    def _checked_apart(self, document: OpenDocument) -> None:
        """Show what was found in a thread."""
        if document in self._session.documents:
            self._show(document)
        elif document.uri in self._session.closed_suites:
            self._show_all(check_and_store(self._session, document)[1])

    def _show(self, document: OpenDocument) -> None:
        if self._session.client.pulls:
            self._ask_again()
        else:
            self._publish_soon(document)

    def changed(self, document: OpenDocument) -> None:
        """Show soon what is found in a document now, and in the suites that name it.

        A client that asks for diagnostics asks for those of what it has changed by itself.
        """
        if not self._session.client.pulls:
            self._publish_soon(document)
        self._check_namers(document)
        self.workspace.check.outdate(document.paths)

    def _check_namers(self, document: OpenDocument) -> None:
        """Show soon what is found in the open suites that name a document."""
        for uri in self._session.referenced_files.referrers(document.paths):
            suite = self._session.documents.find(uri)
            if suite is not None and suite is not document:
                self._show(suite)

    def _publish_soon(self, document: OpenDocument) -> None:
        """Publish a document once nothing more is coming: at once, unless checking takes long."""
        loop = asyncio.get_running_loop()
        now, took = loop.time(), self._took.get(document.uri, 0.0)
        latest = now + max(LONGEST, 2 * took)
        known = self._due.get(document.uri)
        if known is not None:
            latest = known.latest
            known.timer.cancel()
        timer: asyncio.Handle
        if took < QUICK:
            timer = loop.call_soon(self._publish_due, document.uri)
        else:
            timer = loop.call_at(
                min(now + min(took, QUIET), latest), self._publish_due, document.uri
            )
        self._due[document.uri] = _Due(document, latest, timer)

    def _publish_due(self, uri: str) -> None:
        due = self._due[uri]
        loop = asyncio.get_running_loop()
        if self._has_more() and loop.time() < due.latest:
            due.timer = loop.call_soon(self._publish_due, uri)
        else:
            self.publish(due.document)

    def _ask_again(self) -> None:
        if self._asks_again is None:
            loop = asyncio.get_running_loop()
            self._asks_again = loop.call_later(LONGEST, self._refresh)

    def _refresh(self) -> None:
        self._asks_again = None
        self._session.workspace_diagnostic_refresh(None)

    def publish(self, document: OpenDocument) -> None:
        """Publish a document's diagnostics now."""
        self._forget_due(document)
        if document not in self._session.documents:
            return
        if self._session.client.pulls:
            self._session.workspace_diagnostic_refresh(None)
            return
        began = time.perf_counter()
        found, others = diagnostics(self._session, document)
        self._show_all(others)
        self._refresh_prompts()
        is_checked = self._session.snapshot(document).is_checked
        if is_checked or found or document.uri in self._sent:
            self._send_json(document.uri, document.version, found)
        if is_checked or found:
            self._sent.add(document.uri)
        else:
            self._sent.discard(document.uri)
        self._took[document.uri] = time.perf_counter() - began

    def _forget_due(self, document: OpenDocument) -> None:
        due = self._due.pop(document.uri, None)
        if due is not None:
            due.timer.cancel()

    def report(self, params: types.DocumentDiagnosticParams) -> Report:
        """Answer a client that asks for diagnostics."""
        document = self._session.documents.get(params.text_document.uri)
        items = "[]"
        if document is not None:
            found, others = diagnostics(self._session, document)
            self._show_all(others)
            self._refresh_prompts()
            items = f"[{', '.join(found)}]"
        elif (known := self.workspace.report(params.text_document.uri)) is not None:
            items = json.dumps(self._session.rpc.unstructured(known.items))
        result_id = hashlib.sha256(items.encode()).hexdigest()[:24]
        if result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return JsonText(f'{{"kind": "full", "resultId": "{result_id}", "items": {items}}}')

    def publish_all(self, changed: Iterable[Path] | None = None) -> None:
        """Publish for every open document, since a file or a folder changed.

        Args:
            changed: the files whose texts have changed, where that is all; None where files have
                come or gone, or what holds for many.
        """
        self._session.snapshots.outdate()
        self._session.checks_apart.outdate()
        if changed is None:
            self.workspace.check.outdate_all()
        else:
            self.workspace.check.outdate(changed)
        if self._session.client.pulls:
            self._session.workspace_diagnostic_refresh(None)
        else:
            for document in self._session.documents:
                self._publish_soon(document)
        opened = {path for it in self._session.documents for path in it.paths}
        self._show_all(self._session.referenced_files.paths - opened)
        self._search_all()

    def closed(self, document: OpenDocument) -> None:
        """Take a document's diagnostics back, and what it says of other files."""
        self._forget_due(document)
        self._session.calm.end()
        self._session.calm.forget(document.uri)
        self._took.pop(document.uri, None)
        if document.uri in self._sent:
            self._sent.remove(document.uri)
            self._send(document.uri, None, [])
        self._drop_closed_suites(document)
        self._show_all(self._session.referenced_files.forget(document.uri) | document.paths)
        # From now on the file on the disk counts.
        self.workspace.closed(document.paths)
        self._check_namers(document)
        self._search_all()

    def _drop_closed_suites(self, document: OpenDocument) -> None:
        """Forget the suites that are not open and name no open document any more."""
        others = self._session.referenced_files
        named = {uri for it in self._session.documents for uri in others.referrers(it.paths)}
        for uri in set(others.referrers(document.paths)) - named:
            if self._session.closed_suites.pop(uri, None) is not None:
                others.forget(uri)

    def _show_all(self, paths: Iterable[Path]) -> None:
        """Show what suites say of some files now."""
        for path in sorted(paths):
            document = self._session.documents.at(path)
            if document is None:
                self._show_closed(path)
            else:
                self._show(document)

    def _show_closed(self, path: Path) -> None:
        uri, found = diagnostics_of_file(self._session, path)
        if self.workspace.check.holds(path):
            self.workspace.check.said(path)
            found = []
        if found:
            self._closed_files[path] = uri
        elif self._closed_files.pop(path, None) is None:
            return
        self._send(uri, None, found)

    def _search_all(self) -> None:
        for document in self._session.documents:
            self._search(document)

    def _search(self, document: OpenDocument) -> None:
        """Look for suites that are not open and name a document that is no YAML.

        Of YAML there is much, and it holds no prompts.
        """
        if (
            document.path is None
            or self._session.snapshot(document).is_checked
            or document.path.suffix in (".yaml", ".yml")
        ):
            return
        earlier = self._searches.pop(document.uri, None)
        if earlier is not None:
            earlier.cancel()
        self._searches[document.uri] = asyncio.create_task(self._find_closed_suites(document))

    async def _find_closed_suites(self, document: OpenDocument) -> None:
        session = self._session

        def is_over() -> bool:
            return session.rpc.shut_down or document not in session.documents

        names = {path.name for path in document.paths}
        index = session.index(session.root(document))
        found = await asyncio.to_thread(suites_with, index, names, is_over)
        if is_over():
            return
        before = set(session.referenced_files.referrers(document.paths))
        gone = session.closed_suites.keys() & before
        changed: set[Path] = set()
        for path, text in found:
            if session.documents.at(path) is None:
                suite = as_document(path, text, session.encoding)
                session.closed_suites[suite.uri] = suite
                changed |= check_and_store(session, suite)[1]
                if suite.uri in session.referenced_files.referrers(document.paths):
                    gone.discard(suite.uri)
                else:
                    gone.add(suite.uri)
        for uri in gone:
            del session.closed_suites[uri]
            changed |= session.referenced_files.forget(uri)
        self._refresh_prompts()
        if changed & document.paths:
            self._show_all(document.paths)

    def _send_json(self, uri: str, version: int | None, found: list[JsonText]) -> None:
        said = json.dumps({"uri": uri} | ({} if version is None else {"version": version}))
        params = JsonText(f'{said[:-1]}, "diagnostics": [{", ".join(found)}]}}')
        self._session.rpc.notify_of(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self._session.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )

    def _refresh_prompts(self) -> None:
        """Have the client ask again for the colors of files that have become prompts.

        Suites that name an open text may be read only after it was opened.
        """
        newly = self._session.referenced_files.newly_named()
        if self._session.client.refreshes_tokens and any(map(self._session.documents.at, newly)):
            self._session.workspace_semantic_tokens_refresh(None)
