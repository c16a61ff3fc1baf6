"""`textDocument/selectionRange`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.editor.selection import selections
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.text.document import Document


def selection_range(
    session: Session, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """Return the ranges that the selection at each position expands to."""
    document = session.documents.get(params.text_document.uri)
    file = session.snapshot(document).file if document is not None else None
    if document is None or file is None:
        return None
    return [_nested(document, file.document, position) for position in params.positions]


def _nested(
    document: OpenDocument, parsed: Document, position: types.Position
) -> types.SelectionRange:
    *inner, outermost = selections(parsed, document.positions.offset(position))
    selection = types.SelectionRange(document.positions.range(outermost))
    for span in reversed(inner):
        selection = types.SelectionRange(document.positions.range(span), parent=selection)
    return selection
