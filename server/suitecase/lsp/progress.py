"""Progress that the server begins, and the person may cancel."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.lsp.session import Session

#: A client that has not answered by then, in seconds, shows no progress.
ANSWER_SECONDS = 2.0
#: Between two reports at least so many seconds pass: nobody reads faster.
REPORT_SECONDS = 0.1


class Progress:
    """One operation's progress; without a token nothing is shown.

    `summary` is shown at its end.
    """

    def __init__(self, session: Session, token: str | None) -> None:
        self._session = session
        self._token = token
        self._reported = 0.0
        self._due: asyncio.TimerHandle | None = None
        self.summary: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the client shows it."""
        return self._token is not None

    def report(self, message: str, done: int, of: int) -> None:
        """Say what is being done, and how much of it is done; a little later if just before."""
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
    """Show progress while something is done.

    Args:
        session: whose client shows it, if that can.
        title: what is done.
        cancel: called when the person cancels it.
    """
    tokens = session.work_done_progress.tokens
    token = str(uuid.uuid4())
    known = session.client.shows_progress and await _created(session, token)
    shown = Progress(session, token if known else None)
    if known:
        tokens[token].add_done_callback(lambda it: cancel() if it.cancelled() else None)
    shown.begin(title)
    try:
        yield shown
    finally:
        shown.end()
        tokens.pop(token, None)  # the library keeps them for good


async def _created(session: Session, token: str) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await session.work_done_progress.create_async(token)
    except (JsonRpcException, TimeoutError):
        return False
    return True
