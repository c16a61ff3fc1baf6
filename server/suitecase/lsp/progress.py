"""Progress started by the server, which the user may cancel."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.lsp.session import Session

#: Seconds a client has to accept progress; otherwise none is shown.
ANSWER_SECONDS = 2.0
#: The minimum interval between two reports, in seconds: nobody reads faster.
REPORT_SECONDS = 0.1


class Progress:
    """The progress of one operation; without a token, none is shown.

    `summary` is shown at the end.
    """

    def __init__(self, session: Session, token: str | None) -> None:
        self._session = session
        self._token = token
        self._reported = 0.0
        self._due: asyncio.TimerHandle | None = None
        self.summary: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the client shows the progress."""
        return self._token is not None

    def report(self, message: str | None, done: int, of: int) -> None:
        """Report the current step and the share completed; throttled."""
        if self._token is None:
            return
        if self._due is not None:
            self._due.cancel()
        report = types.WorkDoneProgressReport(message=message, percentage=100 * done // (of or 1))
        loop = asyncio.get_running_loop()
        self._due = loop.call_at(self._reported + REPORT_SECONDS, self._report, self._token, report)

    def _report(self, token: str, report: types.WorkDoneProgressReport) -> None:
        self._due = None
        self._reported = asyncio.get_running_loop().time()
        self._session.work_done_progress.report(token, report)

    def begin(self, title: str) -> None:
        if self._token is not None:
            self._session.work_done_progress.begin(
                self._token,
                types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0),
            )

    def end(self) -> None:
        if self._due is not None:
            self._due.cancel()
        if self._token is not None:
            self._session.work_done_progress.end(
                self._token, types.WorkDoneProgressEnd(message=self.summary)
            )


@asynccontextmanager
async def progress(
    session: Session, title: str, cancel: Callable[[], object]
) -> AsyncIterator[Progress]:
    """Show progress during an operation.

    Args:
        session: the session of the client that shows it, if it supports progress.
        title: the operation.
        cancel: called when the user cancels.
    """
    tokens = session.work_done_progress.tokens
    token = str(uuid.uuid4())
    accepted = session.client.shows_progress and await _created(session, token)
    reporter = Progress(session, token if accepted else None)
    if accepted:
        tokens[token].add_done_callback(
            lambda cancelled_token: cancel() if cancelled_token.cancelled() else None
        )
    reporter.begin(title)
    try:
        yield reporter
    finally:
        reporter.end()
        tokens.pop(token, None)  # pygls would keep it forever


async def _created(session: Session, token: str) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await session.work_done_progress.create_async(token)
    except (JsonRpcException, TimeoutError):
        return False
    return True
