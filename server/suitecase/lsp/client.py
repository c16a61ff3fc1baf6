"""What the client said it can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
        creates_files: it makes a file together with edits.
        applies_edits: it makes edits that the server asks for.
        links_definitions: it underlines a whole name that leads to its definition.
        nests_symbols: it shows an outline with levels.
        refreshes_hints: it can be told to ask for inlay hints again.
        refreshes_tokens: it can be told to ask for semantic tokens again.
        shows_documents: it opens a document that the server asks it to open.
        explores_tests: it has a view of tests, and is told how they do.
        takes_snippets: it fills in the places of snippets.
        inserts_or_replaces: it lets the person choose whether the rest of a word is replaced.
        keeps_indentation: it writes the lines of a completion as they are, if it is told to.
        markdown_in_completions: it shows Markdown beside completions.
        tells_settings: it can be asked for settings, by folder.
        tells_changed_settings: it can be asked to tell that settings have changed.
        most_folds: how many foldable ranges of a document it takes; None where it takes any.
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
        """Read what a client declares when it starts.

        Args:
            capabilities: what the protocol has words for, and `experimental`.
            options: the initialization options, in which a client says the same that cannot
                declare anything experimental.
        """

        def can(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
        item = "text_document.completion.completion_item"
        modes = get_capability(capabilities, f"{item}.insert_text_mode_support.value_set", ()) or ()
        made = (
            get_capability(capabilities, "workspace.workspace_edit.resource_operations", None) or ()
        )
        shown = get_capability(capabilities, f"{item}.documentation_format", None) or ()
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
            and types.ResourceOperationKind.Create in made,
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
            markdown_in_completions=types.MarkupKind.Markdown in shown,
            tells_settings=can("workspace.configuration"),
            tells_changed_settings=can("workspace.did_change_configuration.dynamic_registration"),
            most_folds=get_capability(
                capabilities, "text_document.folding_range.range_limit", None
            ),
        )


def _has_test_explorer(said: Any) -> bool:
    """Whether `testExplorer` is said, alone or under `suitecase`."""
    if not isinstance(said, Mapping):
        return False
    return said.get("testExplorer") is True or _has_test_explorer(said.get("suitecase"))
