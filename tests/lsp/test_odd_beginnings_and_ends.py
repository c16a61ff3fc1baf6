"""Invalid input at start-up, and how the end of a session is recognized."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start
from support.suites.slow import SLOW, slow_suite

UNREADABLE = "invalid parameters: "


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (None, "`params` must be an object; got null"),
        ([], "`params` must be an object; got []"),
        ({"processId": "x"}, '`processId` must be a number; got "x"'),
        ({"workspaceFolders": [None]}, "`workspaceFolders[0]` must be an object; got null"),
        ({"workspaceFolders": [{"uri": "file:///w"}]}, "`workspaceFolders[0].name` is missing"),
        ({"rootUri": "file://[w"}, '`rootUri` must be a URI; got "file://[w"'),
        (
            {"capabilities": {"textDocument": {"hover": {"contentFormat": 3}}}},
            "`capabilities.textDocument.hover.contentFormat` must be a list; got 3",
        ),
    ],
)
async def test_what_cannot_be_read_at_the_start_is_told_in_words_and_may_be_said_again(
    start: Start, params: Any, problem: str
) -> None:
    client = await start()

    with pytest.raises(RpcError) as refused:
        await client.request("initialize", params)

    assert (refused.value.code, refused.value.message) == (-32602, UNREADABLE + problem)
    assert "hoverProvider" in await client.initialize()


@pytest.mark.parametrize(
    "params",
    [
        {"capabilities": None},
        {},
        {
            "capabilities": {"workspace": None, "textDocument": None, "general": None},
            "clientInfo": None,
            "initializationOptions": None,
            "processId": None,
            "rootUri": None,
            "workspaceFolders": None,
        },
        {"capabilities": {"general": {"positionEncodings": None}}, "trace": "no word"},
    ],
)
async def test_what_is_not_said_at_the_start_is_as_if_it_were_empty(
    start: Start, params: dict[str, Any]
) -> None:
    client = await start()

    result = await client.request("initialize", params)
    client.notify("initialized", {})
    client.open("file:///nowhere/a.eval.yaml", "evalcases: 3\n")

    assert result["capabilities"]["positionEncoding"] == "utf-16"
    assert await client.diagnostics("file:///nowhere/a.eval.yaml", 1)


async def test_other_requests_are_told_in_words_too_what_is_wrong_with_them(
    client: RawClient,
) -> None:
    for params, problem in (
        ({"textDocument": {"uri": "a"}}, "`position` is missing"),
        (
            {"textDocument": {"uri": "a"}, "position": {"line": "x", "character": 0}},
            '`position.line` must be a number; got "x"',
        ),
    ):
        with pytest.raises(RpcError, match="-32602") as refused:
            await client.request("textDocument/hover", params)
        assert refused.value.message == UNREADABLE + problem


async def test_every_request_is_answered_where_the_end_comes_right_behind_the_shutdown(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    command = {"command": "suitecase.runSuite", "arguments": [uri]}
    run = client.begin("workspace/executeCommand", command)
    waiting = client.begin("workspace/diagnostic", {"previousResultIds": []})
    await client.lenses(uri, "○ rehearsed")
    tests = client.begin("suitecase/listSuites")
    hover = client.begin(
        "textDocument/hover",
        {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 5}},
    )
    shutdown = client.begin("shutdown")
    late = client.begin("suitecase/listSuites")
    client.notify("exit")

    assert await client.ended() == 0
    assert {run, waiting, tests, hover, shutdown, late} <= client.answers.keys()
    assert client.answers[shutdown]["result"] is None
    assert client.answers[hover]["result"] is not None
    assert client.answers[run]["error"]["code"] == -32800
    assert client.answers[late]["error"]["code"] == -32600
    assert client.errors == b""


async def test_every_request_is_answered_where_the_end_comes_without_a_shutdown(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    command = {"command": "suitecase.runSuite", "arguments": [uri]}
    run = client.begin("workspace/executeCommand", command)
    await client.lenses(uri, "○ rehearsed")
    client.notify("exit")

    assert await client.ended() == 1
    assert client.answers[run]["error"]["code"] == -32800
