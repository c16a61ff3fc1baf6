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
        takes_document_changes: it takes edits of several files with the versions they are made for.
        links_definitions: it underlines a whole name that leads to its definition.
        nests_symbols: it shows an outline with levels.
        refreshes_hints: it can be told to ask for inlay hints again.
        most_folds: how many foldable ranges of a document it takes; None where it takes any.
    """

    pulls: bool = False
    related_information: bool = False
    markdown: bool = False
    refreshes_lenses: bool = False
    shows_progress: bool = False
    watches_files: bool = False
    takes_document_changes: bool = False
    links_definitions: bool = False
    nests_symbols: bool = False
    refreshes_hints: bool = False
    most_folds: int | None = None

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
            takes_document_changes=can("workspace.workspace_edit.document_changes"),
            links_definitions=can("text_document.definition.link_support"),
            nests_symbols=can("text_document.document_symbol.hierarchical_document_symbol_support"),
            refreshes_hints=can("workspace.inlay_hint.refresh_support"),
            most_folds=get_capability(capabilities, "text_document.folding_range.range_limit", None),
        )
