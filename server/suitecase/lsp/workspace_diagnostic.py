"""`workspace/diagnostic`, and sending the same to clients that do not ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.lsp.documents import path_of
from suitecase.lsp.session import Session
from suitecase.lsp.workspace_check import QUIET, Report, WorkspaceCheck

#: A report for each file of a large workspace is told in parts of so many.
PART = 100

_Full = types.WorkspaceFullDocumentDiagnosticReport
_Unchanged = types.WorkspaceUnchangedDocumentDiagnosticReport
Item = _Full | _Unchanged


class WorkspaceDiagnostics:
    """Brings what is found in files that are not open to the client.

    A client that asks is answered when something has changed since it last asked: it asks again at
    once. To one that does not it is sent, if a setting says so. Those of open documents are not
    among it; see `suitecase.lsp.publishing`.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.check = WorkspaceCheck(session, self._soon)
        #: What was sent, by file.
        self._sent: dict[Path, str] = {}
        self._due: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        #: Whether something has changed since someone writes.
        self._held_back = False
        self._waiting = 0

    async def answer(
        self, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        """Answer a client that asks, as soon as there is something it does not know.

        The first time it is answered at once.
        """
        await self._session.calm.over()
        first = not self.check.is_asked
        self.check.is_asked = True
        if first:
            self.check.outdate_all()
        known = {it.uri: it.value for it in params.previous_result_ids}
        self._waiting += 1
        try:
            while True:
                self._news.clear()
                await self.check.bring_up_to_date()
                items = list(self._items(known))
                if first or any(isinstance(it, _Full) for it in items):
                    return self._told(items, params.partial_result_token)
                await self._news.wait()
        finally:
            self._waiting -= 1

    def _told(
        self, items: list[Item], token: types.ProgressToken | None
    ) -> types.WorkspaceDiagnosticReport:
        """Return the answer; where the client takes it in parts, the parts are sent before."""
        if token is None:
            return types.WorkspaceDiagnosticReport(items)
        for start in range(0, len(items), PART):
            part = types.WorkspaceDiagnosticReportPartialResult(items[start : start + PART])
            value = self._session.rpc.unstructured(part)
            self._session.progress(types.ProgressParams(token, value))
        return types.WorkspaceDiagnosticReport([])

    def _items(self, known: Mapping[str, str]) -> Iterator[Item]:
        shown = {_uri(path): report for path, report in self.check.reports.items()}
        for uri, report in shown.items():
            if known.get(uri) == report.id:
                yield _Unchanged(uri, report.id)
            else:
                yield _Full(uri, report.items, result_id=report.id)
        for uri in known.keys() - shown.keys():
            # Of an open document the client asks by itself.
            if self._session.documents.find(uri) is None:
                yield _Full(uri, [])

    def report(self, uri: str) -> Report | None:
        """Return what is known of a file that is not open."""
        path = path_of(uri)
        return self.check.reports.get(path) if path is not None else None

    def _soon(self) -> None:
        """Let the client know soon: many files may be changing at once."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(QUIET, self._now)

    def calmed(self) -> None:
        """Let the client know of what has changed while someone wrote."""
        if self._held_back and not self._session.calm.is_writing:
            self._held_back = False
            self._now()

    def _now(self) -> None:
        self._due = None
        session = self._session
        if session.calm.is_writing:
            self._held_back = True
            return
        shows_something = self.check.is_on or self._sent or self._waiting
        if session.rpc.shut_down or not shows_something:
            return
        if not session.client.pulls:
            self._task = asyncio.create_task(self._send_changes())
        elif self._waiting:
            self._news.set()
        elif self.check.is_asked:
            session.workspace_diagnostic_refresh(None)

    async def _send_changes(self) -> None:
        await self.check.bring_up_to_date()
        reports = self.check.reports
        for path in [it for it in self._sent if it not in reports]:
            del self._sent[path]
            if self._session.documents.at(path) is None:
                self._send(_uri(path), [])
        for path, report in reports.items():
            if self._sent.get(path) != report.id:
                self._sent[path] = report.id
                self._send(_uri(path), report.items)

    def opened(self, path: Path) -> str | None:
        """Leave a file to its document; returns the address under which something was sent."""
        self.check.said(path)
        return _uri(path) if self._sent.pop(path, None) is not None else None

    def closed(self, paths: Iterable[Path]) -> None:
        """Take a file over from its document: what is on the disk counts now."""
        self.check.outdate(paths)
        for path in paths:
            self.check.said(path)

    def _send(self, uri: str, items: list[types.Diagnostic]) -> None:
        self._session.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=items)
        )


def _uri(path: Path) -> str:
    return from_fs_path(str(path)) or path.as_uri()
