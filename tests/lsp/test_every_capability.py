"""Every declared capability works, for each of some recorded editors.

A test says with `shows` which capabilities it is about. One that no test is about fails the last
test here. The commands are in `test_every_command.py`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lsprotocol import types

from support.lsp.recorded_editors import Document, RecordedEditor
from support.suites.editor_texts import EVERYTHING, TARGETS
from support.suites.slow import GREET

pytestmark = pytest.mark.asyncio(loop_scope="session")

Test = TypeVar("Test", bound=Callable[..., Any])
SHOWN: set[str] = set()
#: What is only offered to editors that declare something, by its path in their capabilities.
ONLY_WHERE = {
    "renameProvider.prepareProvider": "text_document.rename.prepare_support",
    "diagnosticProvider": "workspace.diagnostics",
    "workspace.fileOperations": "workspace.file_operations.will_rename",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (
        "workspace.did_change_watched_files.dynamic_registration"
    ),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (
        "workspace.did_change_configuration.dynamic_registration"
    ),
}
ENCODINGS = {"neovim": "utf-8", "visual": "utf-16", "emacs": "utf-32"}
LEGACY = GREET.replace(
    "    expected_outcome: Says hello", "    outcome: Says hello 😀 # é"
).replace("{target: mock}", "{target: small}")
EMOJI = "evalcases:\n  - {id: 😀, input: Hi, expected_outcome: x, execution: {target: echo}}\n"


def shows(*capabilities: str) -> Callable[[Test], Test]:
    """Record which capabilities a test covers."""

    def noted(test: Test) -> Test:
        SHOWN.update(capabilities)
        return test

    return noted


@pytest.fixture
def editor(recorded_editor: RecordedEditor) -> Iterator[RecordedEditor]:
    targets = recorded_editor.root / "targets.yaml"
    targets.write_text(TARGETS, "utf-8")
    (recorded_editor.root / "tone.md").write_text("Is {{ candidate_answer }} warm?\n", "utf-8")
    _tell_of(recorded_editor, targets, types.FileChangeType.Created)
    yield recorded_editor
    # Other files of tests share this editor, and their suites name no target.
    targets.unlink()
    _tell_of(recorded_editor, targets, types.FileChangeType.Deleted)


@shows("positionEncoding", "definitionProvider")
async def test_a_definition_is_asked_and_told_in_the_units_of_the_editor(
    editor: RecordedEditor,
) -> None:
    async with two_files(
        editor, "targets: [{name: 😀, provider: mock}, {name: echo, provider: mock}]\n"
    ) as (suite, targets):
        place = suite.range("echo")
        link = _only(
            await editor.text_document_definition_async(types.DefinitionParams(suite.id, place.end))
        )

    assert editor.encoding == ENCODINGS[re.split(r"[@_]", editor.name)[0]]
    assert editor.declares("text_document.definition.link_support")
    assert isinstance(link, types.LocationLink)
    assert link.origin_selection_range == place
    assert (link.target_uri, link.target_selection_range) == (targets.uri, targets.range("echo"))


@shows("textDocumentSync", "textDocumentSync.openClose", "textDocumentSync.change")
async def test_findings_follow_what_is_typed_and_go_when_the_text_is_closed(
    editor: RecordedEditor,
) -> None:
    async with editor.opened("typed.eval.yaml", LEGACY) as suite:
        (found,) = await suite.found(lambda it: len(it) == 1)
        suite.change("😀 # é", "")
        suite.change("outcome: Says hello ", "expected_outcome: Says hello")
        assert await suite.found(lambda it: not it) == []
        suite.change("Goodbye now\n", "😀 Goodbye\n    inptu: Hello\n")
        (unknown,) = await suite.found(lambda it: len(it) == 1)
        place = suite.range("inptu")
    if not editor.declares("workspace.diagnostics"):
        await editor.until(lambda: not editor.diagnostics[suite.uri])

    assert (found.code, found.severity, found.source) == ("SC602", 2, "suitecase")
    assert found.code_description.href.endswith("legacy-key.md")
    assert [*found.tags] == [types.DiagnosticTag.Deprecated]
    assert (unknown.code, unknown.range) == ("SC101", place)


@shows("textDocumentSync.save")
async def test_what_is_saved_is_read_again(editor: RecordedEditor) -> None:
    text = EVERYTHING.replace("tone.md", "late.md")
    late = editor.root / "late.md"

    def says_missing(found: Any) -> bool:
        return any("late.md" in it.message for it in found)

    async with editor.opened("saved.eval.yaml", text) as suite:
        assert await suite.found(says_missing)
        late.write_text("Is {{ candidate_answer }} warm?\n", "utf-8")
        saved = types.TextDocumentIdentifier(late.as_uri())
        editor.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        assert await suite.found(lambda it: not says_missing(it))
    late.unlink()


@shows(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
async def test_files_that_change_behind_the_editor_are_read_again(editor: RecordedEditor) -> None:
    targets = editor.root / "watched" / "targets.yaml"
    targets.parent.mkdir()
    async with editor.opened("watched/a.eval.yaml", EMOJI) as suite:
        (unknown,) = await suite.found(lambda it: len(it) == 1)
        targets.write_text("targets: [{name: echo, provider: mock}]\n", "utf-8")
        _tell_of(editor, targets, types.FileChangeType.Created)
        assert await suite.found(lambda it: not it) == []

    assert (unknown.code, unknown.range) == ("SC501", suite.range("echo"))


@shows(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
async def test_settings_hold_as_soon_as_they_change(editor: RecordedEditor) -> None:
    asked = types.CodeLensParams
    async with editor.opened("settings.eval.yaml", GREET) as suite:
        shown = await editor.text_document_code_lens_async(asked(suite.id))
        editor.set_configuration({"codeLens": False}, section="suitecase")
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        # The server asks for the settings itself, and answers other questions meanwhile.
        while hidden := await editor.text_document_code_lens_async(asked(suite.id)):
            pass
        editor.set_configuration({}, section="suitecase")
        editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        while not await editor.text_document_code_lens_async(asked(suite.id)):
            pass

    assert (len(shown or ()), hidden) == (3, ())


@shows(
    "workspace",
    "workspace.workspaceFolders.supported",
    "workspace.workspaceFolders.changeNotifications",
)
async def test_folders_come_and_go(editor: RecordedEditor) -> None:
    other = editor.root.parent / f"{editor.root.name}-other"
    other.mkdir()
    (other / "far.eval.yaml").write_text(GREET.replace("greet", "far-away"), "utf-8")
    folder = types.WorkspaceFolder(other.as_uri(), "other")
    query = types.WorkspaceSymbolParams("far-away")

    def change(added: list[Any], removed: list[Any]) -> None:
        event = types.WorkspaceFoldersChangeEvent(added, removed)
        params = types.DidChangeWorkspaceFoldersParams(event)
        editor.workspace_did_change_workspace_folders(params)

    before = await editor.workspace_symbol_async(query)
    change([folder], [])
    found = _only(await editor.workspace_symbol_async(query))
    change([], [folder])
    after = await editor.workspace_symbol_async(query)

    assert (before, found.name, after) == ([], "far-away", [])


@shows("completionProvider", "completionProvider.triggerCharacters")
async def test_completion_offers_what_fits_as_the_editor_can_take_it(
    editor: RecordedEditor,
) -> None:
    text = EVERYTHING.replace(
        "    outcome: Says nothing\n", "    expec\n    evaluators:\n      - \n"
    )
    assert {" ", "{", "[", "/"} <= set(editor.trigger_characters)
    async with editor.opened("completed.eval.yaml", text) as suite:
        keys = await _completed(suite, suite.position("    expec\n", 7))
        item = next(it for it in keys if it.label == "expected_outcome")
        evaluators = await _completed(suite, suite.position("      - \n", 8), typed=" ")
        judge = next(it for it in evaluators if it.label == "llm_judge")

    edit = item.text_edit
    behind = suite.position("    expec\n", 9)
    if editor.declares("text_document.completion.completion_item.insert_replace_support"):
        assert isinstance(edit, types.InsertReplaceEdit)
        assert (edit.insert.end, edit.replace.end) == (suite.position("    expec\n", 7), behind)
    else:
        assert isinstance(edit, types.TextEdit)
        assert edit.range.end == behind
    assert edit.new_text.startswith("expected_outcome: ")
    assert "What a good answer achieves." in str(item.documentation)
    formats = editor.declares("text_document.completion.completion_item.documentation_format")
    assert isinstance(item.documentation, types.MarkupContent if formats else str)
    snippets = editor.declares("text_document.completion.completion_item.snippet_support")
    assert (judge.insert_text_format == types.InsertTextFormat.Snippet) == snippets
    assert judge.text_edit is not None
    assert ("$" in judge.text_edit.new_text) == snippets
    assert "name: " in judge.text_edit.new_text


@shows("completionProvider.resolveProvider")
async def test_a_rule_that_is_offered_says_what_it_is_about_when_it_is_chosen(
    editor: RecordedEditor,
) -> None:
    async with editor.opened("resolved.eval.yaml", EVERYTHING) as suite:
        found = await _completed(suite, suite.position("ignore[SC302]", 7))
        rule = next(it for it in found if it.label.startswith("SC602"))
        resolved = await editor.completion_item_resolve_async(rule)

    assert rule.documentation is None
    assert "legacy-key" in str(resolved.documentation)


@shows("hoverProvider")
async def test_a_hover_says_what_a_key_means(editor: RecordedEditor) -> None:
    async with editor.opened("hovered.eval.yaml", EVERYTHING) as suite:
        place = suite.range("required_min_score")
        hover = await editor.text_document_hover_async(types.HoverParams(suite.id, place.start))

    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "gate" in hover.contents.value
    assert hover.range == place


@shows("referencesProvider", "documentHighlightProvider")
async def test_a_name_is_found_wherever_it_is_used(editor: RecordedEditor) -> None:
    async with two_files(editor) as (suite, targets):
        place = suite.position("echo", 2)
        context = types.ReferenceContext(include_declaration=True)
        found = await editor.text_document_references_async(
            types.ReferenceParams(context, suite.id, place)
        )
        marks = await editor.text_document_document_highlight_async(
            types.DocumentHighlightParams(suite.id, place)
        )

    assert {(it.uri, it.range.start.line) for it in found or ()} == {
        (suite.uri, 1),
        (targets.uri, 0),
    }
    assert [(it.range, it.kind) for it in marks or ()] == [
        (suite.range("echo"), types.DocumentHighlightKind.Read)
    ]


@shows("renameProvider", "renameProvider.prepareProvider")
async def test_a_name_is_changed_in_every_file(editor: RecordedEditor) -> None:
    async with two_files(editor) as (suite, targets):
        place = suite.position("echo", 2)
        if editor.declares("text_document.rename.prepare_support"):
            prepared = await editor.text_document_prepare_rename_async(
                types.PrepareRenameParams(suite.id, place)
            )
            assert prepared == types.PrepareRenamePlaceholder(suite.range("echo"), "echo")
        edit = await editor.text_document_rename_async(
            types.RenameParams(suite.id, place, "parrot")
        )

    assert edit is not None
    versioned: Any = edit.document_changes or ()
    assert all(it.text_document.version == 1 for it in versioned)
    assert editor.edits_of(edit) == {
        it.uri: [types.TextEdit(it.range("echo"), "parrot")] for it in (suite, targets)
    }


@shows("workspace.fileOperations.willRename.filters")
async def test_a_prompt_that_is_renamed_in_the_editor_is_named_by_its_new_name(
    editor: RecordedEditor,
) -> None:
    if not editor.declares("workspace.file_operations.will_rename"):
        assert not any(it.startswith("workspace.fileOperations") for it in editor.offered)
        return
    folder = editor.root / "renamed"
    folder.mkdir()
    (folder / "warm.md").write_text("Is {{ candidate_answer }} warm?\n", "utf-8")
    text = f"# 😀\n{EVERYTHING.replace('tone.md', 'warm.md')}"
    (folder / "a.eval.yaml").write_text("evalcases: []\n", "utf-8")
    async with editor.opened("renamed/a.eval.yaml", text) as suite:
        old, new = ((folder / it).as_uri() for it in ("warm.md", "kind.md"))
        edit = await editor.workspace_will_rename_files_async(
            types.RenameFilesParams([types.FileRename(old, new)])
        )
        # What nobody names is renamed without more ado.
        other = types.FileRename((folder / "b.md").as_uri(), new)
        nothing = await editor.workspace_will_rename_files_async(types.RenameFilesParams([other]))

    assert editor.edits_of(edit) == {suite.uri: [types.TextEdit(suite.range("warm.md"), "kind.md")]}
    assert nothing is None


@shows("documentSymbolProvider", "workspaceSymbolProvider")
async def test_cases_are_symbols_of_the_document_and_of_the_workspace(
    editor: RecordedEditor,
) -> None:
    async with editor.opened("outlined.eval.yaml", EVERYTHING) as suite:
        top = _only(
            await editor.text_document_document_symbol_async(types.DocumentSymbolParams(suite.id))
        )
        named = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("warmth"))

    assert isinstance(top, types.DocumentSymbol)
    cases = [it for it in top.children or () if it.kind == types.SymbolKind.Class]
    assert [it.name for it in cases] == ["greet", "part", "left"]
    assert suite.uri in {getattr(it.location, "uri", None) for it in named or ()}


@shows("documentLinkProvider")
async def test_a_file_that_is_named_is_a_link(editor: RecordedEditor) -> None:
    async with editor.opened("linked.eval.yaml", EVERYTHING) as suite:
        found = await editor.text_document_document_link_async(types.DocumentLinkParams(suite.id))

    assert [(it.range, it.target) for it in found or ()] == [
        (suite.range("tone.md"), (editor.root / "tone.md").as_uri())
    ]


@shows("foldingRangeProvider", "selectionRangeProvider")
async def test_cases_fold_and_selections_grow(editor: RecordedEditor) -> None:
    async with editor.opened("folded.eval.yaml", EVERYTHING) as suite:
        folds = await editor.text_document_folding_range_async(types.FoldingRangeParams(suite.id))
        asked = types.SelectionRangeParams(suite.id, [suite.position("Is short\n", 4)])
        grown = _only(await editor.text_document_selection_range_async(asked))

    lines = suite.text.split("\n")
    assert "  - id: greet" in [lines[it.start_line] for it in folds or ()]
    texts = []
    while grown is not None:
        texts.append(grown.range)
        grown = grown.parent
    assert suite.range("Is short") in texts
    assert texts[-1].end.line == len(lines) - 1


@shows(
    "codeActionProvider",
    "codeActionProvider.codeActionKinds: quickfix",
    "codeActionProvider.codeActionKinds: source.fixAll.suitecase",
)
async def test_a_mistake_is_mended_and_all_are_when_a_file_is_saved(
    editor: RecordedEditor,
) -> None:
    async with editor.opened("mended.eval.yaml", LEGACY) as suite:
        place = suite.range("outcome: Says hello 😀")
        fix, ignore = await _actions(suite, place.start, types.CodeActionKind.QuickFix)
        (all_at_once,) = await _actions(suite, place.start, types.CodeActionKind.SourceFixAll)

    assert fix.is_preferred
    (edit,) = editor.edits_of(fix.edit)[suite.uri]
    assert edit == types.TextEdit(fix.diagnostics[0].range, "expected_outcome")
    assert ignore.title == "Ignore SC602 (legacy-key) here"
    assert (all_at_once.title, all_at_once.kind) == ("Make 1 safe fix", "source.fixAll.suitecase")


@shows(
    "codeActionProvider.codeActionKinds: refactor.rewrite",
    "codeActionProvider.codeActionKinds: refactor.extract",
    "codeActionProvider.codeActionKinds: refactor.inline",
)
async def test_a_suite_is_written_in_another_way(editor: RecordedEditor) -> None:
    rewrite, extract, inline = (
        types.CodeActionKind.RefactorRewrite,
        types.CodeActionKind.RefactorExtract,
        types.CodeActionKind.RefactorInline,
    )
    text = EVERYTHING.replace("- &tone {", "- {").replace(
        "- *tone", "- {name: t, type: llm_judge, prompt: tone.md}"
    )
    async with editor.opened("rewritten.eval.yaml", text) as suite:
        titles = {
            kind: [it.title for it in await _actions(suite, suite.position(needle, 2), kind)]
            for kind, needle in (
                (rewrite, "score_ranges: {"),
                (extract, "prompt: |"),
                (inline, "prompt: tone.md}\n    - name"),
            )
        }

    assert "Write the score ranges as a list with both ends" in titles[rewrite]
    creates = editor.declares("workspace.workspace_edit.document_changes") and editor.declares(
        "workspace.workspace_edit.resource_operations"
    )
    assert titles[extract] == (["Move the prompt to `prompts/own.md`"] if creates else [])
    assert len(titles[inline]) == 1


@shows("codeLensProvider")
async def test_what_a_lens_runs_an_action_runs_too(editor: RecordedEditor) -> None:
    async with editor.opened("lenses.eval.yaml", GREET) as suite:
        lenses = await editor.text_document_code_lens_async(types.CodeLensParams(suite.id))
        actions = await _actions(suite, suite.position("Hello there"))

    commands = [it.command for it in lenses or () if it.command is not None]
    assert [it.title for it in commands] == ["▶ Run all cases", "▶ Run case", "▶ Run case"]
    runs = {it.command.command: it.command.arguments for it in actions if it.command}
    for command in commands[:2]:
        assert runs[command.command] == command.arguments
        assert f"executeCommandProvider.commands: {command.command}" in editor.offered


@shows(
    "semanticTokensProvider",
    "semanticTokensProvider.legend.tokenTypes",
    "semanticTokensProvider.legend.tokenModifiers",
    "semanticTokensProvider.range",
    "semanticTokensProvider.full.delta",
)
async def test_tokens_come_whole_in_part_and_as_changes(editor: RecordedEditor) -> None:
    async with editor.opened("coloured.eval.yaml", EVERYTHING) as suite:
        whole = await editor.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(suite.id)
        )
        prompt = types.Range(suite.position("Is {{"), suite.position("{{ qestion"))
        part = await editor.text_document_semantic_tokens_range_async(
            types.SemanticTokensRangeParams(suite.id, prompt)
        )
        suite.change("{{ qestion }}", "{{ question }}")
        assert whole is not None
        assert whole.result_id is not None
        changed = await editor.text_document_semantic_tokens_full_delta_async(
            types.SemanticTokensDeltaParams(suite.id, whole.result_id)
        )

    assert len(whole.data) > len(part.data if part else ()) == 10
    assert isinstance(changed, types.SemanticTokensDelta)
    (edit,) = changed.edits
    assert (edit.delete_count, len(edit.data or ())) == (0, 5)


@shows("inlayHintProvider")
async def test_hints_say_what_holds_unwritten(editor: RecordedEditor) -> None:
    async with editor.opened("hinted.eval.yaml", EVERYTHING) as suite:
        place = types.Range(suite.position("  - id: greet"), suite.position("  - id: part"))
        found = await editor.text_document_inlay_hint_async(types.InlayHintParams(suite.id, place))

    labels = [str(it.label) for it in found or ()]
    assert "required" in " ".join(labels)
    assert "%" in " ".join(labels)


@shows(
    "diagnosticProvider",
    "diagnosticProvider.identifier",
    "diagnosticProvider.interFileDependencies",
    "diagnosticProvider.workspaceDiagnostics",
)
async def test_who_asks_is_told_of_every_file_and_never_sent_the_same(
    editor: RecordedEditor,
) -> None:
    if not editor.declares("workspace.diagnostics"):
        assert not any(it.startswith("diagnosticProvider") for it in editor.offered)
        return
    closed = editor.root / "closed.eval.yaml"
    closed.write_text(LEGACY, "utf-8")
    _tell_of(editor, closed, types.FileChangeType.Created)
    async with editor.opened("asked.eval.yaml", LEGACY) as suite:
        first = await editor.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(suite.id)
        )
        assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
        again = await editor.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(suite.id, previous_result_id=first.result_id)
        )
        report = await editor.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))

    assert [it.code for it in first.items] == ["SC602"]
    assert again.kind == "unchanged"
    assert closed.as_uri() in {it.uri for it in report.items}
    assert suite.uri not in editor.diagnostics
    closed.unlink()
    _tell_of(editor, closed, types.FileChangeType.Deleted)


async def test_no_capability_is_without_a_test(editor: RecordedEditor) -> None:
    offered = {it for it in editor.offered if not it.startswith("executeCommandProvider")}

    assert not offered - SHOWN, "write a test that shows what these do"
    missing = SHOWN - offered
    for it in missing:
        where = next((said for name, said in ONLY_WHERE.items() if it.startswith(name)), None)
        assert where is not None, f"{it} is not offered any more"
        assert not editor.declares(where), it


@asynccontextmanager
async def two_files(
    editor: RecordedEditor, targets: str = "targets: [{name: echo, provider: mock}]\n"
) -> AsyncIterator[tuple[Document, Document]]:
    """Open a suite that names a target after a 😀, and the targets file that defines it."""
    path = editor.root / "named" / "targets.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(targets, "utf-8")
    async with (
        editor.opened("named/targets.yaml", targets) as there,
        editor.opened("named/a.eval.yaml", EMOJI) as suite,
    ):
        yield suite, there


def _only(found: Any) -> Any:
    """Return the only item of a response."""
    (it,) = found
    return it


def _tell_of(editor: RecordedEditor, path: Path, kind: types.FileChangeType) -> None:
    changed = types.DidChangeWatchedFilesParams([types.FileEvent(path.as_uri(), kind)])
    editor.workspace_did_change_watched_files(changed)


async def _completed(
    suite: Document, place: types.Position, typed: str | None = None
) -> list[types.CompletionItem]:
    """Request completions at a position; `typed` is the trigger character."""
    kinds = types.CompletionTriggerKind
    kind = kinds.TriggerCharacter if typed else kinds.Invoked
    params = types.CompletionParams(suite.id, place, types.CompletionContext(kind, typed))
    found = await suite.editor.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    return list(found.items)


async def _actions(suite: Document, place: types.Position, *only: types.CodeActionKind) -> Any:
    """Request code actions at a position without its diagnostics, which some editors drop."""
    context = types.CodeActionContext([], only=only or None)
    params = types.CodeActionParams(suite.id, types.Range(place, place), context)
    return await suite.editor.text_document_code_action_async(params) or []
