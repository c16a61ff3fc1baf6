"""`textDocument/codeLens`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.lenses import lenses
from suitecase.lsp.command_names import RUN_CASE, RUN_SUITE
from suitecase.lsp.session import Session


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Offer to run the suite and each of its cases, with the last verdicts."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not document.is_suite:
        return []
    if not session.settings_for(document).code_lens:
        return []
    return [
        types.CodeLens(
            document.positions.range(it.span),
            types.Command(
                it.title,
                RUN_SUITE if it.case is None else RUN_CASE,
                arguments=[document.uri] if it.case is None else [document.uri, it.case],
            ),
        )
        for it in lenses(document.suite, document.anchors, session.results(document))
    ]
