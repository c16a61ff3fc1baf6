"""The client's capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True, slots=True)
class Client:
    """What a client can do, as far as the server needs to know.

    Attributes:
        pulls: it asks for diagnostics and supports being told to refresh them. Without the latter,
            results of a run would not appear before the next edit.
        related_information: it shows the related locations of a diagnostic.
        markdown: it renders Markdown in hovers.
        refreshes_lenses: it can be told to request lenses again.
        shows_progress: it shows progress started by the server, and can cancel it.
        watches_files: it can be asked to watch files.
        takes_document_changes: it accepts versioned edits of several files.
        creates_files: it can create a file along with edits.
        applies_edits: it applies edits sent by the server.
        links_definitions: it underlines the whole name that links to a definition.
        nests_symbols: it shows a hierarchical outline.
        refreshes_hints: it can be told to request inlay hints again.
        refreshes_tokens: it can be told to request semantic tokens again.
        shows_documents: it opens a document when the server asks it to.
        explores_tests: it has a test explorer, and is sent test states.
        takes_snippets: it supports snippet placeholders.
        inserts_or_replaces: it lets the user choose whether a completion replaces the rest of a
            word.
        keeps_indentation: it can insert the lines of a completion without re-indenting them.
        markdown_in_completions: it renders Markdown in the documentation of completions.
        tells_settings: it can be asked for settings, by folder.
        tells_changed_settings: it can be asked to notify of changed settings.
        most_folds: how many folding ranges it accepts for a document; None for any number.
    """

    pulls: bool = False
    related_information: bool = False
    markdown: bool = False
    refreshes_lenses: bool = False
    shows_progress: bool = False
    watches_files: bool = False
    takes_document_changes: bool = False
    creates_files: bool = False
    applies_edits: bool = False
    links_definitions: bool = False
    nests_symbols: bool = False
    refreshes_hints: bool = False
    refreshes_tokens: bool = False
    shows_documents: bool = False
    explores_tests: bool = False
    takes_snippets: bool = False
    inserts_or_replaces: bool = False
    keeps_indentation: bool = False
    markdown_in_completions: bool = False
    tells_settings: bool = False
    tells_changed_settings: bool = False
    most_folds: int | None = None

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities, options: Any = None) -> Client:
        """Read the capabilities a client declares in `initialize`.

        Args:
            capabilities: the standard capabilities, and `experimental`.
            options: the initialization options, for clients that cannot declare anything
                experimental.
        """

        def can(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
        item = "text_document.completion.completion_item"
        modes = get_capability(capabilities, f"{item}.insert_text_mode_support.value_set", ()) or ()
        operations = (
            get_capability(capabilities, "workspace.workspace_edit.resource_operations", None) or ()
        )
        documentation_formats = (
            get_capability(capabilities, f"{item}.documentation_format", None) or ()
        )
        return cls(
            pulls=get_capability(capabilities, "text_document.diagnostic", None) is not None
            and can("workspace.diagnostics.refresh_support"),
            related_information=can("text_document.publish_diagnostics.related_information"),
            markdown=types.MarkupKind.Markdown in formats,
            refreshes_lenses=can("workspace.code_lens.refresh_support"),
            shows_progress=can("window.work_done_progress"),
            watches_files=can("workspace.did_change_watched_files.dynamic_registration"),
            takes_document_changes=can("workspace.workspace_edit.document_changes"),
            creates_files=can("workspace.workspace_edit.document_changes")
            and types.ResourceOperationKind.Create in operations,
            applies_edits=can("workspace.apply_edit"),
            links_definitions=can("text_document.definition.link_support"),
            nests_symbols=can("text_document.document_symbol.hierarchical_document_symbol_support"),
            shows_documents=can("window.show_document.support"),
            explores_tests=_has_test_explorer(capabilities.experimental)
            or _has_test_explorer(options),
            refreshes_hints=can("workspace.inlay_hint.refresh_support"),
            refreshes_tokens=can("workspace.semantic_tokens.refresh_support"),
            takes_snippets=can(f"{item}.snippet_support"),
            inserts_or_replaces=can(f"{item}.insert_replace_support"),
            keeps_indentation=types.InsertTextMode.AsIs in modes,
            markdown_in_completions=types.MarkupKind.Markdown in documentation_formats,
            tells_settings=can("workspace.configuration"),
            tells_changed_settings=can("workspace.did_change_configuration.dynamic_registration"),
            most_folds=get_capability(
                capabilities, "text_document.folding_range.range_limit", None
            ),
        )


def _has_test_explorer(options: Any) -> bool:
    """Whether `testExplorer` is set, at the top level or under `suitecase`."""
    if not isinstance(options, Mapping):
        return False
    return options.get("testExplorer") is True or _has_test_explorer(options.get("suitecase"))
