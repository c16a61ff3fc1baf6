"""What the client was sent for files that are not open: the only record of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session


class _Sent(NamedTuple):
    """The URI for which diagnostics were sent, and these as JSON."""

    uri: str
    items: str


class PushedFiles:
    """Sends what is to be shown for files that are not open, as a difference to what was sent last.

    What is to be shown follows from the open texts, the files on disk and the settings, and is
    computed by `Publisher`; nothing else is remembered of a file than what the client has of it.

    Args:
        session: the client's session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sent: dict[Path, _Sent] = {}

    @property
    def paths(self) -> set[Path]:
        """The files for which the client has diagnostics."""
        return set(self._sent)

    def show(self, path: Path, uri: str, items: Sequence[types.Diagnostic]) -> None:
        """Make these diagnostics the ones that the client has of a file."""
        before = self._sent.get(path)
        if before is not None and before.uri != uri:
            self._send(before.uri, "[]")
            before = None
        text = json.dumps(self._session.rpc.unstructured(list(items)))
        if text == (before.items if before is not None else "[]"):
            return
        if items:
            self._sent[path] = _Sent(uri, text)
        else:
            self._sent.pop(path, None)
        self._send(uri, text)

    def hand_over(self, path: Path) -> str | None:
        """Leave a file to its open document; returns the URI for which the client has diagnostics."""
        sent = self._sent.pop(path, None)
        return sent.uri if sent is not None else None

    def _send(self, uri: str, items: str) -> None:
        params = JsonText(f'{{"uri": {json.dumps(uri)}, "diagnostics": {items}}}')
        self._session.rpc.notify_of(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
