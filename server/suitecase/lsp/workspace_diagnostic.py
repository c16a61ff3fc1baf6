"""`workspace/diagnostic`, and pushing the same to clients that do not pull."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from lsprotocol import types

from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of, uri_of
from suitecase.lsp.workspace_check import QUIET, Report, WorkspaceCheck

#: The report on a large workspace is sent in parts of this many files.
PART = 100

_Full = types.WorkspaceFullDocumentDiagnosticReport
_Unchanged = types.WorkspaceUnchangedDocumentDiagnosticReport
Item = _Full | _Unchanged


class WorkspaceDiagnostics:
    """Brings the diagnostics of files that are not open to the client.

    A pull request is answered when something has changed since the last one: the client sends the
    next one right away. Clients that do not pull are sent the diagnostics if a setting says so.
    Those of open documents are not included; see `suitecase.lsp.publishing`.
    """

    def __init__(self, session: Session, show: Callable[[], None]) -> None:
        """Create it.

        Args:
            session: the client's session.
            show: called to push what the check has found, or to withdraw what is pulled from now on.
        """
        self._session = session
        self._show = show
        self.check = WorkspaceCheck(session, self._soon)
        #: Whether the check may have shown something.
        self._has_shown = False
        self._due: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        #: Whether something has changed while the user types.
        self._held_back = False
        self._waiting = 0

    async def answer(
        self, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        """Answer a pull request, as soon as there is something new to report.

        The first one is answered immediately.
        """
        await self._session.calm.over()
        first = not self.check.is_asked
        self.check.is_asked = True
        if first:
            self.check.outdate_all()
            self._show()
        previous = {it.uri: it.value for it in params.previous_result_ids}
        self._waiting += 1
        try:
            while True:
                self._news.clear()
                await self.check.bring_up_to_date()
                items = list(self._items(previous))
                if first or any(isinstance(item, _Full) for item in items):
                    return self._report_of(items, params.partial_result_token)
                await self._news.wait()
        finally:
            self._waiting -= 1

    def _report_of(
        self, items: list[Item], token: types.ProgressToken | None
    ) -> types.WorkspaceDiagnosticReport:
        """Return the answer; if the client accepts partial results, they are sent first."""
        if token is None:
            return types.WorkspaceDiagnosticReport(items)
        for start in range(0, len(items), PART):
            part = types.WorkspaceDiagnosticReportPartialResult(items[start : start + PART])
            value = self._session.rpc.unstructured(part)
            self._session.progress(types.ProgressParams(token, value))
        return types.WorkspaceDiagnosticReport([])

    def _items(self, previous: Mapping[str, str]) -> Iterator[Item]:
        reports = {_uri(path): report for path, report in self.check.reports.items()}
        for uri, report in reports.items():
            if previous.get(uri) == report.id:
                yield _Unchanged(uri, report.id)
            else:
                yield _Full(uri, report.items, result_id=report.id)
        for uri in previous.keys() - reports.keys():
            # The client pulls those of open documents by itself.
            if self._session.documents.find(uri) is None:
                yield _Full(uri, [])

    def report(self, uri: str) -> Report | None:
        """Return the report on a file that is not open."""
        path = path_of(uri)
        return self.check.reports.get(path) if path is not None else None

    def _soon(self) -> None:
        """Notify the client soon: many files may be changing at once."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(QUIET, self._now)

    def typing_ended(self) -> None:
        """Notify the client of changes that were held back while the user typed."""
        if self._held_back and not self._session.calm.is_writing:
            self._held_back = False
            self._now()

    def _now(self) -> None:
        self._due = None
        session = self._session
        if session.calm.is_writing:
            self._held_back = True
            return
        shows_something = self.check.is_on or self._has_shown or self._waiting
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
        self._has_shown = bool(self.check.reports)
        self._show()

    def opened(self, path: Path) -> None:
        """Leave a file to its open document."""
        self.check.external_findings_changed(path)

    def closed(self, paths: Iterable[Path]) -> None:
        """Take a file back from its document: from now on, the file on disk counts."""
        self.check.outdate(paths)
        for path in paths:
            self.check.external_findings_changed(path)


def _uri(path: Path) -> str:
    return uri_of(path)
