"""A corrupted or truncated message costs the client nothing but that message."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.suites.slow import GREET

Start = Callable[..., Awaitable[RawClient]]
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
URI = "file:///nowhere/greet.eval.yaml"
HERE = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}}
BODY = json.dumps({"jsonrpc": "2.0", "id": "lost", "method": "textDocument/hover", "params": HERE})


async def said_to_nobody(client: RawClient) -> RpcError:
    """Wait for the response to input that could not be recognized as a request."""
    with pytest.raises(RpcError) as raised:
        await client.answer(None)
    del client.answers[None]
    return raised.value


async def is_well(client: RawClient) -> None:
    client.open(URI, GREET)
    assert "case" in str(await client.request("textDocument/hover", HERE))


SPOILT = (
    b"\r\n",
    b"hello\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"Content-Length: -5\r\n\r\n",
    b"Content-Length: many\r\n\r\n",
    b"Content-Length:\r\n\r\n",
    b"Content-Length: 99999999999999\r\n\r\n",
    b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    b"X-Content-Length: 5\r\n\r\n",
    b"\x00\xff\xfe: 1\r\n\r\n",
    b"Content-Type: text/plain\r\n\r\n",
)


async def test_behind_headers_that_say_no_length_the_next_message_is_found(
    client: RawClient,
) -> None:
    for headers in SPOILT:
        for body in (b"", BODY.encode()):
            client.send_raw(headers + body)
            await is_well(client)

            error = await said_to_nobody(client)
            assert error.code == PARSE_ERROR
            assert "Content-Length" in error.message
    assert client.errors == b""


async def test_a_length_that_is_too_short_costs_that_message_alone(client: RawClient) -> None:
    client.send_raw(b"Content-Length: 20\r\n\r\n" + BODY.encode())
    await is_well(client)

    assert (await said_to_nobody(client)).code == PARSE_ERROR


async def test_headers_are_read_however_they_are_written(client: RawClient) -> None:
    for headers in (
        b"content-length: %d\r\n\r\n",
        b"Content-Length:%d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nSomething-New: yes\r\n\r\n",
    ):
        client.send_raw(headers % len(BODY) + BODY.encode())

        assert await client.answer("lost") is None
        del client.answers["lost"]


async def test_what_is_no_request_is_answered_to_nobody(client: RawClient) -> None:
    request = json.loads(BODY)
    ids: tuple[Any, ...] = (True, 1.5, {}, [], None)
    # The protocol of editors knows no batches.
    for wrong in ([request, request], *({**request, "id": it} for it in ids)):
        client.send(wrong)

        assert (await said_to_nobody(client)).code == INVALID_REQUEST
        await is_well(client)


REQUESTS = (
    *("hover", "completion", "definition", "references", "documentHighlight", "documentLink"),
    *("documentSymbol", "foldingRange", "selectionRange", "inlayHint", "codeAction", "codeLens"),
    *("rename", "prepareRename", "semanticTokens/full", "semanticTokens/full/delta"),
)
WRONG: tuple[Any, ...] = (
    None,
    [],
    5,
    "text",
    {},
    {"textDocument": None},
    {"textDocument": {"uri": 5}, "position": {"line": -1, "character": 2**40}},
    {"textDocument": {"uri": "%%%"}, "position": {"line": 2**70, "character": -1}},
    {"textDocument": {"uri": "file:///%00"}, "position": {"line": 0, "character": 0}},
    {"textDocument": {"uri": ""}, "positions": "all", "range": [], "context": {}, "newName": 5},
    {"jsonrpc": "2.0", "id": 1, "textDocument": {"jsonrpc": "2.0", "uri": URI}},
)


async def test_whatever_is_given_to_a_request_it_has_one_answer_that_blames_the_request(
    client: RawClient,
) -> None:
    client.open(URI, GREET)
    methods = [f"textDocument/{it}" for it in REQUESTS]
    methods += ["workspace/symbol", "workspace/executeCommand", "completionItem/resolve"]
    asked = [(it, wrong) for it in methods for wrong in WRONG]
    ids = [client.begin(*it) for it in asked]
    await client.until(lambda: all(it in client.answers for it in ids))

    errors = [client.answers[it].get("error", {}) for it in ids]
    ours = [(*one, it) for one, it in zip(asked, errors, strict=True) if it.get("code") == -32603]
    assert ours == []
    assert {it["code"] for it in errors if it} == {INVALID_PARAMS}
    assert client.errors == b""
    await is_well(client)


async def test_what_the_library_does_not_know_is_taken_as_it_is(start: Start) -> None:
    client = await start()
    await client.initialize({"textDocument": {"synchronization": {"willDream": True}}})
    client.open(URI, GREET)
    place = {"start": HERE["position"], "end": HERE["position"]}
    context = {"diagnostics": [{"range": place, "message": "x", "severity": 9, "tags": [7]}]}
    asked = {**HERE, "range": place, "context": {**context, "triggerKind": 12, "only": ["dream"]}}

    assert await client.request("textDocument/codeAction", asked) == []
    trigger = {"triggerKind": 17, "triggerCharacter": "😀"}
    assert await client.request("textDocument/completion", {**HERE, "context": trigger}) is not None
