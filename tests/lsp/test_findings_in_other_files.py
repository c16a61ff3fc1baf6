"""Findings that suites report for files they name are shown in these files, open or not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[[], Awaitable[RawClient]]
TONE = "# Tone 😀\r\n😀 {{ candidate_anser }} ${question}\r\n"
SUITE = """\
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
execution: {target: mock}
"""
OTHER = SUITE.replace("tone.md", "{{ candidate_answer }}")
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


class Tree:
    """A folder with a prompt and two suites that name it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tone.md").write_bytes(TONE.encode())
        for name in ("a", "b"):
            (folder / f"{name}.eval.yaml").write_text(SUITE, "utf-8")
        self.a, self.b = ((folder / f"{it}.eval.yaml").as_uri() for it in ("a", "b"))
        self.tone = (folder / "tone.md").as_uri()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def codes(found: list[Any]) -> list[str]:
    return [it["code"] for it in found]


def sent(client: RawClient, uri: str) -> list[list[str]]:
    """The diagnostics sent for a document, in order."""
    return [
        codes(it["params"]["diagnostics"])
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics" and it["params"]["uri"] == uri
    ]


def close(client: RawClient, uri: str) -> None:
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


async def actions(client: RawClient, uri: str, line: int, character: int) -> dict[str, Any]:
    at = {"line": line, "character": character}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    }
    return {it["title"]: it for it in await client.request("textDocument/codeAction", params)}


async def test_a_suite_alone_shows_them_at_the_file_and_takes_them_back(
    start: Start, tree: Tree
) -> None:
    client = await start()
    related = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
    await client.initialize(related, root=tree.folder)
    client.open(tree.a, SUITE)
    unknown, older = await client.diagnostics(tree.tone)
    assert (unknown["code"], older["code"]) == ("SC302", "SC620")
    assert unknown["range"]["start"] == {"line": 1, "character": 3}
    (named,) = unknown["relatedInformation"]
    assert named["location"]["uri"] == tree.a
    assert named["location"]["range"]["start"] == {"line": 5, "character": 46}
    client.change(tree.a, 2, {"text": OTHER})
    assert await client.diagnostics(tree.tone, met=lambda it: not it) == []


async def test_several_suites_do_not_erase_each_others(client: RawClient, tree: Tree) -> None:
    client.open(tree.a, SUITE)
    client.open(tree.b, SUITE)
    await client.diagnostics(tree.a, 1)
    await client.diagnostics(tree.b, 1)
    close(client, tree.a)
    await client.diagnostics(tree.a, met=lambda it: not it)
    client.change(tree.b, 2, {"text": SUITE + "\n"})
    await client.diagnostics(tree.b, 2)
    assert all(it == ["SC302", "SC620"] for it in sent(client, tree.tone))
    close(client, tree.b)
    await client.diagnostics(tree.tone, met=lambda it: not it)
    assert sent(client, tree.tone)[-1] == []


async def test_unsaved_text_of_the_file_counts(client: RawClient, tree: Tree) -> None:
    client.open(tree.a, SUITE)
    client.open(tree.tone, TONE, language="markdown")
    await client.diagnostics(tree.tone, 1, lambda it: codes(it) == ["SC302", "SC620"])
    assert codes(await client.diagnostics(tree.a, 1)) == ["SC303"]
    client.change(tree.tone, 2, {"text": "\n{{ candidate_answer }} {{ mood }}\n"})
    (found,) = await client.diagnostics(tree.tone, 2, lambda it: len(it) == 1)
    assert found["range"]["start"] == {"line": 1, "character": 23}
    # The suite says nothing more, since its prompt shows the answer now.
    assert await client.diagnostics(tree.a, 1, lambda it: not it) == []
    close(client, tree.tone)
    await client.diagnostics(tree.a, 1, lambda it: codes(it) == ["SC303"])
    await client.until(lambda: sent(client, tree.tone)[-1] == ["SC302", "SC620"])


async def test_the_file_alone_shows_what_suites_that_are_not_open_find_in_it(
    client: RawClient, tree: Tree
) -> None:
    (tree.folder / "sub").mkdir()
    (tree.folder / "sub" / "c.eval.yaml").write_text(
        SUITE + "      - {name: x, type: llm_judge, prompt: ../tone.md}\n", "utf-8"
    )
    client.open(tree.tone, TONE, language="markdown")
    await client.diagnostics(tree.tone, 1, lambda it: codes(it) == ["SC302", "SC620"])
    offered = await actions(client, tree.tone, 1, 5)
    (edit,) = offered["Change to `{{ candidate_answer }}`"]["edit"]["changes"][tree.tone]
    assert edit["newText"] == "{{ candidate_answer }}"
    assert edit["range"]["start"] == {"line": 1, "character": 3}
    client.change(tree.tone, 2, {"text": "{{ output }} {{ input }}\r\n"})
    await client.diagnostics(tree.tone, 2, lambda it: codes(it) == ["SC620", "SC620"])
    every = (await actions(client, tree.tone, 0, 0))["Make all 2 safe fixes"]
    (edit,) = every["edit"]["changes"][tree.tone]
    assert edit["newText"] == "candidate_answer }} {{ question"
    client.change(tree.tone, 3, {"text": TONE})
    await client.diagnostics(tree.tone, 3, lambda it: codes(it) == ["SC302", "SC620"])
    # With nothing open nothing is shown.
    close(client, tree.tone)
    await actions(client, tree.tone, 0, 0)
    assert sent(client, tree.tone)[-1] == []
    client.open(tree.tone, TONE, language="markdown", version=4)
    await client.diagnostics(tree.tone, 4, lambda it: codes(it) == ["SC302", "SC620"])
    for name in ("a.eval.yaml", "b.eval.yaml", "sub/c.eval.yaml"):
        (tree.folder / name).write_text(OTHER, "utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    assert await client.diagnostics(tree.tone, 4, lambda it: not it) == []
    close(client, tree.tone)
    await client.request("shutdown")
    assert client.errors == b""


async def test_a_client_that_asks_is_sent_those_of_files_that_are_not_open(
    start: Start, tree: Tree
) -> None:
    client = await start()
    await client.initialize(PULLS, root=tree.folder)

    async def pulled(uri: str) -> list[str]:
        params = {"textDocument": {"uri": uri}}
        return codes((await client.request("textDocument/diagnostic", params))["items"])

    client.open(tree.a, SUITE)
    assert await pulled(tree.a) == ["SC303"]
    await client.until(lambda: sent(client, tree.tone) == [["SC302", "SC620"]])
    # Once it is open the client asks for them, and what was sent is taken back.
    client.open(tree.tone, TONE, language="markdown")
    assert await pulled(tree.tone) == ["SC302", "SC620"]
    assert sent(client, tree.tone)[-1] == []
    client.change(tree.tone, 2, {"text": "{{ candidate_answer }} ${question}"})
    assert await pulled(tree.tone) == ["SC620"]
    await client.message("workspace/diagnostic/refresh")
    assert await pulled(tree.a) == []
    close(client, tree.tone)
    assert await pulled(tree.a) == ["SC303"]
    await client.until(lambda: sent(client, tree.tone)[-1] == ["SC302", "SC620"])
    close(client, tree.a)
    await client.until(lambda: sent(client, tree.tone)[-1] == [])
    assert sent(client, tree.a) == []


@pytest.mark.parametrize("is_open", [False, True])
async def test_a_file_of_synonyms_shows_what_is_wrong_with_it(
    client: RawClient, tree: Tree, is_open: bool
) -> None:
    file = tree.folder / "topics.yaml"
    file.write_text("exchange: [swap]\nrefund: [swap]\n", "utf-8")
    topics = file.as_uri()
    entry = "{name: topic, type: equals, value: swap, synonyms: topics.yaml}"
    client.open(tree.a, SUITE.replace("{name: tone, type: llm_judge, prompt: tone.md}", entry))
    if is_open:
        client.open(topics, file.read_text("utf-8"))
    (found,) = await client.diagnostics(topics, met=lambda it: codes(it) == ["SC841"])
    assert found["range"]["start"] == {"line": 1, "character": 9}
    if is_open:
        client.change(topics, 2, {"text": "exchange: [swap]\n"})
    else:
        file.write_text("exchange: [swap]\n", "utf-8")
        client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    assert await client.diagnostics(topics, met=lambda it: not it) == []
