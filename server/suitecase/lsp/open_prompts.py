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
        self._known: set[str] = set()

    def look(self) -> None:
        """Compare the open prompts with those that were there."""
        if not self._session.client.refreshes_tokens:
            return
        others = self._session.other_files
        now = {it.uri for it in self._session.documents if others.namers(it.paths)}
        become, self._known = now - self._known, now
        if become:
            self._session.workspace_semantic_tokens_refresh(None)
