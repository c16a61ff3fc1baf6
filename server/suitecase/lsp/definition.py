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
    """Say where what is named at a position is given."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    here = request_context(session, document)
    if here.summary is None:
        return None
    offset = document.positions.offset(params.position)
    found = here.summary.at(offset)
    if found is None:
        return None
    origin = document.positions.range(found.span)
    places = await run_in_thread(partial(definition_of, here.surroundings, here.summary, offset))
    locations = [it for place in places if (it := here.location(place)) is not None]
    if not session.client.links_definitions:
        return locations
    return [types.LocationLink(it.uri, it.range, it.range, origin) for it in locations]
