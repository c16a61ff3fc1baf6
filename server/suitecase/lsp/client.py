"""What the client said it can do."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True, slots=True)
class Client:
    """What a client can do, as far as it matters here.

    Attributes:
        pulls: it asks for diagnostics. Only one that can also be told to ask again counts: to
            others the results of a run could not be shown before the next edit.
        related_information: it shows other places a diagnostic has to do with.
        markdown: it shows Markdown in hovers.
        refreshes_lenses: it can be told to ask for lenses again.
        shows_progress: it shows progress that the server begins, and lets it be cancelled.
        watches_files: it can be asked to tell of changed files.
    """

    pulls: bool = False
    related_information: bool = False
    markdown: bool = False
    refreshes_lenses: bool = False
    shows_progress: bool = False
    watches_files: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """Read what a client declares when it starts."""

        def can(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
        return cls(
            pulls=get_capability(capabilities, "text_document.diagnostic", None) is not None
            and can("workspace.diagnostics.refresh_support"),
            related_information=can("text_document.publish_diagnostics.related_information"),
            markdown=types.MarkupKind.Markdown in formats,
            refreshes_lenses=can("workspace.code_lens.refresh_support"),
            shows_progress=can("window.work_done_progress"),
            watches_files=can("workspace.did_change_watched_files.dynamic_registration"),
        )
