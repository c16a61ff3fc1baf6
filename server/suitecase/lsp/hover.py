"""`textDocument/hover`."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from lsprotocol import types

from suitecase.editor.dialect_features import features_of
from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.hover import (
    Hover,
    HoverContext,
    RenderedPrompt,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
    setting_at,
)
from suitecase.editor.hover.test_results import test_result_at
from suitecase.editor.markdown import plain_text
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.named_by import naming
from suitecase.lsp.session import Session
from suitecase.run.case_prompt import FileGoneError, build_prompt


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Describe what is under the cursor: a key, a target, a judge's prompt, a case's last result."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    content = _content(session, document, document.positions.offset(params.position))
    if content is None:
        return None
    kind, text = types.MarkupKind.Markdown, content.markdown
    if not session.client.markdown:
        kind, text = types.MarkupKind.PlainText, plain_text(text)
    return types.Hover(types.MarkupContent(kind, text), document.positions.range(content.span))


def _content(session: Session, document: OpenDocument, offset: int) -> Hover | None:
    snapshot = session.snapshot(document)
    parsed = snapshot.parsed
    if snapshot.configuration is not None:
        setting = setting_at(snapshot.configuration, offset)
        return Hover(*setting) if setting is not None else None
    if snapshot.dialect_file is not None:
        file, folder = snapshot.dialect_file, snapshot.folder
        named_by = naming(session, document) if not file.is_suite else None
        found = features_of(file.dialect).hover(file, offset, folder, os.environ, named_by)
        return _with_result(session, document, offset, found)
    if parsed is None:
        named_by = naming(session, document) if document.path is not None else None
        if named_by is not None:
            features, text = features_of(named_by.suite.dialect), document.text
            return features.hover_beside(named_by, document.paths, text, offset, os.environ)
        is_prompt = session.is_named_prompt(document)
        return hover_in_prompt(document.text, offset) if is_prompt else None
    folder = snapshot.folder
    if isinstance(parsed, ParsedTargets):
        return hover_in_targets(parsed, offset, folder.shown(parsed.path), os.environ)
    path = document.path or folder.path / "untitled.eval.yaml"
    hover_context = HoverContext(path, folder, _render_prompt, is_file=document.path is not None)
    return hover_at(parsed, offset, session.results(document), datetime.now(UTC), hover_context)


def _with_result(
    session: Session, document: OpenDocument, offset: int, found: Hover | None
) -> Hover | None:
    """Return a hover on a test of another tool's suite, with the test's last result."""
    tests = session.cases_of(document)
    if not isinstance(tests, DialectTests):
        return found
    result = test_result_at(tests, offset, session.results(document), datetime.now(UTC))
    if result is None or found is None:
        return result or found
    return Hover(found.span, f"{result.markdown}\n\n---\n\n{found.markdown}")


def _render_prompt(suite: EffectiveSuite, folder: Folder) -> RenderedPrompt | str:
    """Return what judges see of the only case of a suite, as a run would send it."""
    (case,) = suite.cases
    try:
        prompt = build_prompt(case, suite, folder, takes_files=False)
    except FileGoneError as error:
        return error.message
    return RenderedPrompt(prompt.question_text, prompt.expected_messages)
