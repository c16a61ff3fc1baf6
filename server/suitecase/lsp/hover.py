"""`textDocument/hover`."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from lsprotocol import types

from suitecase.ide.hover import (
    Hover,
    HoverContext,
    RenderedPrompt,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
    setting_at,
)
from suitecase.ide.markdown import plain_text
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.run.case_prompt import FileGoneError, build_prompt
from suitecase.suite.resolve import EffectiveSuite
from suitecase.suite.target_files import ParsedTargets
from suitecase.suite.workspace import Folder


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Say what stands under the cursor: a key, a target, a judge's prompt, a case's last result."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    found = _found(session, document, document.positions.offset(params.position))
    if found is None:
        return None
    kind, text = types.MarkupKind.Markdown, found.markdown
    if not session.client.markdown:
        kind, text = types.MarkupKind.PlainText, plain_text(text)
    return types.Hover(types.MarkupContent(kind, text), document.positions.range(found.span))


def _found(session: Session, document: OpenDocument, offset: int) -> Hover | None:
    snapshot = session.snapshot(document)
    written = snapshot.parsed
    if snapshot.configuration is not None:
        setting = setting_at(snapshot.configuration, offset)
        return Hover(*setting) if setting is not None else None
    if written is None:
        is_prompt = session.is_named_prompt(document)
        return hover_in_prompt(document.text, offset) if is_prompt else None
    folder = snapshot.folder
    if isinstance(written, ParsedTargets):
        return hover_in_targets(written, offset, folder.shown(written.path), os.environ)
    path = document.path or folder.path / "untitled.eval.yaml"
    around = HoverContext(path, folder, _told, is_file=document.path is not None)
    return hover_at(written, offset, session.results(document), datetime.now(UTC), around)


def _told(suite: EffectiveSuite, folder: Folder) -> RenderedPrompt | str:
    """Return what judges see of the only case of a suite, as a run tells them."""
    (case,) = suite.cases
    try:
        told = build_prompt(case, suite, folder, takes_files=False)
    except FileGoneError as error:
        return error.message
    return RenderedPrompt(told.question_text, told.expected_messages)
