"""Where the cursor last was, for commands that are given nothing."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast
from urllib.parse import unquote

from lsprotocol import types


class Cursors:
    """The last place in each document that the client asked something about.

    The protocol does not tell where cursors are; requests that follow them do.
    """

    def __init__(self) -> None:
        self._last: dict[str, types.Range] = {}

    def following(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return the function that answers a request, which notes its place before."""

        def noting(params: Any) -> Any:
            self._note(params)
            return answer(params)

        async def noting_first(params: Any) -> Any:
            self._note(params)
            return await cast("Awaitable[Any]", answer(params))

        # The library awaits only what is declared to be a coroutine.
        return noting_first if inspect.iscoroutinefunction(answer) else noting

    def _note(self, params: Any) -> None:
        place = getattr(params, "range", None)
        if place is None:
            place = types.Range(params.position, params.position)
        self._last[unquote(params.text_document.uri)] = place

    def last(self, uri: str) -> types.Range | None:
        """Return the last place in a document; None where nothing was asked about it."""
        return self._last.get(unquote(uri))
