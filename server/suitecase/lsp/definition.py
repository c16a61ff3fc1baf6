"""`textDocument/definition`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.ide.navigation.definition import definition as definition_of
from suitecase.lsp.request_context import request_context, run_in_thread
from suitecase.lsp.session import Session


async def definition(
    session: Session, params: types.DefinitionParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """Return the definition of the name at a position."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    context = request_context(session, document)
    if context.summary is None:
        return None
    offset = document.positions.offset(params.position)
    occurrence = context.summary.at(offset)
    if occurrence is None:
        return None
    origin = document.positions.range(occurrence.span)
    places = await run_in_thread(partial(definition_of, context.view, context.summary, offset))
    locations = [location for place in places if (location := context.location(place)) is not None]
    if not session.client.links_definitions:
        return locations
    return [
        types.LocationLink(location.uri, location.range, location.range, origin)
        for location in locations
    ]
