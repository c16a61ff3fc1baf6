"""Edits of several documents, in the form that the client takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lsprotocol import types

from suitecase.format.rule import Edit
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session


class DocumentEdits(NamedTuple):
    """Edits of a document.

    Attributes:
        uri: the document, as the client spells it.
        version: the version that the edits were computed for; None if it is not open.
        edits: the edits.
    """

    uri: str
    version: int | None
    edits: Sequence[types.TextEdit]


def edits_of(document: OpenDocument, edits: Sequence[Edit]) -> DocumentEdits:
    """Return edits of an open document at its current version."""
    text_edits = [types.TextEdit(document.positions.range(edit.span), edit.text) for edit in edits]
    return DocumentEdits(document.uri, document.version, text_edits)


def workspace_edit(session: Session, changes: Sequence[DocumentEdits]) -> types.WorkspaceEdit:
    """Return edits of documents with their versions, so that a client refuses them once a text has changed.

    A client that takes no versions is given the edits alone.
    """
    if not session.client.takes_document_changes:
        return types.WorkspaceEdit(changes={change.uri: change.edits for change in changes})
    return types.WorkspaceEdit(document_changes=[text_document_edit(change) for change in changes])


def text_document_edit(change: DocumentEdits) -> types.TextDocumentEdit:
    """Return edits of a document with its version."""
    return types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri=change.uri, version=change.version),
        change.edits,
    )
