"""What a request for a name may look at, and its places in the words of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lsprotocol import types

from suitecase.ide.index.summary import Summary
from suitecase.ide.navigation.workspace_view import Place, WorkspaceView
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Shown:
    """An open document as it is at this moment."""

    uri: str
    version: int | None
    positions: Positions


@dataclass(slots=True)
class RequestContext:
    """The surroundings of a request, and how their places are told to the client.

    `summary` is that of the document that was asked about.
    """

    surroundings: WorkspaceView
    summary: Summary | None
    encoding: str
    _shown: Mapping[Path, _Shown]
    _here: _Shown | None
    _closed: dict[Path, Positions] = field(default_factory=dict)

    def location(self, place: Place) -> types.Location | None:
        """Return a place as the client knows it; None where the file is gone."""
        positions = self.positions(place.path)
        if positions is None:
            return None
        return types.Location(self.uri(place.path), positions.range(place.span))

    def uri(self, path: Path | None) -> str:
        """Return the address of a file, as the client spells it if it has it open."""
        shown = self._open(path)
        return shown.uri if shown is not None else (path or Path.cwd()).as_uri()

    def version(self, path: Path | None) -> int | None:
        """Return the version of a file that the client has open."""
        shown = self._open(path)
        return shown.version if shown is not None else None

    def positions(self, path: Path | None) -> Positions | None:
        """Return the positions of a file; None where it cannot be read."""
        shown = self._open(path)
        if shown is not None or path is None:
            return shown.positions if shown is not None else None
        if path not in self._closed:
            text = self.surroundings.text(path)
            # What is not a text, such as a picture, has a start all the same.
            self._closed[path] = Positions(Lines(text or ""), self.encoding)
        return self._closed[path]

    def _open(self, path: Path | None) -> _Shown | None:
        if path is None:
            return self._here
        return self._shown.get(path) or self._shown.get(path.resolve())


def request_context(session: Session, document: OpenDocument) -> RequestContext:
    """Return the surroundings of a document, with all that is open as it is now."""
    files = {it: session.snapshot(it).open_file for it in session.documents}
    here = files.get(document)
    surroundings = WorkspaceView(
        session.index(session.root(document)),
        {path: files[it] for it in files for path in it.paths},
        lambda: session.rpc.shut_down,
        here=here,
    )
    shown = {it: _Shown(it.uri, it.version, it.positions) for it in files}
    return RequestContext(
        surroundings,
        here.summary if here is not None else None,
        session.encoding,
        {path: shown[it] for it in files for path in it.paths},
        shown.get(document),
    )


def context_of_root(session: Session, root: Path) -> RequestContext:
    """Return a folder of the workspace, with all in it that is open as it is now."""
    inside = [it for it in session.documents if it.path and session.root(it) == root]
    files = {it: session.snapshot(it).open_file for it in inside}
    shown = {it: _Shown(it.uri, it.version, it.positions) for it in files}
    surroundings = WorkspaceView(
        session.index(root),
        {path: files[it] for it in files for path in it.paths},
        lambda: session.rpc.shut_down,
    )
    by_path = {path: shown[it] for it in files for path in it.paths}
    return RequestContext(surroundings, None, session.encoding, by_path, None)


async def run_in_thread(look: Callable[[], T]) -> T:
    """Look things up in a thread, since it may have to wait for the disk."""
    return await asyncio.to_thread(look)


def inner(text: str, span: Span) -> Span:
    """Return a name without its quotes, which is what a person would type over."""
    quoted = text[span.start : span.start + 1] in ("'", '"') and span.end - span.start > 1
    same = quoted and text[span.end - 1] == text[span.start]
    return Span(span.start + 1, span.end - 1) if same else span
