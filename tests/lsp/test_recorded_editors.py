"""The way of a person at an editor, with what three editors declare of themselves."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pytest_lsp import (
    ClientServerConfig,
    LanguageClient,
    client_capabilities,
    make_test_lsp_client,
)
from raw_client import PATIENCE
from slow_suite import GREET

EDITORS = ["neovim@0.11.0", "visual_studio_code@1.65.2", "emacs@29.1"]
LEGACY = GREET.replace("    expected_outcome: Says hello", "    outcome: Says hello 😀 # é")


def recorded() -> LanguageClient:
    """Return a client that also does what the recorded ones declare and the library's does not."""
    client = make_test_lsp_client()
    for method in (
        types.CLIENT_REGISTER_CAPABILITY,
        types.WORKSPACE_CODE_LENS_REFRESH,
        types.WORKSPACE_INLAY_HINT_REFRESH,
    ):
        client.feature(method)(lambda _: None)
    return client


@pytest_lsp.fixture(
    config=ClientServerConfig(
        server_command=[sys.executable, "-m", "suitecase.cli", "lsp"], client_factory=recorded
    ),
    params=EDITORS,
)  # type: ignore[untyped-decorator]  # pytest-lsp says nothing of its types
async def editor(request: Any, lsp_client: LanguageClient, tmp_path: Path) -> Any:
    params = types.InitializeParams(
        capabilities=client_capabilities(request.param), root_uri=tmp_path.as_uri()
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


async def test_a_person_checks_mends_and_runs_a_case(
    editor: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    document = types.TextDocumentIdentifier(uri)

    # A mistake is shown while it is typed, at its place, and can be mended there.
    editor.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, GREET))
    )
    change = types.TextDocumentContentChangeWholeDocument(LEGACY)
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=uri), [change]
        )
    )
    (found,) = await shown(editor, uri, lambda it: len(it) == 1)
    assert found.code == "SC602"
    assert found.range == place(3, 4, 11)
    (fix, ignore, *commands) = (
        await editor.text_document_code_action_async(
            types.CodeActionParams(document, place(3, 6, 6), types.CodeActionContext([]))
        )
        or []
    )
    assert isinstance(fix, types.CodeAction)
    assert fix.is_preferred
    assert fix.edit is not None
    assert fix.edit.changes is not None
    (edit,) = fix.edit.changes[uri]
    assert (edit.range, edit.new_text) == (found.range, "expected_outcome")
    assert ignore.title == "Ignore SC602 (legacy-key) here"
    assert [it.title for it in commands] == ["Run case `greet`", "Run all cases"]
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=3, uri=uri),
            [types.TextDocumentContentChangePartial(edit.range, edit.new_text)],
        )
    )
    await shown(editor, uri, lambda it: not it)

    # A key says what it means.
    hover = await editor.text_document_hover_async(
        types.HoverParams(document, types.Position(3, 6))
    )
    assert "What a good answer achieves." in text_of(hover)

    # A lens runs the case; what it missed stands at the rubric.
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(document)) or []
    (lens,) = [it for it in lenses if it.range.start.line == 1]
    assert lens.command is not None
    assert lens.command.title == "▶ Run case"
    await editor.workspace_execute_command_async(
        types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    )
    verdict, miss = await shown(editor, uri, lambda it: len(it) == 2)
    assert verdict.source == miss.source == "suitecase run"
    assert verdict.range == place(1, 8, 13)
    assert verdict.message.startswith("fail 0.50")
    assert miss.range == place(7, 12, 17)
    hover = await editor.text_document_hover_async(
        types.HoverParams(document, types.Position(1, 3))
    )
    assert "✗ fail 0.50" in text_of(hover)
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(document)) or []
    assert "✗ fail 0.50" in str(lenses[1].command and lenses[1].command.title)


def place(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


def text_of(hover: types.Hover | None) -> str:
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


async def shown(editor: LanguageClient, uri: str, met: Any) -> list[types.Diagnostic]:
    """Wait until the diagnostics that are shown meet a condition."""
    async with asyncio.timeout(PATIENCE):
        while uri not in editor.diagnostics or not met(editor.diagnostics[uri]):
            await editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(editor.diagnostics[uri])
