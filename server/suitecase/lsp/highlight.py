"""`textDocument/documentHighlight`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.editor.navigation.references import highlights
from suitecase.lsp.request_context import inner, request_context, run_in_thread
from suitecase.lsp.session import Session


async def highlight(
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
    found = await run_in_thread(partial(highlights, context.view, context.summary, offset))
    kinds = (types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write)
    return [
        types.DocumentHighlight(
            document.positions.range(inner(document.text, occurrence.span)),
            kinds[occurrence.defines],
        )
        for occurrence in found
    ]
