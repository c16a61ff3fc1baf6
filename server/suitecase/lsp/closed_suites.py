"""Suites that are not open and name a file that is: what they say of it belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from lsprotocol import types

from suitecase.lsp.documents import OpenDocument
from suitecase.suite.configuration import find_configuration
from suitecase.suite.discovery import suites_in
from suitecase.suite.workspace import Workspace, read_text


def suites_with(
    root: Path, names: Collection[str], is_over: Callable[[], bool]
) -> list[tuple[Path, str]]:
    """Return the suites of a workspace in whose text one of some names occurs, with their texts.

    Args:
        root: the root of the workspace.
        names: names of files, without their folders.
        is_over: says that nobody waits for the answer any more.
    """
    workspace = Workspace(root)
    found: list[tuple[Path, str]] = []
    for path in suites_in(root, lambda folder: find_configuration(workspace, folder)):
        if is_over():
            break
        text = read_text(path)
        if isinstance(text, str) and any(it in text for it in names):
            found.append((path, text))
    return found


def as_document(path: Path, text: str, encoding: str) -> OpenDocument:
    """Return a suite that is not open in the form of one that is."""
    return OpenDocument(types.TextDocumentItem(path.as_uri(), "", 0, text), encoding)
