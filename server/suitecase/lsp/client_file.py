"""Files as the client sees them, open or not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from suitecase.format.workspace import Workspace, read_text
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.lsp.uris import uri_of
from suitecase.text.lines import Lines


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file as the client knows it: its URI, and the positions of its text."""

    uri: str
    positions: Positions


class OtherFiles:
    """The files that findings of a text refer to, each read once.

    Args:
        session: the session.
        workspace: has the texts that the check read; None to read the files.
    """

    def __init__(self, session: Session, workspace: Workspace | None = None) -> None:
        self._session, self._workspace = session, workspace
        self._files: dict[Path, ClientFile] = {}

    def at(self, path: Path) -> ClientFile:
        """Return a file as the client sees it."""
        if path not in self._files:
            text = self._workspace.read(path) if self._workspace is not None else None
            if isinstance(text, str) and self._session.documents.at(path) is None:
                positions = Positions(_lines(text), self._session.encoding)
                self._files[path] = ClientFile(uri_of(path), positions)
            else:
                self._files[path], _ = client_file_at(self._session, path)
        return self._files[path]


def client_file_at(session: Session, path: Path) -> tuple[ClientFile, str]:
    """Return a file as the client sees it, with its text: the unsaved text, or that on disk."""
    document = session.documents.at(path)
    if document is not None:
        return ClientFile(document.uri, document.positions), document.text
    text = read_text(path, within=session.root_of(path))
    text = text if isinstance(text, str) else ""
    return ClientFile(uri_of(path), Positions(_lines(text), session.encoding)), text


@lru_cache(maxsize=8)
def _lines(text: str) -> Lines:
    """Return the lines of a text; label files have many, and several findings refer to each."""
    return Lines(text)
