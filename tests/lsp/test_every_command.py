"""Every command works, for each of some recorded editors.

The table says which test is about which command; one that is in no table fails the last test here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from support.lsp.recorded_editors import RECORDED, TODAY, Document, RecordedEditor
from support.suites.slow import GREET, GREET_CASES, SLOW, slow_suite

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOWN = {
    "suitecase.runCase": "test_a_case_is_run_and_shown_where_the_editor_shows_results",
    "suitecase.openLog": "test_the_log_and_the_report_are_opened_or_it_is_said_where_they_lie",
    "suitecase.showProblem": "test_what_kept_a_case_from_running_is_shown",
    "suitecase.openReport": "test_the_log_and_the_report_are_opened_or_it_is_said_where_they_lie",
    "suitecase.clearResults": "test_results_are_forgotten",
    "suitecase.runSelection": "test_a_selection_a_suite_and_what_failed_are_run",
    "suitecase.runSuite": "test_a_selection_a_suite_and_what_failed_are_run",
    "suitecase.runFailed": "test_a_selection_a_suite_and_what_failed_are_run",
    "suitecase.cancelRun": "test_a_run_is_cancelled",
    "suitecase.restartWorker": "test_a_worker_is_replaced",
    "suitecase.migrateSuite": "test_a_suite_and_its_prompt_are_migrated_in_one_edit",
    "suitecase.explainRule": "test_a_rule_is_explained_without_a_network",
    "suitecase.showAsGraded": "test_a_suite_is_shown_as_it_will_be_graded",
    "suitecase.createSuite": "test_a_suite_is_created_with_the_files_that_it_needs",
    "suitecase.discoverTests": "test_cases_are_tests_for_a_view_of_them",
    "suitecase.runTests": "test_cases_are_tests_for_a_view_of_them",
}


async def test_a_case_is_run_and_shown_where_the_editor_shows_results(
    recorded_editor: RecordedEditor,
) -> None:
    editor = recorded_editor
    async with editor.opened("run.eval.yaml", GREET) as suite:
        hover = types.HoverParams(suite.id, suite.position("- id: greet", 4))
        await editor.text_document_hover_async(hover)
        answer = await editor.run("runCase")  # where the cursor was last
        verdict, miss = await suite.found(lambda it: len(it) == 2)
        said = await editor.text_document_hover_async(hover)
        lenses = await editor.text_document_code_lens_async(types.CodeLensParams(suite.id))
        shown: list[Any] = [it for its in editor.progress_reports.values() for it in its]

    assert _ids(answer) == ["greet"]
    assert (verdict.source, verdict.code, verdict.severity) == ("suitecase run", "fail", 2)
    assert verdict.range.start == suite.position("- id: greet", 6)
    assert miss.range.start == suite.position("- id: zebra", 6)
    assert "✗ fail 0.50" in str(said)
    assert "✗ fail 0.50" in str(lenses)
    assert [shown[0].kind, shown[-1].kind] == ["begin", "end"]
    refreshes = editor.declares("workspace.code_lens.refresh_support")
    assert (types.WORKSPACE_CODE_LENS_REFRESH in editor.refreshed) == refreshes
    refreshes = editor.declares("workspace.inlay_hint.refresh_support")
    assert (types.WORKSPACE_INLAY_HINT_REFRESH in editor.refreshed) == refreshes


async def test_a_miss_leads_to_the_judge_where_the_editor_shows_other_places(
    recorded_editor: RecordedEditor,
) -> None:
    editor = recorded_editor
    targets = editor.root / "judged" / "targets.yaml"
    targets.parent.mkdir()
    targets.write_text("targets: [{name: echo, provider: mock}]\n", "utf-8")
    async with editor.opened(
        "judged/a.eval.yaml", f"execution: {{target: echo}}\n{GREET_CASES}"
    ) as suite:
        await editor.run("runCase", suite.uri, "greet")
        found = await suite.found(lambda it: len(it) == 2)

    shows = editor.declares("text_document.publish_diagnostics.related_information")
    related = [place for it in found for place in it.related_information or ()]
    assert [(it.location.uri, it.message) for it in related] == (
        [(targets.as_uri(), "judged by `echo`")] if shows else []
    )


async def test_a_selection_a_suite_and_what_failed_are_run(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    async with editor.opened("selected.eval.yaml", GREET) as suite:
        start, end = suite.position("Goodbye now"), suite.position("value: Goodbye")
        selected = {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        }
        some = await editor.run("runSelection", suite.uri, selected)
        every = await editor.run("runSuite", suite.uri)
        failed = await editor.run("runFailed", suite.uri)

    assert (_ids(some), _ids(every), _ids(failed)) == (["part"], ["greet", "part"], ["greet"])


async def test_the_log_and_the_report_are_opened_or_it_is_said_where_they_lie(
    recorded_editor: RecordedEditor,
) -> None:
    editor = recorded_editor
    async with editor.opened("read.eval.yaml", GREET) as suite:
        await editor.run("runCase", suite.uri, "part")
        told = len(editor.messages)
        log = await editor.run("openLog", suite.uri, "part")
        report = await editor.run("openReport", suite.uri)

    assert "rehearsed 1.00: part" in _read(log)
    assert "<html" in _read(report)
    shows = editor.declares("window.show_document.support")
    assert (log["shown"], report["shown"]) == (shows, shows)
    if shows:
        assert [(it.uri, it.external) for it in editor.shown_documents[-2:]] == [
            (log["uri"], False),
            (report["uri"], True),
        ]
    else:
        assert [it.message for it in editor.messages[told:]] == [
            f"Written to {log['path']}",
            f"Written to {report['path']}",
        ]


async def test_results_are_forgotten(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    async with editor.opened("forgotten.eval.yaml", GREET) as suite:
        await editor.run("runSuite", suite.uri)
        await suite.found(lambda it: len(it) == 2)
        await editor.run("clearResults", suite.uri)
        assert await suite.found(lambda it: not it) == []
        with pytest.raises(JsonRpcException, match="has no result; run it first"):
            await editor.run("openLog", suite.uri, "greet")


async def test_what_kept_a_case_from_running_is_shown(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    broken = GREET.replace("type: contains", "type: contain")
    async with editor.opened("wrong.eval.yaml", broken) as suite:
        await editor.run("runSuite", suite.uri)
        told = await editor.run("showProblem", suite.uri, "part")

    assert "unknown evaluator type `contain`" in told["message"]
    assert told["location"]["range"]["start"]["line"] == 14
    shows = editor.declares("window.show_document.support")
    assert told["shown"] == shows
    if shows:
        shown = editor.shown_documents[-1]
        assert shown.uri == suite.uri
        assert shown.selection is not None
        assert shown.selection.start.line == 14
    else:
        assert "unknown evaluator type `contain`" in editor.messages[-1].message


async def test_a_run_is_cancelled(recorded_editor: RecordedEditor) -> None:
    async with _running(recorded_editor) as (suite, answer):
        cancelled = await recorded_editor.run("cancelRun", suite.uri)
        stopped = await answer

    assert stopped["cancelled"]
    assert cancelled["cancelled"] == [stopped["runId"]]


# What replaces it knows of no editor.
@pytest.mark.parametrize("recorded_editor", RECORDED[:1], indirect=True)
async def test_a_worker_is_replaced(recorded_editor: RecordedEditor) -> None:
    async with _running(recorded_editor) as (suite, answer):
        await recorded_editor.run("restartWorker")
        stopped = await answer
        again = await recorded_editor.run("runCase", suite.uri, "quick")

    assert stopped["cancelled"]
    assert _ids(again) == ["quick"]


async def test_cases_are_tests_for_a_view_of_them(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    async with editor.opened("tests.eval.yaml", GREET) as suite:
        tests = await editor.run("discoverTests", suite.uri)
        before = len(editor.states)
        ran = await editor.run("runTests", {"tests": [{"uri": suite.uri, "cases": ["part"]}]})

    assert _ids(tests) == ["greet", "part"]
    assert tests["cases"][1]["range"]["start"]["line"] == suite.position("- id: part").line
    assert ran["runId"]
    told = [it.state for it in editor.states[before:]]
    assert told == (["queued", "started", "skipped"] if editor.name == TODAY else [])


OLD = """\
cases:
  - id: greet
    input: Hi
    outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: old.md}]
"""


async def test_a_suite_and_its_prompt_are_migrated_in_one_edit(
    recorded_editor: RecordedEditor,
) -> None:
    editor = recorded_editor
    prompt = editor.root / "old.md"
    prompt.write_text("Grade ${candidate_answer}, please.\n", "utf-8")
    async with editor.opened("old.eval.yaml", OLD) as suite:
        at = types.Range(suite.position("outcome"), suite.position("outcome"))
        context = types.CodeActionContext([], [types.CodeActionKind.RefactorRewrite])
        actions = await editor.text_document_code_action_async(
            types.CodeActionParams(suite.id, at, context)
        )
        before = len(editor.messages)
        answer = await editor.run("migrateSuite", suite.uri)

    (migrate,) = [it for it in actions or () if it.title == "Migrate this suite"]
    assert getattr(migrate, "command", None) is not None
    assert (answer["changes"], answer["left"]) == (3, 0)
    assert editor.messages[before].message == answer["message"]
    assert editor.declares("workspace.apply_edit")
    assert (answer["applied"], answer["edit"]) == (True, None)
    made = editor.edits_of(editor.edits[-1])
    assert set(made) == {suite.uri, prompt.as_uri()}
    assert "expected_" in str(made[suite.uri])
    assert "{{ candidate_answer }" in str(made[prompt.as_uri()])
    prompt.unlink()


async def test_a_rule_is_explained_without_a_network(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    async with editor.opened("explained.eval.yaml", OLD) as suite:
        at = types.Range(suite.position("outcome"), suite.position("outcome"))
        actions: Any = await editor.text_document_code_action_async(
            types.CodeActionParams(suite.id, at, types.CodeActionContext([]))
        )
        explain = actions[-1]
        by_action = await editor.run("explainRule", *explain.command.arguments)
        at_cursor = await editor.run("explainRule")
        by_name = await editor.run("explainRule", "legacy-key")
        with pytest.raises(JsonRpcException, match="did you mean legacy-key"):
            await editor.run("explainRule", "legacy-kye")

    assert explain.title == "Explain SC602 (legacy-key)"
    assert by_action == at_cursor == by_name
    assert _read(by_name).startswith("# legacy-key (SC602)")
    assert by_name["shown"] == editor.declares("window.show_document.support")


async def test_a_suite_is_shown_as_it_will_be_graded(recorded_editor: RecordedEditor) -> None:
    editor = recorded_editor
    broken = "  - id: broken\n    input: Hi\n    evaluators: 3\n"
    async with editor.opened("graded.eval.yaml", GREET_CASES + broken) as suite:
        case = await editor.run("showAsGraded", suite.uri, "greet")
        place = types.HoverParams(suite.id, suite.position("- id: part", 4))
        await editor.text_document_hover_async(place)
        at_cursor = await editor.run("showAsGraded")
        told = await editor.protocol.send_request_async(  # type: ignore[no-untyped-call]  # has no types
            "suitecase/asGraded", {"uri": suite.uri, "case": "greet"}
        )
        with pytest.raises(JsonRpcException, match=r"`broken` has 2 errors"):
            await editor.run("showAsGraded", suite.uri, "broken")

    assert "Goodbye" not in _read(case)
    assert "Says hello" in _read(case)
    assert "Goodbye" in _read(at_cursor)
    assert told.text == _read(case)
    assert case["shown"] == editor.declares("window.show_document.support")


async def test_a_suite_is_created_with_the_files_that_it_needs(
    recorded_editor: RecordedEditor,
) -> None:
    editor = recorded_editor
    folder = editor.root / "created"
    before = len(editor.edits)
    answer = await editor.run("createSuite", folder.as_uri())

    names = ("support.eval.yaml", "targets.yaml", "prompts/honesty.md")
    made = [(folder / it).as_uri() for it in names]
    assert [it["uri"] for it in answer["files"]] == made
    assert answer["uri"] == made[0]
    # Where edits cannot create files, the client writes them.
    capabilities: Any = editor.capabilities and editor.capabilities.workspace
    edits: Any = capabilities and capabilities.workspace_edit
    if edits and edits.document_changes and "create" in (edits.resource_operations or ()):
        assert (answer["applied"], answer["edit"]) == (True, None)
        edit: Any = editor.edits[before]
        created = [it.uri for it in edit.document_changes if isinstance(it, types.CreateFile)]
        assert created == made
        if editor.declares("window.show_document.support"):
            assert editor.shown_documents[-1].uri == made[0]
    else:
        assert (answer["applied"], answer["edit"]) == (False, None)

    # What is there stays, and what it defines is used.
    folder.mkdir()
    (folder / "support.eval.yaml").write_text("evalcases: []\n", "utf-8")
    (folder / "targets.yaml").write_text("targets: [{name: a, provider: mock}]\n", "utf-8")
    again = await editor.run("createSuite", folder.as_uri(), {"apply": False})
    assert not again["applied"]
    assert again["uri"] == (folder / "support-2.eval.yaml").as_uri()
    assert "target: a #" in again["text"]
    assert [Path(it["uri"]).name for it in again["files"]] == ["support-2.eval.yaml", "honesty.md"]
    with pytest.raises(JsonRpcException, match="did you mean openai/x"):
        await editor.run("createSuite", (editor.root / "o").as_uri(), {"target": "opnai/x"})


async def test_no_command_is_without_a_test(recorded_editor: RecordedEditor) -> None:
    prefix = "executeCommandProvider.commands: "
    offered = {it.removeprefix(prefix) for it in recorded_editor.offered if it.startswith(prefix)}

    assert offered == set(SHOWN), "write a test that shows what these do"
    assert set(SHOWN.values()) <= set(globals())


@asynccontextmanager
async def _running(editor: RecordedEditor) -> AsyncIterator[tuple[Document, asyncio.Task[Any]]]:
    """Run a suite that never finishes, until the editor shows it as running."""
    folder = editor.root / "slow"
    folder.mkdir(exist_ok=True)
    slow_suite(folder)
    before = len(editor.progress_reports)
    async with editor.opened("slow/slow.eval.yaml", SLOW) as suite:
        task = asyncio.create_task(editor.run("runSuite", suite.uri))
        await editor.until(lambda: len(editor.progress_reports) > before)
        yield suite, task


def _read(answer: Any) -> str:
    return Path(answer["path"]).read_text("utf-8")


def _ids(answer: Any) -> list[str]:
    return [it["id"] for it in answer["cases"]]
