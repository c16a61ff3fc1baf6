"""`textDocument/codeLens`."""

from __future__ import annotations

import json
from typing import Any

from lsprotocol import types

from suitecase.ide.lenses import Lens, lenses
from suitecase.lsp.command_names import RUN_CASE, RUN_SUITE
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.syntax.garbage_collection import without_garbage_collection


def code_lens(session: Session, params: types.CodeLensParams) -> JsonText:
    """Offer to run the suite and each of its cases, with the last verdicts."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not document.has_cases:
        return JsonText("[]")
    if not session.settings_for(document).code_lens:
        return JsonText("[]")
    with without_garbage_collection():
        # There is one for each case: they are made as they are sent.
        found = lenses(document.suite, document.anchors, session.results(document))
        return JsonText(json.dumps([_value(document, it) for it in found]))


def _value(document: OpenDocument, lens: Lens) -> dict[str, Any]:
    start = document.positions.position(lens.span.start)
    end = document.positions.position(lens.span.end)
    return {
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
        "command": {
            "title": lens.title,
            "command": RUN_SUITE if lens.case is None else RUN_CASE,
            "arguments": [document.uri] if lens.case is None else [document.uri, lens.case],
        },
    }
