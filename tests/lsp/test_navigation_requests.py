"""Definitions, references, links and renaming over the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError

Start = Callable[[], Awaitable[RawClient]]
TARGETS = "targets:\n  - {name: gpt, provider: mock}\n"
SUITE = """\
execution: {target: gpt}
evalcases:
  - {id: "😀", input: Hi, expected_outcome: x, execution: {target: gpt}}
  - id: b
    input: Hi
    expected_outcome: x
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
"""
OTHER = "\ufeffexecution: {target: 'gpt'}\r\nevalcases:\r\n  - {id: c, input: Hi}\r\n"
CAPABLE: dict[str, Any] = {
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "rename": {"prepareSupport": True},
        "definition": {"linkSupport": True},
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "targets.yaml").write_text(TARGETS, "utf-8")
    (tmp_path / "a.eval.yaml").write_text(SUITE, "utf-8")
    (tmp_path / "b.eval.yaml").write_bytes(OTHER.encode())
    (tmp_path / "tone.md").write_text("{{ candidate_answer }}\n", "utf-8")
    return tmp_path


async def opened(start: Start, folder: Path, capabilities: dict[str, Any]) -> tuple[RawClient, str]:
    client = await start()
    said = await client.initialize(capabilities, root=folder)
    assert said["definitionProvider"]
    assert said["referencesProvider"]
    assert said["documentHighlightProvider"]
    assert said["documentLinkProvider"]
    assert said["workspaceSymbolProvider"]
    assert said["renameProvider"] == ({"prepareProvider": True} if capabilities else True)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE, version=7)
    return client, uri


def at(uri: str, line: int, character: int, **rest: Any) -> dict[str, Any]:
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character},
        **rest,
    }


def places(found: list[Any], name: str = "uri") -> set[tuple[str, int, int, int]]:
    return {
        (
            it[name].rsplit("/", 1)[-1],
            it["range"]["start"]["line"],
            it["range"]["start"]["character"],
            it["range"]["end"]["character"],
        )
        for it in found
    }


ALL = {
    ("a.eval.yaml", 0, 20, 23),
    ("a.eval.yaml", 2, 67, 70),
    ("b.eval.yaml", 0, 20, 25),
    ("targets.yaml", 1, 11, 14),
}


async def test_a_target_is_found_across_files_in_the_units_of_the_client(
    start: Start, folder: Path
) -> None:
    client, uri = await opened(start, folder, CAPABLE)
    # Behind the emoji, which is two units of UTF-16.
    (link,) = await client.request("textDocument/definition", at(uri, 2, 68))
    found = await client.request(
        "textDocument/references", at(uri, 2, 68, context={"includeDeclaration": True})
    )
    marks = await client.request("textDocument/documentHighlight", at(uri, 2, 68))

    assert link["targetUri"] == (folder / "targets.yaml").as_uri()
    assert link["targetSelectionRange"]["start"] == {"line": 1, "character": 11}
    assert link["originSelectionRange"]["start"] == {"line": 2, "character": 67}
    assert places(found) == ALL
    assert [it["range"]["start"]["line"] for it in marks] == [0, 2]


async def test_renaming_edits_open_and_closed_files(start: Start, folder: Path) -> None:
    client, uri = await opened(start, folder, CAPABLE)
    prepared = await client.request("textDocument/prepareRename", at(uri, 0, 21))
    edit = await client.request("textDocument/rename", at(uri, 0, 21, newName="gpt 5"))

    assert prepared["placeholder"] == "gpt"
    changes = {it["textDocument"]["uri"]: it for it in edit["documentChanges"]}
    assert {
        uri.rsplit("/", 1)[-1]: it["textDocument"]["version"] for uri, it in changes.items()
    } == {
        "a.eval.yaml": 7,
        "b.eval.yaml": None,
        "targets.yaml": None,
    }
    assert {
        (uri.rsplit("/", 1)[-1], *place[1:])
        for uri, it in changes.items()
        for place in places([{**edit, "uri": uri} for edit in it["edits"]])
    } == ALL
    assert {text["newText"] for it in changes.values() for text in it["edits"]} == {
        "gpt 5",
        "'gpt 5'",
    }


async def test_a_client_that_knows_no_versions_gets_plain_changes(
    start: Start, folder: Path
) -> None:
    client, uri = await opened(start, folder, {})
    (found,) = await client.request("textDocument/definition", at(uri, 0, 21))
    edit = await client.request("textDocument/rename", at(uri, 0, 21, newName="new"))

    assert places([found]) == {("targets.yaml", 1, 11, 14)}
    assert "documentChanges" not in edit
    assert {it.rsplit("/", 1)[-1] for it in edit["changes"]} == {
        "a.eval.yaml",
        "b.eval.yaml",
        "targets.yaml",
    }


async def test_a_refusal_says_why(start: Start, folder: Path) -> None:
    client, uri = await opened(start, folder, CAPABLE)
    with pytest.raises(RpcError, match="is a key of the format") as refused:
        await client.request("textDocument/prepareRename", at(uri, 4, 6))
    with pytest.raises(RpcError, match="a case named `b` is already there"):
        await client.request("textDocument/rename", at(uri, 2, 11, newName="b"))
    with pytest.raises(RpcError, match="a target needs a name"):
        await client.request("textDocument/rename", at(uri, 0, 21, newName=" "))

    assert refused.value.code == -32803
    assert not client.errors


async def test_what_is_open_and_what_was_just_written_counts(start: Start, folder: Path) -> None:
    client, uri = await opened(start, folder, CAPABLE)
    asked = at(uri, 0, 21, context={"includeDeclaration": False})
    assert ("b.eval.yaml", 0, 20, 25) in places(
        await client.request("textDocument/references", asked)
    )
    other = (folder / "b.eval.yaml").as_uri()
    client.open(other, "evalcases:\n  - {id: c, execution: {target: gpt}}\n")
    (folder / "new").mkdir()
    (folder / "new" / "n.eval.yaml").write_text(
        "execution: {target: gpt}\nevalcases: []\n", "utf-8"
    )

    found = places(await client.request("textDocument/references", asked))

    assert {it for it in found if it[0] != "a.eval.yaml"} == {
        ("b.eval.yaml", 1, 32, 35),
        ("n.eval.yaml", 0, 20, 23),
    }


async def test_a_client_that_watches_files_tells_of_new_ones(start: Start, folder: Path) -> None:
    watches = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    client = await start()
    await client.initialize(watches, root=folder)
    registered = await client.message("client/registerCapability")
    watchers = registered["registrations"][0]["registerOptions"]["watchers"]
    assert any("jsonl" in it["globPattern"] for it in watchers)

    async def cases() -> set[str]:
        found = await client.request("workspace/symbol", {"query": ""})
        return {it["name"] for it in found if it["kind"] == 5}

    assert await cases() == {"😀", "b", "c"}
    data = folder / "data.jsonl"
    data.write_text('{"id": "d", "input": "Hi", "expected_outcome": "x"}\n', "utf-8")
    event = {"uri": data.as_uri(), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
    assert await cases() == {"😀", "b", "c", "d"}


async def test_files_are_linked_and_untitled_documents_work_alone(
    start: Start, folder: Path
) -> None:
    client, uri = await opened(start, folder, CAPABLE)
    (link,) = await client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert link["target"] == (folder / "tone.md").as_uri()
    assert link["range"]["start"] == {"line": 7, "character": 46}

    untitled = "untitled:new"
    client.open(untitled, "evalcases:\n  - id: &x one\n    note: *x\n")
    edit = await client.request("textDocument/rename", at(untitled, 1, 10, newName="y"))
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": untitled, "version": 1}
    assert [it["newText"] for it in change["edits"]] == ["y", "y"]
    (found,) = await client.request("textDocument/definition", at(untitled, 2, 11))
    assert found["targetUri"] == untitled
