"""Getting diagnostics to the client, by push or by pull.

Never both for one file. What is shown follows from the open texts, the files on disk, the settings and the
results of runs, and not from how they came about:

- of an open document, its own findings, and those of the suites that name it, open or not;
- of a file that is not open, those of the check of the workspace if that covers the file, or else those of the
  open suites that name it.

Whatever changes leads to `_show_all` with the files that may be affected, and `PushedFiles` sends the difference.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from suitecase.evidence.governed import governed
from suitecase.lsp.checking import check_and_store
from suitecase.lsp.closed_suites import as_document, suites_with
from suitecase.lsp.diagnostic import (
    FINDINGS,
    diagnostics,
    diagnostics_of_file,
    first_diagnostics,
)
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.marks_elsewhere import mark_other_files
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.pushed import PushedFiles
from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of, uri_key, uri_of
from suitecase.lsp.workspace_diagnostic import WorkspaceDiagnostics

#: If a check is slow, it is delayed by the duration of the last one, to let more edits arrive, but
#: by no more than this, in seconds.
QUIET = 0.5
#: While the user types without a pause, findings are still published after this time, in seconds,
#: or after twice the duration of the last check.
LONGEST = 0.1
#: Checks faster than this, in seconds, are not delayed: nobody types that fast.
QUICK = 0.04
#: The options of pull diagnostics. Findings depend on other files: targets, prompts.
PULL = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=False, identifier="suitecase"
)

Report = JsonText | types.RelatedUnchangedDocumentDiagnosticReport


@dataclass(slots=True)
class _Due:
    """A document that is due for publishing, by `latest` in the time of the event loop."""

    document: OpenDocument
    latest: float
    timer: asyncio.Handle


class Publisher:
    """Publishes the diagnostics of documents, or tells a client that pulls them to do so again.

    Findings that suites report for a file they name are shown in that file.

    Args:
        session: the client's session.
        has_more: whether more messages of the client are queued.
    """

    def __init__(self, session: Session, has_more: Callable[[], bool] = lambda: False) -> None:
        self._session = session
        self._has_more = has_more
        self._due: dict[str, _Due] = {}
        #: How long the last check and publication of a document took, in seconds.
        self._took: dict[str, float] = {}
        self._sent: set[str] = set()
        self._asks_again: asyncio.TimerHandle | None = None
        self._searches: dict[str, asyncio.Task[None]] = {}
        #: What is shown for documents that are out of step, by `uri_key`.
        self._notices: dict[str, types.Diagnostic] = {}
        self._pushed = PushedFiles(session)
        self.workspace = WorkspaceDiagnostics(session, self._show_pushed)
        session.calm.released = self._show_held_back
        session.checks_apart.done = self._checked_in_thread

    def out_of_step(self, uri: str, message: str) -> None:
        """Show for a document only that its text is not known, and tell the user once."""
        start = types.Position(0, 0)
        notice = types.Diagnostic(
            types.Range(start, start), message, types.DiagnosticSeverity.Warning, source=FINDINGS
        )
        self._notices[uri_key(uri)] = notice
        if self._session.client.pulls:
            self._ask_again()
        else:
            self._send(uri, None, [notice])
        self._session.show(types.MessageType.Warning, f"{uri}: {message}")

    def in_step(self, uri: str) -> None:
        """Withdraw that the text of a document is not known."""
        if self._notices.pop(uri_key(uri), None) is not None and not self._session.client.pulls:
            self._send(uri, None, [])

    def opened(self, document: OpenDocument) -> None:
        """Publish the diagnostics of a document that was opened."""
        self.in_step(document.uri)
        for path in document.paths:
            self.workspace.opened(path)
            uri = self._pushed.hand_over(path)
            if uri is None:
                continue
            if self._session.client.pulls or uri_key(uri) != uri_key(document.uri):
                self._send(uri, None, [])
            else:
                self._sent.add(document.uri)
        closed = self._session.closed_suites
        affected: set[Path] = set()
        for uri in [it for it, suite in closed.items() if suite.paths & document.paths]:
            del closed[uri]
            affected |= self._session.referenced_files.forget(uri)
        self._show_all(affected - document.paths)
        self._session.calm.opened(document)
        self._publish_beginning(document)
        self.changed(document)
        self._search(document)

    def _show_held_back(self, uris: Iterable[str]) -> None:
        """Publish the findings of files that were held back while the user typed."""
        for uri in uris:
            document = self._session.documents.find(uri)
            path = path_of(uri)
            if document is not None:
                self._show(document)
            elif path is not None:
                self._show_all((path,))
        if not self._session.calm.is_writing:
            for document in self._session.documents:
                if self._session.place_in(document).is_left:
                    self._show(document)
        self.workspace.typing_ended()

    def _checked_in_thread(self, document: OpenDocument) -> None:
        """Publish the result of a check in a thread."""
        if document in self._session.documents:
            self._show(document)
        elif document.uri in self._session.closed_suites:
            self._show_all(check_and_store(self._session, document)[1])

    def _show(self, document: OpenDocument) -> None:
        if self._session.client.pulls:
            self._ask_again()
        else:
            self._publish_soon(document)

    def cursor_moved(self, uri: str, place: types.Range) -> None:
        """Publish the findings around the cursor if it has left those that are shown."""
        document = self._session.documents.find(uri)
        if document is None:
            return
        shown = self._session.place_in(document)
        shown.cursor = document.positions.offset(place.start)
        if shown.is_left:
            self._show(document)

    def changed(self, document: OpenDocument) -> None:
        """Publish the diagnostics of a changed document, and of the suites that name it.

        A client that pulls diagnostics does so by itself for documents it has changed.
        """
        if not self._session.client.pulls:
            self._publish_soon(document)
        self._publish_referrers(document)
        self.workspace.check.outdate(document.paths)

    def _publish_referrers(self, document: OpenDocument) -> None:
        """Publish the diagnostics of the open suites that name a document.

        Those of closed suites are in the other open documents that these name.
        """
        referenced = self._session.referenced_files
        for uri in referenced.referrers(document.paths):
            suite = self._session.documents.find(uri)
            affected = [suite]
            if suite is None:
                affected = [self._session.documents.at(it) for it in referenced.reported_by(uri)]
            for it in affected:
                if it is not None and it is not document:
                    self._show(it)

    def _publish_soon(self, document: OpenDocument) -> None:
        """Publish a document once no more edits arrive; at once if checks are fast."""
        loop = asyncio.get_running_loop()
        now, duration = loop.time(), self._took.get(document.uri, 0.0)
        latest = now + max(LONGEST, 2 * duration)
        pending = self._due.get(document.uri)
        if pending is not None:
            latest = pending.latest
            pending.timer.cancel()
        timer: asyncio.Handle
        if duration < QUICK:
            timer = loop.call_soon(self._publish_due, document.uri)
        else:
            timer = loop.call_at(
                min(now + min(duration, QUIET), latest), self._publish_due, document.uri
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
            # The client may not ask for a document that it does not show.
            self._show_all(mark_other_files(self._session, document) - document.paths)
            self._session.workspace_diagnostic_refresh(None)
            return
        began = time.perf_counter()
        texts, affected = diagnostics(self._session, document)
        self._show_all(affected)
        self._refresh_prompts()
        is_checked = self._session.snapshot(document).is_checked
        if is_checked or texts or document.uri in self._sent:
            self._send_json(document.uri, document.version, texts)
        if is_checked or texts:
            self._sent.add(document.uri)
        else:
            self._sent.discard(document.uri)
        self._took[document.uri] = time.perf_counter() - began

    def _publish_beginning(self, document: OpenDocument) -> None:
        """Publish what is found in the first cases of a long document, before all of it is read.

        A client that pulls diagnostics gets one answer, and so waits for all of them. The first cases
        are checked all the same, since what this asks of them is asked of all (`OpenDocument`).
        """
        texts = first_diagnostics(self._session, document)
        if texts and not self._session.client.pulls:
            self._send_json(document.uri, document.version, texts)
            self._sent.add(document.uri)

    def _forget_due(self, document: OpenDocument) -> None:
        due = self._due.pop(document.uri, None)
        if due is not None:
            due.timer.cancel()

    def report(self, params: types.DocumentDiagnosticParams) -> Report:
        """Answer a pull request for diagnostics."""
        document = self._session.documents.get(params.text_document.uri)
        items = "[]"
        if document is not None:
            texts, affected = diagnostics(self._session, document)
            self._show_all(affected)
            self._refresh_prompts()
            items = f"[{', '.join(texts)}]"
        elif (notice := self._notices.get(uri_key(params.text_document.uri))) is not None:
            items = f"[{json.dumps(self._session.rpc.unstructured(notice))}]"
        elif (stored := self.workspace.report(params.text_document.uri)) is not None:
            items = json.dumps(self._session.rpc.unstructured(stored.items))
        result_id = hashlib.sha256(items.encode()).hexdigest()[:24]
        if result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return JsonText(f'{{"kind": "full", "resultId": "{result_id}", "items": {items}}}')

    def publish_all(self, changed: Iterable[Path] | None = None) -> None:
        """Publish for all open documents, since a file or folder has changed.

        Args:
            changed: the files whose texts have changed, if that is all; None if files were created
                or deleted, or a change affects many.
        """
        self._session.snapshots.outdate()
        self._session.checks_apart.outdate()
        if changed is None:
            self.workspace.check.outdate_all()
        else:
            self.workspace.check.outdate(changed)
        files = self._pushed.paths
        if self._session.client.pulls:
            self._session.workspace_diagnostic_refresh(None)
            # What they report for other files is pushed, whether or not the client asks for theirs.
            for document in self._session.documents:
                if self._session.snapshot(document).is_checked:
                    files |= check_and_store(self._session, document)[1]
        else:
            for document in self._session.documents:
                self._publish_soon(document)
        opened = {path for it in self._session.documents for path in it.paths}
        files |= self._session.referenced_files.paths | self._session.marked_files.paths
        self._show_all(files - opened)
        self._search_all()
        self._refresh_lenses()

    def _refresh_lenses(self) -> None:
        """Make the client request lenses again if some depend on labels, calibrations or locks."""
        if self._session.client.refreshes_lenses and any(
            map(self._is_governed, self._session.documents)
        ):
            self._session.workspace_code_lens_refresh(None)

    def _is_governed(self, document: OpenDocument) -> bool:
        snapshot = self._session.snapshot(document)
        suite = snapshot.suite
        return suite is not None and governed(suite, snapshot.folder, document.path) is not None

    def closed(self, document: OpenDocument) -> None:
        """Clear a document's diagnostics, and what it reports for other files."""
        self._forget_due(document)
        searching = self._searches.pop(document.uri, None)
        if searching is not None:
            searching.cancel()
        self._session.calm.end()
        self._session.calm.forget(document.uri)
        self._took.pop(document.uri, None)
        if document.uri in self._sent:
            self._sent.remove(document.uri)
            self._send(document.uri, None, [])
        affected = self._drop_closed_suites(document)
        affected |= self._session.referenced_files.forget(document.uri)
        affected |= self._session.marked_files.forget(document.uri)
        self._show_all(affected | document.paths)
        # From now on, the file on disk counts.
        self.workspace.closed(document.paths)
        self._publish_referrers(document)
        self._search_all()

    def _drop_closed_suites(self, document: OpenDocument) -> set[Path]:
        """Drop closed suites that no longer name an open document.

        Returns:
            the files they had findings for.
        """
        referenced = self._session.referenced_files
        affected: set[Path] = set()
        still_referring = {
            uri for it in self._session.documents for uri in referenced.referrers(it.paths)
        }
        for uri in set(referenced.referrers(document.paths)) - still_referring:
            if self._session.closed_suites.pop(uri, None) is not None:
                affected |= referenced.forget(uri)
        return affected

    def _show_all(self, paths: Iterable[Path]) -> None:
        """Publish what is to be shown of some files, as far as it differs from what is."""
        for path in sorted(paths):
            document = self._session.documents.at(path)
            if document is None:
                self._show_closed(path)
            else:
                self._show(document)

    def _show_closed(self, path: Path) -> None:
        if uri_key(uri_of(path)) in self._notices:
            return
        if not self.workspace.check.covers_file(path):
            self._pushed.show(path, *diagnostics_of_file(self._session, path))
            return
        self.workspace.check.external_findings_changed(path)
        if self._session.client.pulls:
            self._pushed.show(path, uri_of(path), [])

    def _show_pushed(self) -> None:
        """Show what the check of the workspace has found; a client that pulls it is sent none of it."""
        if self._session.client.pulls:
            self._show_all(self._pushed.paths)
            return
        reports = self.workspace.check.reports
        for path in sorted(reports.keys() | self._pushed.paths):
            is_open = self._session.documents.at(path) is not None
            if is_open or uri_key(uri_of(path)) in self._notices:
                continue
            if self.workspace.check.covers_file(path):
                report = reports.get(path)
                self._pushed.show(path, uri_of(path), report.items if report is not None else [])

    def _search_all(self) -> None:
        for document in self._session.documents:
            self._search(document)

    def _search(self, document: OpenDocument) -> None:
        """Look for closed suites that name a document that is not a YAML file.

        YAML files are numerous, and are not prompts.
        """
        if (
            document.path is None
            or document.path.suffix in (".yaml", ".yml")
            or self._session.snapshot(document).is_checked
        ):
            return
        pending = self._searches.pop(document.uri, None)
        if pending is not None:
            pending.cancel()
        self._searches[document.uri] = asyncio.create_task(self._find_closed_suites(document))

    async def _find_closed_suites(self, document: OpenDocument) -> None:
        session = self._session

        def is_over() -> bool:
            return session.rpc.shut_down or document not in session.documents

        names = {path.name for path in document.paths}
        index = session.index(session.root(document))
        candidates = await asyncio.to_thread(suites_with, index, names, is_over)
        if is_over():
            return
        before = set(session.referenced_files.referrers(document.paths))
        stale = session.closed_suites.keys() & before
        changed: set[Path] = set()
        for path, text in candidates:
            if session.documents.at(path) is None:
                suite = as_document(path, text, session.encoding)
                session.closed_suites[suite.uri] = suite
                changed |= check_and_store(session, suite)[1]
                stale.discard(suite.uri)
                if not self._names_open_documents(suite.uri):
                    stale.add(suite.uri)
        for uri in stale:
            del session.closed_suites[uri]
            changed |= session.referenced_files.forget(uri)
        self._refresh_prompts()
        self._show_all(changed)

    def _names_open_documents(self, uri: str) -> bool:
        """Whether the findings of a suite depend on an open document."""
        referrers = self._session.referenced_files.referrers
        return any(uri in referrers(document.paths) for document in self._session.documents)

    def _send_json(self, uri: str, version: int | None, texts: list[JsonText]) -> None:
        head = json.dumps({"uri": uri} | ({} if version is None else {"version": version}))
        params = JsonText(f'{head[:-1]}, "diagnostics": [{", ".join(texts)}]}}')
        self._session.rpc.notify_of(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def _send(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None:
        self._session.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=items)
        )

    def _refresh_prompts(self) -> None:
        """Refresh the semantic tokens of files that have become prompts.

        The suites that name an open text may be read after it was opened.
        """
        newly = self._session.referenced_files.newly_named()
        if self._session.client.refreshes_tokens and any(map(self._session.documents.at, newly)):
            self._session.workspace_semantic_tokens_refresh(None)
