"""`textDocument/foldingRange`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.folding import FoldKind, folds
from suitecase.lsp.session import Session
from suitecase.lsp.written_file import written_file

_KINDS = {
    FoldKind.COMMENT: types.FoldingRangeKind.Comment,
    FoldKind.REGION: types.FoldingRangeKind.Region,
}


def folding_range(session: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Return what can be folded; whole lines, which every client can fold."""
    document = session.documents.get(params.text_document.uri)
    written = written_file(session, document) if document is not None else None
    if written is None:
        return []
    found = folds(written.document)
    most = session.client.most_folds
    if most is not None and len(found) > most:
        # Stable: of equal depth the first ones are kept.
        found = sorted(sorted(found, key=lambda it: it.depth)[:most], key=lambda it: it.first)
    return [types.FoldingRange(it.first, it.last, kind=_KINDS.get(it.kind)) for it in found]
