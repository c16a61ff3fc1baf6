"""`textDocument/references`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.editor.navigation.references import references as references_to
from suitecase.lsp.request_context import request_context, run_in_thread
from suitecase.lsp.session import Session


async def references(
    session: Session, params: types.ReferenceParams
) -> list[types.Location] | None:
    """Return the references to the name at a position, across the workspace."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    context = request_context(session, document)
    if context.summary is None:
        return None
    places = await run_in_thread(
        partial(
            references_to,
            context.view,
            context.summary,
            document.positions.offset(params.position),
            with_definition=params.context.include_declaration,
        )
    )
    return [location for place in places if (location := context.location(place)) is not None]
