"""Suites that are not open but name an open file: their findings for it are shown there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from lsprotocol import types

from suitecase.editor.index.workspace_index import GivenUpError, WorkspaceIndex
from suitecase.format.workspace import read_text
from suitecase.lsp.documents import OpenDocument


def suites_with(
    index: WorkspaceIndex, names: Collection[str], is_over: Callable[[], bool]
) -> list[tuple[Path, str]]:
    """Return the suites of a workspace whose text contains any of some names, with their texts.

    Args:
        index: the workspace.
        names: file names, without folders.
        is_over: whether the search is no longer needed.
    """
    suites: list[tuple[Path, str]] = []
    with suppress(GivenUpError):
        for path in index.files(is_over):
            if is_over():
                break
            text = read_text(path, within=index.root)
            if isinstance(text, str) and any(name in text for name in names):
                suites.append((path, text))
    return suites


def as_document(path: Path, text: str, encoding: str) -> OpenDocument:
    """Wrap a closed suite as an open document."""
    return OpenDocument(types.TextDocumentItem(path.as_uri(), "", 0, text), encoding)
