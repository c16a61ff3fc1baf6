"""A typical editing session, with the capabilities that recorded editors declare."""

from __future__ import annotations

import pytest
from lsprotocol import types

from support.lsp.recorded_editors import RecordedEditor
from support.suites.slow import GREET

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_person_checks_mends_and_runs_a_case(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    async with editor.opened("greet.eval.yaml", GREET) as suite:
        # A mistake is shown while it is typed, at its place, and can be mended there.
        suite.change("    expected_outcome: Says hello", "    outcome: Says hello 😀 # é")
        (found,) = await suite.found(lambda it: len(it) == 1)
        assert (found.code, found.range) == ("SC602", suite.range("outcome: Says hello 😀", 7))
        here = types.Range(*[suite.position("outcome: Says hello 😀", 2)] * 2)
        asked = types.CodeActionParams(suite.id, here, types.CodeActionContext([]))
        offered = await editor.text_document_code_action_async(asked)
        fix, ignore, *runs = offered or []
        assert isinstance(fix, types.CodeAction)
        assert fix.is_preferred
        (edit,) = editor.edits_of(fix.edit)[suite.uri]
        assert (edit.range, edit.new_text) == (found.range, "expected_outcome")
        assert ignore.title == "Ignore SC602 (legacy-key) here"
        assert [it.title for it in runs] == [
            "Migrate this suite",
            "Run case `greet`",
            "Run all cases",
            "Explain SC602 (legacy-key)",
        ]
        suite.change("outcome: Says hello 😀", f"{edit.new_text}: Says hello 😀")
        assert await suite.found(lambda it: not it) == []

        # A key says what it means.
        place = types.Position(3, 6)
        hover = await editor.text_document_hover_async(types.HoverParams(suite.id, place))
        assert "What a good answer achieves." in str(hover)

        # A lens runs the case; what it missed stands at the rubric.
        asked_lenses = types.CodeLensParams(suite.id)
        lenses = await editor.text_document_code_lens_async(asked_lenses) or []
        (command,) = [it.command for it in lenses if it.range.start.line == 1]
        assert command is not None
        assert command.title == "▶ Run case"
        execute = types.ExecuteCommandParams(command.command, command.arguments)
        await editor.workspace_execute_command_async(execute)
        verdict, miss = await suite.found(lambda it: len(it) == 2)
        assert verdict.source == miss.source == "suitecase run"
        assert verdict.range == suite.range("greet")
        assert verdict.message.startswith("fail 0.50")
        assert miss.range == suite.range("zebra\n", 5)
        place = types.Position(1, 3)
        hover = await editor.text_document_hover_async(types.HoverParams(suite.id, place))
        assert "✗ fail 0.50" in str(hover)
        lenses = await editor.text_document_code_lens_async(asked_lenses) or []
        assert "✗ fail 0.50" in str(lenses[1])
