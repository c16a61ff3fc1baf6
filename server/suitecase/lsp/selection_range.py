"""`textDocument/selectionRange`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.selection import selections
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.syntax.document import Document


def selection_range(
    session: Session, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """Return what the selection at each position grows to."""
    document = session.documents.get(params.text_document.uri)
    written = session.snapshot(document).parsed if document is not None else None
    if document is None or written is None:
        return None
    return [_growing(document, written.document, it) for it in params.positions]


def _growing(
    document: OpenDocument, parsed: Document, position: types.Position
) -> types.SelectionRange:
    *inner, outermost = selections(parsed, document.positions.offset(position))
    found = types.SelectionRange(document.positions.range(outermost))
    for span in reversed(inner):
        found = types.SelectionRange(document.positions.range(span), parent=found)
    return found
