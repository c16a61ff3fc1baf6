"""Open files that suites name: what is known only once these suites were checked."""

from __future__ import annotations

from suitecase.lsp.session import Session


class OpenPrompts:
    """Has the client ask again for the colours of what has become a prompt since it asked.

    A prompt is a text like any other until a suite that names it is read, which may be after it was
    opened.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def look(self) -> None:
        """Look whether suites name open documents that none named before."""
        newly = self._session.referenced_files.newly_named()
        if self._session.client.refreshes_tokens and any(map(self._session.documents.at, newly)):
            self._session.workspace_semantic_tokens_refresh(None)
