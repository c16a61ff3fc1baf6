"""`textDocument/documentSymbol`."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from suitecase.ide.symbols import Kind, Symbol, symbols
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.written_file import written_file
from suitecase.syntax.garbage_collection import without_garbage_collection

_KINDS = {
    Kind.SUITE: types.SymbolKind.Module,
    Kind.CASE: types.SymbolKind.Class,
    Kind.MESSAGE: types.SymbolKind.String,
    Kind.RUBRIC: types.SymbolKind.EnumMember,
    Kind.EVALUATOR: types.SymbolKind.Function,
    Kind.TARGET: types.SymbolKind.Interface,
    Kind.PROMPT: types.SymbolKind.String,
}


def document_symbol(
    session: Session, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """Return the outline; for a client that knows no levels, one symbol after the other."""
    document = session.documents.get(params.text_document.uri)
    written = written_file(session, document) if document is not None else None
    if document is None or written is None:
        return []
    with without_garbage_collection():
        found = symbols(written)
        if session.client.nests_symbols:
            return [_nested(document, it) for it in found]
        return [one for it in found for one in _flat(document, it, None)]


def _nested(document: OpenDocument, symbol: Symbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_KINDS[symbol.kind],
        range=document.positions.range(symbol.span),
        selection_range=document.positions.range(symbol.selection),
        children=[_nested(document, it) for it in symbol.children],
    )


def _flat(
    document: OpenDocument, symbol: Symbol, container: str | None
) -> Iterator[types.SymbolInformation]:
    place = types.Location(document.uri, document.positions.range(symbol.span))
    yield types.SymbolInformation(place, symbol.name, _KINDS[symbol.kind], container_name=container)
    for it in symbol.children:
        yield from _flat(document, it, symbol.name)
