"""Suites that are not open and name a file that is: what they say of it belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from lsprotocol import types

from suitecase.ide.index.workspace_index import GivenUpError, WorkspaceIndex
from suitecase.lsp.documents import OpenDocument
from suitecase.suite.workspace import read_text


def suites_with(
    index: WorkspaceIndex, names: Collection[str], is_over: Callable[[], bool]
) -> list[tuple[Path, str]]:
    """Return the suites of a workspace in whose text one of some names occurs, with their texts.

    Args:
        index: the workspace.
        names: names of files, without their folders.
        is_over: says that nobody waits for the answer any more.
    """
    found: list[tuple[Path, str]] = []
    with suppress(GivenUpError):
        for path in index.files(is_over):
            if is_over():
                break
            text = read_text(path, within=index.root)
            if isinstance(text, str) and any(it in text for it in names):
                found.append((path, text))
    return found


def as_document(path: Path, text: str, encoding: str) -> OpenDocument:
    """Return a suite that is not open in the form of one that is."""
    return OpenDocument(types.TextDocumentItem(path.as_uri(), "", 0, text), encoding)
