"""The files around a document as the last check found them, taken over while someone types."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from suitecase.lsp.documents import Documents, OpenDocument
from suitecase.suite.workspace import Workspace

#: What is on the disk is looked at again after this time, in seconds, also where no client tells
#: that a file has changed.
RECENT = 1.0


@dataclass(frozen=True, slots=True)
class _Recent:
    workspace: Workspace
    made: float
    #: How many edits of open documents there were when it was made.
    edits: int


class RecentWorkspaces:
    """A workspace for each document, until a file it may have read has changed."""

    def __init__(self) -> None:
        self._recent: WeakKeyDictionary[OpenDocument, _Recent] = WeakKeyDictionary()

    def of(self, document: OpenDocument, root: Path, documents: Documents) -> Workspace:
        """Return the files around a document, with what is open as it stands in the editor."""
        known = self._recent.get(document)
        now = time.monotonic()
        beside = documents.edits_beside(document)
        if known is not None and now - known.made < RECENT and beside <= known.edits:
            workspace = known.workspace
            if workspace.root == root and document.paths.isdisjoint(workspace.texts_read):
                workspace.open_texts = documents.texts()
                return workspace
        workspace = Workspace(root, documents.texts())
        self._recent[document] = _Recent(workspace, now, documents.edits)
        return workspace

    def forget(self) -> None:
        """Forget what files said: some have changed."""
        self._recent.clear()
