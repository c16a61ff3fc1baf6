"""The workspace as a request sees it, and the conversion of places to LSP locations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lsprotocol import types

from suitecase.editor.index.summary import Summary
from suitecase.editor.navigation.workspace_view import Place, WorkspaceView
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import real_path

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _ClientDocument:
    """An open document as the client has it at this moment."""

    uri: str
    version: int | None
    positions: Positions


@dataclass(slots=True)
class RequestContext:
    """The workspace view of a request, and how its places are reported to the client.

    `summary` is that of the request's document.
    """

    view: WorkspaceView
    summary: Summary | None
    encoding: str
    _documents: Mapping[Path, _ClientDocument]
    _untitled: _ClientDocument | None
    _closed: dict[Path, Positions] = field(default_factory=dict)

    def location(self, place: Place) -> types.Location | None:
        """Return a place as an LSP location; None if the file no longer exists."""
        positions = self.positions(place.path)
        if positions is None:
            return None
        return types.Location(self.uri(place.path), positions.range(place.span))

    def uri(self, path: Path | None) -> str:
        """Return the URI of a file, spelled as the client does if it is open."""
        opened = self._open(path)
        return opened.uri if opened is not None else (path or working_directory()).as_uri()

    def version(self, path: Path | None) -> int | None:
        """Return the version of an open file."""
        opened = self._open(path)
        return opened.version if opened is not None else None

    def positions(self, path: Path | None) -> Positions | None:
        """Return the positions of a file; None if it cannot be read."""
        opened = self._open(path)
        if opened is not None or path is None:
            return opened.positions if opened is not None else None
        if path not in self._closed:
            text = self.view.text(path)
            # A binary file, such as a picture, still has a start.
            self._closed[path] = Positions(Lines(text or ""), self.encoding)
        return self._closed[path]

    def _open(self, path: Path | None) -> _ClientDocument | None:
        if path is None:
            return self._untitled
        return self._documents.get(path) or self._documents.get(real_path(path))


def request_context(session: Session, document: OpenDocument) -> RequestContext:
    """Return the context of a document, with unsaved text of open files."""
    files = {it: session.snapshot(it).open_file for it in session.documents}
    own_file = files.get(document)
    view = WorkspaceView(
        session.index(session.root(document)),
        {path: files[file] for file in files for path in file.paths},
        lambda: session.rpc.shut_down,
        here=own_file,
    )
    by_document = {file: _ClientDocument(file.uri, file.version, file.positions) for file in files}
    return RequestContext(
        view,
        own_file.summary if own_file is not None else None,
        session.encoding,
        {path: by_document[file] for file in files for path in file.paths},
        by_document.get(document),
    )


def context_of_root(session: Session, root: Path) -> RequestContext:
    """Return the context of a workspace folder, with unsaved text of open files."""
    inside = [
        document
        for document in session.documents
        if document.path and session.root(document) == root
    ]
    files = {it: session.snapshot(it).open_file for it in inside}
    by_document = {file: _ClientDocument(file.uri, file.version, file.positions) for file in files}
    view = WorkspaceView(
        session.index(root),
        {path: files[file] for file in files for path in file.paths},
        lambda: session.rpc.shut_down,
    )
    by_path = {path: by_document[file] for file in files for path in file.paths}
    return RequestContext(view, None, session.encoding, by_path, None)


async def run_in_thread(lookup: Callable[[], T]) -> T:
    """Run a lookup in a thread, since it may have to wait for the disk."""
    return await asyncio.to_thread(lookup)


def inner(text: str, span: Span) -> Span:
    """Return the span of a name without its quotes, which is what a user would edit."""
    quoted = text[span.start : span.start + 1] in ("'", '"') and span.end - span.start > 1
    same = quoted and text[span.end - 1] == text[span.start]
    return Span(span.start + 1, span.end - 1) if same else span
