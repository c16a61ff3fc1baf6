"""`textDocument/inlayHint`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.ide.gate_results import gate_hints
from suitecase.ide.inlay_hints import hints
from suitecase.lsp.session import Session
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.target_files import find_targets


def inlay_hint(session: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return hints in a range for values that apply without being written."""
    document = session.documents.get(params.text_document.uri)
    parsed = session.snapshot(document).parsed if document is not None else None
    if document is None or not isinstance(parsed, ParsedSuite):
        return []
    folder = session.snapshot(document).folder
    kinds, results = session.settings_for(document).inlay_hints.kinds, session.results(document)
    within = document.positions.span(params.range)
    targets = find_targets(folder.workspace, folder.path)
    shown_hints = hints(parsed, within, kinds, results.last, targets)
    if kinds.gates:
        shown_hints += gate_hints(parsed, within, results)
    return [
        types.InlayHint(
            position=document.positions.position(hint.offset),
            label=hint.label,
            tooltip=hint.tooltip,
            padding_left=True,
        )
        for hint in shown_hints
    ]
