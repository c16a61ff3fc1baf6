"""`textDocument/definition`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from lsprotocol import types

from suitecase.editor.navigation.definition import definition as definition_of
from suitecase.editor.navigation.definition import linked_at
from suitecase.editor.navigation.workspace_view import Place
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.request_context import RequestContext, request_context, run_in_thread
from suitecase.lsp.session import Session


async def definition(
    session: Session, params: types.DefinitionParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """Return the definition of the name at a position."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    context = request_context(session, document)
    summary, offset = context.summary, document.positions.offset(params.position)
    if summary is None:
        return None
    name = await run_in_thread(partial(linked_at, context.view, summary, offset))
    if name is None and document.path is not None and not session.snapshot(document).is_checked:
        from suitecase.editor.navigation.labeled_cases import LABEL_FILES

        if document.path.suffix.lower() in LABEL_FILES:
            return await _of_label(session, document, document.path, context, params.position)
    if name is None:
        found = summary.at(offset)
        if found is None:
            return None
        name = found.span
    places = await run_in_thread(partial(definition_of, context.view, summary, offset))
    return _answer(session, context, places, document.positions.range(name))


async def _of_label(
    session: Session,
    document: OpenDocument,
    path: Path,
    context: RequestContext,
    position: types.Position,
) -> list[types.Location] | list[types.LocationLink] | None:
    """Return the case, or the rubric item, of the label at a position of a label file."""
    from suitecase.editor.navigation.labeled_cases import label_cell, labeled

    found = label_cell(path, document.text, document.positions.offset(position))
    if found is None:
        return None
    label, column, span = found
    origin = document.positions.range(span)
    places = await run_in_thread(partial(labeled, context.view, path, label, column))
    return _answer(session, context, places, origin)


def _answer(
    session: Session, context: RequestContext, places: Iterable[Place], origin: types.Range
) -> list[types.Location] | list[types.LocationLink]:
    locations = [location for place in places if (location := context.location(place)) is not None]
    if not session.client.links_definitions:
        return locations
    return [
        types.LocationLink(location.uri, location.range, location.range, origin)
        for location in locations
    ]
