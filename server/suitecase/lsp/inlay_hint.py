"""`textDocument/inlayHint`."""

from __future__ import annotations

from lsprotocol import types

from suitecase.editor.dialect_features import features_of
from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.gate_results import gate_hints
from suitecase.editor.inlay_hints import Hint, hints
from suitecase.editor.test_hints import verdict_hints
from suitecase.format.target_files import find_targets
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.named_by import naming
from suitecase.lsp.session import Session
from suitecase.text.node import Span


def inlay_hint(session: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return hints in a range for values that apply without being written."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    shown_hints = _hints(session, document, document.positions.span(params.range))
    return [
        types.InlayHint(
            position=document.positions.position(hint.offset),
            # Without a sign of its own, a hint reads as part of the YAML before it.
            label=f"← {hint.label}",
            tooltip=hint.tooltip,
            padding_left=True,
        )
        for hint in shown_hints
    ]


def _hints(session: Session, document: OpenDocument, within: Span) -> list[Hint]:
    snapshot = session.snapshot(document)
    parsed, folder = snapshot.parsed, snapshot.folder
    kinds, results = session.settings_for(document).inlay_hints.kinds, session.results(document)
    if snapshot.dialect_file is not None:
        file = snapshot.dialect_file
        named_by = naming(session, document) if not file.is_suite else None
        found = features_of(file.dialect).hints(file, within, folder, kinds, named_by)
        tests = session.cases_of(document) if kinds.verdicts and results.last else None
        if isinstance(tests, DialectTests):
            found = sorted(
                [*found, *verdict_hints(tests, within, results.last)], key=lambda it: it.offset
            )
        return found
    if not isinstance(parsed, ParsedSuite):
        return []
    targets = find_targets(folder.workspace, folder.path)
    shown_hints = hints(parsed, within, kinds, results.last, targets)
    if kinds.gates:
        shown_hints += gate_hints(parsed, within, results)
    return shown_hints
