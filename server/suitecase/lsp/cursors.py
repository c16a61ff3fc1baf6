"""Where the cursor was last, for commands without arguments."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from lsprotocol import types

from suitecase.lsp.uris import uri_key


class Cursors:
    """The position of the client's last request, per document.

    The protocol does not report cursor positions; requests that follow the cursor reveal them.
    """

    def __init__(
        self,
        is_open: Callable[[str], bool],
        moved: Callable[[str, types.Range], None] = lambda *_: None,
    ) -> None:
        """Create it.

        Args:
            is_open: whether a document is open, by its URI.
            moved: called with the URI of a document and a position in it.
        """
        self._last: dict[str, types.Range] = {}
        self._is_open = is_open
        self._moved = moved

    def recording(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Wrap a request handler so that it records the position first."""

        def recorded(params: Any) -> Any:
            self._record(params)
            return answer(params)

        async def recorded_async(params: Any) -> Any:
            self._record(params)
            return await cast("Awaitable[Any]", answer(params))

        # pygls awaits only coroutine functions.
        return recorded_async if inspect.iscoroutinefunction(answer) else recorded

    def _record(self, params: Any) -> None:
        if not self._is_open(params.text_document.uri):
            return
        last_range = getattr(params, "range", None)
        if last_range is None:
            last_range = types.Range(params.position, params.position)
        self._last[uri_key(params.text_document.uri)] = last_range
        self._moved(params.text_document.uri, last_range)

    def forget(self, uri: str) -> None:
        """Drop the position in a document that was closed."""
        self._last.pop(uri_key(uri), None)

    def last(self, uri: str) -> types.Range | None:
        """Return the last position in a document; None if no request had one."""
        return self._last.get(uri_key(uri))
