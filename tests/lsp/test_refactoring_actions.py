"""Refactorings over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

URI = "file:///suite/a.eval.yaml"
SUITE = """\
evalcases:
  - id: greet
    input: Hi 🎉
    expected_outcome: Says hello
    rubrics:
      - "🎉 warm"
"""
AS_MAPPING = "Write the rubric as a mapping"
NAMED = "Write the rubrics as an evaluator named `rubric`"


async def _offered(
    client: RawClient, line: int, character: int, **context: Any
) -> list[dict[str, Any]]:
    at = {"line": line, "character": character}
    params = {
        "textDocument": {"uri": URI},
        "range": {"start": at, "end": at},
        # Some clients send no diagnostics along, whatever stands there.
        "context": {"diagnostics": [], **context},
    }
    return list(await client.request("textDocument/codeAction", params))


async def test_an_edit_of_the_line_alone(client: RawClient) -> None:
    client.open(URI, SUITE)

    (action,) = await _offered(client, 5, 10, only=["refactor"])

    assert (action["title"], action["kind"]) == (AS_MAPPING, "refactor.rewrite")
    (edit,) = action["edit"]["changes"][URI]
    place = {"line": 5, "character": 8}
    assert edit == {"range": {"start": place, "end": place}, "newText": "expected_outcome: "}


async def test_kinds_that_are_asked_for(client: RawClient) -> None:
    client.open(URI, SUITE)
    offered = {
        str(context): [it["title"] for it in await _offered(client, 4, 6, **context)]
        for context in (
            {"only": ["refactor.extract"]},
            {"only": ["refactor.rewrite"]},
            {"only": ["refactor"]},
            {"only": ["quickfix"]},
            {},
            # Asked by nobody, a client shows a light bulb, which is for what is wrong.
            {"triggerKind": 2},
            {"triggerKind": 2, "only": ["refactor"]},
        )
    }

    assert list(offered.values()) == [
        [NAMED],
        [],
        [NAMED],
        [],
        [NAMED, "Run case `greet`", "Run all cases"],
        [],
        [NAMED],
    ]
    # Nor is anything offered in a text of which nothing is known.
    client.change(URI, 2, {"text": "evalcases: ["})
    assert await _offered(client, 0, 5, only=["refactor"]) == []


async def test_a_prompt_is_moved_to_a_file_that_the_editor_makes(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    workspace = {"documentChanges": True, "resourceOperations": ["create"]}
    await client.initialize({"workspace": {"workspaceEdit": workspace}}, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    prompt = "    evaluators: [{name: a, type: llm_judge, prompt: 'Rate {{ candidate_answer }}'}]\n"
    client.open(uri, SUITE + prompt)
    at = {"line": 6, "character": 50}

    (action,) = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": [], "only": ["refactor.extract"]},
        },
    )

    created, text, suite = action["edit"]["documentChanges"]
    assert created == {
        "kind": "create",
        "uri": (tmp_path / "prompts" / "a.md").as_uri(),
        "options": {"overwrite": False, "ignoreIfExists": False},
    }
    assert text["textDocument"]["uri"] == created["uri"]
    assert text["edits"][0]["newText"] == "Rate {{ candidate_answer }}"
    assert suite["textDocument"] == {"uri": uri, "version": 1}
    assert suite["edits"][0]["newText"] == "prompts/a.md"


async def test_a_line_of_a_data_set_becomes_several(start: Start, tmp_path: Path) -> None:
    uri = (tmp_path / "a.jsonl").as_uri()
    case = '{"id": "🎉", "input": "Hi", "expected_outcome": "b", "rubrics": ["x", "y"]}\n'
    (tmp_path / "a.jsonl").write_text(case, "utf-8")
    (tmp_path / "a.yaml").write_text("description: A data set is known by its sidecar\n", "utf-8")
    client = await start()
    await client.initialize(root=tmp_path)
    client.open(uri, case)
    at = {"line": 0, "character": 9}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    }

    actions = await client.request("textDocument/codeAction", params)

    split, duplicate = actions
    assert split["title"] == "Split the case into 2, one for each rubric"
    assert duplicate["title"] == "Duplicate the case as `🎉-2`"
    (edit,) = split["edit"]["changes"][uri]
    assert edit["newText"] == (
        '{"id": "🎉-1", "input": "Hi", "expected_outcome": "b", "rubrics": ["x"]}\n'
        '{"id": "🎉-2", "input": "Hi", "expected_outcome": "b", "rubrics": ["y"]}'
    )
