"""Files of other tools that are named as suites are, in an editor: a line is said of them, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start

VALLY = """\
name: storage
tags: {skill: storage}
stimuli:
  - name: upload
    prompt: How do I upload a file?
"""
UNKNOWN = "name: storage\nchecks:\n  - {run: a}\n"
LISTED = "name: storage\ncases:\n  - {id: a, input: Hi, expected: Hello}\n"
OWN = "evalcases:\n  - {id: a, input: Hi, expected_outcome: Greets}\n"
PUBLISHED = "textDocument/publishDiagnostics"
EACH = pytest.mark.parametrize("text", [VALLY, UNKNOWN, LISTED], ids=["tool", "unknown", "list"])
LANGUAGES = pytest.mark.parametrize("language", ["yaml", "suitecase"])


def whole(text: str) -> dict[str, Any]:
    """Return the change that replaces a text."""
    return {"text": text}


def said(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(it["code"], it["severity"]) for it in found]


async def actions(client: RawClient, uri: str, text: str, **context: Any) -> list[Any]:
    """Return the code actions for all of a text that would change it."""
    end = {"line": text.count("\n"), "character": 0}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": {"line": 0, "character": 0}, "end": end},
        "context": {"diagnostics": [], **context},
    }
    found = await client.request("textDocument/codeAction", params)
    commands = (it.get("command") or {} for it in found)
    return [
        it
        for it, command in zip(found, commands, strict=True)
        if "edit" in it or "Explain" not in f"{it['title']}{command.get('title', '')}"
    ]


@EACH
@LANGUAGES
async def test_it_has_a_line_of_information_and_nothing_to_do(
    client: RawClient, tmp_path: Path, text: str, language: str
) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(text, "utf-8")
    uri = path.as_uri()
    client.open(uri, text, language=language)
    assert said(await client.diagnostics(uri, 1)) == [("SC011", 3)]
    assert await actions(client, uri, text) == []
    for only in ("quickfix", "refactor", "source.fixAll", "source.fixAll.suitecase"):
        assert await actions(client, uri, text, only=[only]) == []
    document = {"textDocument": {"uri": uri}}
    assert await client.request("textDocument/codeLens", document) in ([], None)
    assert await client.request("textDocument/documentSymbol", document) in ([], None)


@EACH
async def test_it_cannot_be_migrated(client: RawClient, tmp_path: Path, text: str) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, text)
    await client.diagnostics(uri, 1)
    with pytest.raises(RpcError):
        await client.run("migrateSuite", uri)


async def test_what_is_said_follows_what_is_typed(client: RawClient, tmp_path: Path) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    texts = {
        "": [("SC008", 1)],
        "na": [("SC011", 3)],
        "desc": [("SC008", 1)],
        "description: a\n": [("SC008", 1)],
        "name: a\ndescription: a\n": [("SC011", 3)],
        VALLY: [("SC011", 3)],
        "name: a\nevalcases:\n": [("SC009", 1)],
        OWN: [("SC510", 3)],
    }
    client.open(uri, OWN)
    await client.diagnostics(uri, 1)
    for version, (text, expected) in enumerate(texts.items(), 2):
        client.change(uri, version, whole(text))
        found = [it for it in said(await client.diagnostics(uri, version)) if it[0] != "SC602"]
        assert found == expected, text


async def test_a_suite_stays_one_while_its_text_is_broken(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, "name: a\nexecution: {target: mock}\n" + OWN)
    await client.diagnostics(uri, 1)
    client.change(uri, 2, whole("name: a: b\nexecution: {target: mock}\n" + OWN))
    assert "SC001" in dict(said(await client.diagnostics(uri, 2)))


async def test_keys_are_completed_where_a_suite_may_begin(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()

    async def labels(version: int, text: str) -> set[str]:
        client.change(uri, version, whole(text))
        position = {"line": text.count("\n"), "character": 0}
        params = {"textDocument": {"uri": uri}, "position": position}
        found = await client.request("textDocument/completion", params)
        return {it["label"] for it in (found or {"items": []})["items"]}

    client.open(uri, "")
    assert "evalcases" in await labels(2, "name: a\n")
    assert await labels(3, VALLY) == set()


async def test_other_files_have_nothing_said_of_them(client: RawClient, tmp_path: Path) -> None:
    for name, text in {
        "a.yaml": VALLY,
        "http.yml": "testcases:\n  - {name: a, steps: []}\n",
        "cases.yaml": "- {id: a, input: Hi}\n",
        "cases.jsonl": '{"id": "a", "question": "Hi", "expected": "b"}\n',
        "targets.yaml": "- targets: [localhost:9090]\n",
    }.items():
        uri = (tmp_path / name).as_uri()
        (tmp_path / name).write_text(text, "utf-8")
        client.open(uri, text)
        assert await actions(client, uri, text) == []
    own = (tmp_path / "own.eval.yaml").as_uri()
    client.open(own, OWN)
    await client.diagnostics(own, 1)
    published = (it for it in client.received if it.get("method") == PUBLISHED)
    assert [it for it in published if it["params"]["diagnostics"]] == []


@pytest.mark.parametrize("begun", ["tests:\n  - ", "tests:\n  - i", "tests:\n  - name: r\n"])
async def test_a_suite_whose_first_test_is_begun_holds_nothing_up(
    start: Start, tmp_path: Path, begun: str
) -> None:
    head = "execution:\n  target: bot\n"
    path = tmp_path / "x.eval.yaml"
    path.write_text(f"{head}tests: ./dataset.jsonl\n", "utf-8")
    line = '{"id": "a", "input": "Hi", "criteria": "x"}\n'
    (tmp_path / "dataset.jsonl").write_text(line, "utf-8")
    client = await start()
    await client.initialize({}, root=tmp_path)
    client.open(path.as_uri(), head + begun)
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 1, "character": 3}}
    assert isinstance(await client.request("workspace/symbol", {"query": "a"}), list)
    await client.request("textDocument/documentHighlight", place)
    for method in ("semanticTokens/full", "foldingRange", "documentSymbol", "codeLens"):
        await client.request(f"textDocument/{method}", {"textDocument": place["textDocument"]})
