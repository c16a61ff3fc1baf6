"""`textDocument/documentLink`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.navigation.links import links
from suitecase.lsp.session import Session
from suitecase.lsp.surroundings import inner, scene


def document_link(
    session: Session, params: types.DocumentLinkParams
) -> list[types.DocumentLink] | None:
    """Return the names of files in a document, for those that are there."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    here = scene(session, document)
    if here.summary is None:
        return None
    return [
        types.DocumentLink(
            document.positions.range(inner(document.text, it.span)), here.uri(it.path)
        )
        for it in links(here.surroundings, here.summary)
    ]
