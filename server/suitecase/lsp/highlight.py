"""`textDocument/documentHighlight`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.navigation.references import highlights
from suitecase.lsp.request_context import inner, request_context
from suitecase.lsp.session import Session


def highlight(
    session: Session, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """Return the occurrences in the document of the name at a position."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    context = request_context(session, document)
    if context.summary is None:
        return None
    offset = document.positions.offset(params.position)
    kinds = (types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write)
    return [
        types.DocumentHighlight(
            document.positions.range(inner(document.text, occurrence.span)),
            kinds[occurrence.defines],
        )
        for occurrence in highlights(context.view, context.summary, offset)
    ]
