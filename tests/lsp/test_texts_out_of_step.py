"""A change that cannot be read or does not fit must not leave the server with another text than the editor has."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import Message, RawClient

Start = Callable[..., Awaitable[RawClient]]
SUITE = """\
execution: {target: mock}
evalcases:
  - id: a
    inptu: Hi
    expected_outcome: Greets
"""
FIXED = SUITE.replace("inptu", "input")
START = {"line": 0, "character": 0}
PULLED: Message = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def _change(uri: str, *changes: Any, version: Any = 2) -> Message:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}


def _at(line: Any, character: Any = 0, text: Any = "# x\n") -> Message:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


#: Parameters of a change that cannot be read, or does not fit the text.
BROKEN: dict[str, Callable[[str], Any]] = {
    "a negative line": lambda uri: _change(uri, _at(-1)),
    "a line that is no number": lambda uri: _change(uri, _at("two")),
    "a line far behind the end": lambda uri: _change(uri, _at(99)),
    "a text that is none": lambda uri: _change(uri, _at(0, text=7)),
    "no text": lambda uri: _change(uri, {"range": {"start": START, "end": START}}),
    "half a range": lambda uri: _change(uri, {"range": {"start": START}, "text": "x"}),
    "no changes": lambda uri: {"textDocument": {"uri": uri, "version": 2}},
    "changes that are no list": lambda uri: {**_change(uri), "contentChanges": "x"},
    "no version": lambda uri: {"textDocument": {"uri": uri}, "contentChanges": [_at(0)]},
    "a version that is none": lambda uri: _change(uri, _at(0), version="two"),
    "an earlier version": lambda uri: _change(uri, _at(0), version=0),
    "the second of two": lambda uri: _change(uri, _at(0), _at(77)),
    "no document": lambda uri: {"contentChanges": [_at(0)]},
    "a document without a name": lambda uri: {**_change(uri), "textDocument": {"uri": 7}},
    "nothing": lambda uri: None,
    "a list": lambda uri: [uri],
}


def _shown(client: RawClient, uri: str) -> list[str]:
    """The messages that were sent last for a document."""
    sent = [
        it["params"]["diagnostics"]
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics" and it["params"]["uri"] == uri
    ]
    return [it["message"] for it in sent[-1]] if sent else []


@pytest.mark.parametrize("name", BROKEN)
async def test_nothing_is_computed_from_a_text_that_may_be_wrong(
    client: RawClient, tmp_path: Path, name: str
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.diagnostics(uri, 1)
    client.notify("textDocument/didChange", BROKEN[name](uri))

    await client.until(lambda: any("no longer knows" in it for it in _shown(client, uri)))
    (notice,) = _shown(client, uri)
    assert "Close it and open it again" in notice
    whole = {"start": START, "end": {"line": 4, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
    assert not await client.request("textDocument/codeAction", asked)
    # Changes to it do not matter until the whole text is sent.
    client.change(uri, 3, _at(1))
    client.change(uri, 4, {"text": FIXED})
    assert await client.diagnostics(uri, 4) == []
    client.change(uri, 5, {"text": SUITE})
    assert [it["code"] for it in await client.diagnostics(uri, 5)] != []


@pytest.mark.parametrize("language", [None, 5, ["yaml"], {}])
@pytest.mark.parametrize("uri", ["untitled:U1", "file:///elsewhere/other.yaml"])
async def test_a_document_without_a_language_is_not_opened_and_spoils_no_other(
    client: RawClient, tmp_path: Path, uri: str, language: Any
) -> None:
    suite = (tmp_path / "a.eval.yaml").as_uri()
    client.open(suite, SUITE)
    client.open(uri, SUITE, language=language)
    client.change(uri, 2, {"text": FIXED})

    place = {"position": {"line": 2, "character": 9}, "context": {"includeDeclaration": True}}
    for method in ("definition", "references", "documentLink", "hover", "foldingRange"):
        for asked in (suite, uri):
            params = {"textDocument": {"uri": asked}, **place}
            await client.request(f"textDocument/{method}", params)
    assert [finding["code"] for finding in await client.diagnostics(suite, 1)] != []


async def test_opening_again_and_closing_withdraw_the_notice(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    for end in ("open", "close"):
        client.open(uri, FIXED)
        client.change(uri, 2, _at(50))
        await client.until(lambda: len(_shown(client, uri)) == 1)
        if end == "open":
            client.open(uri, FIXED, version=9)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        await client.until(lambda: _shown(client, uri) == [])


@pytest.mark.parametrize("body", ['{"method": "textDocument/didChange", ', "no"])
async def test_a_message_that_is_no_json_may_have_been_a_change(
    client: RawClient, tmp_path: Path, body: str
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.diagnostics(uri, 1)
    client.send_raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode()))
    await client.until(lambda: None in client.answers)
    await client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    assert any("no longer knows" in it for it in _shown(client, uri)) == ("didChange" in body)


#: Headers of messages whose end they do not tell.
BROKEN_HEADERS = {
    "a misspelled length": b"Content-Lenght: SIZE\r\n\r\n",
    "no length": b"Content-Type: application/json\r\n\r\n",
    "a length that is not a number": b"Content-Length: 0xSIZE\r\n\r\n",
    "no header": b"",
    "no empty line": b"Content-Length: SIZE\r\n",
    "a length that is too small": b"Content-Length: 1\r\n\r\n",
}


@pytest.mark.parametrize("method", ["textDocument/didChange", "textDocument\\/didChange", "other"])
@pytest.mark.parametrize("name", BROKEN_HEADERS)
async def test_what_is_skipped_after_a_broken_header_may_have_been_a_change(
    client: RawClient, tmp_path: Path, name: str, method: str
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.diagnostics(uri, 1)
    params = json.dumps(_change(uri, _at(0)))
    body = f'{{"jsonrpc": "2.0", "method": "{method}", "params": {params}}}'.encode()
    header = BROKEN_HEADERS[name]
    client.send_raw(header.replace(b"SIZE", b"%d" % len(body)) + body)
    await client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    assert any("no longer knows" in message for message in _shown(client, uri)) == (
        method != "other"
    )
    client.open(uri, FIXED, version=3)
    assert await client.diagnostics(uri, 3) == []


async def test_a_client_that_asks_for_findings_gets_the_notice(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(PULLED, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    client.change(uri, 2, _at(50))
    asked = {"textDocument": {"uri": uri}}
    (notice,) = (await client.request("textDocument/diagnostic", asked))["items"]
    assert "no longer knows" in notice["message"]
    client.change(uri, 3, {"text": FIXED})
    assert (await client.request("textDocument/diagnostic", asked))["items"] == []


async def test_other_documents_are_checked_with_the_file_on_the_disk(
    client: RawClient, tmp_path: Path
) -> None:
    prompt, suite = tmp_path / "tone.md", (tmp_path / "a.eval.yaml").as_uri()
    prompt.write_text("{{ candidate_answer }}", "utf-8")
    judge = "    evaluators:\n      - {name: tone, type: llm_judge, prompt: tone.md}\n"
    client.open(prompt.as_uri(), "{{ nothing }}", language="markdown")
    client.open(suite, FIXED + judge)
    await client.until(lambda: any("candidate_answer" in it for it in _shown(client, suite)))
    client.change(prompt.as_uri(), 2, _at(9))
    await client.until(lambda: _shown(client, suite) == [])
    assert "no longer knows" in _shown(client, prompt.as_uri())[0]


async def test_a_closing_that_cannot_be_read_whole_closes(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.diagnostics(uri, 1)
    message = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}
    client.send(json.loads(json.dumps(message)))  # without `jsonrpc`
    await client.until(lambda: _shown(client, uri) == [])


async def test_fixes_and_renames_are_for_one_version_of_the_text(
    start: Start, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    asked = {
        "textDocument": {"uri": uri},
        "range": {"start": START, "end": {"line": 4, "character": 0}},
        "context": {"diagnostics": [], "only": ["quickfix", "source.fixAll", "refactor"]},
    }
    for takes in (True, False):
        client = await start()
        capabilities = {"workspace": {"workspaceEdit": {"documentChanges": takes}}}
        await client.initialize(capabilities, root=tmp_path)
        client.open(uri, SUITE, version=7)
        actions = await client.request("textDocument/codeAction", asked)
        edits = [it["edit"] for it in actions if "edit" in it]
        assert {it["kind"] for it in actions if "edit" in it} >= {"quickfix"}
        for edit in edits:
            assert ("documentChanges" in edit) == takes
            assert ("changes" in edit) != takes
            for change in edit.get("documentChanges", ()):
                assert change["textDocument"] == {"uri": uri, "version": 7}
