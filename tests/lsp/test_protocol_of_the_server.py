"""What a language server must do, whatever its client sends."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from suitecase.lsp.protocol import is_notification
from support.lsp.client import COMMAND, PATIENCE, RawClient, RpcError
from support.suites.slow import GREET, SLOW, slow_suite

Start = Callable[..., Awaitable[RawClient]]
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800
URI = "file:///nowhere/greet.eval.yaml"
HERE = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}}


async def refusal(client: RawClient, method: str, params: Any = None) -> RpcError:
    with pytest.raises(RpcError) as raised:
        await client.request(method, params)
    return raised.value


async def test_a_proper_farewell_ends_with_0_and_nothing_but_frames_was_written(
    client: RawClient,
) -> None:
    client.open(URI, GREET)
    await client.request("textDocument/hover", HERE)
    assert await client.request("shutdown") is None
    client.notify("exit")

    assert await client.ended() == 0
    assert client.garbage == b""
    assert client.errors == b""


async def test_leaving_without_a_farewell_ends_with_1(client: RawClient) -> None:
    client.notify("exit")

    assert await client.ended() == 1


async def test_exit_is_heeded_before_anything_else_was_said(start: Start) -> None:
    client = await start(*COMMAND)  # as editors do, from the start of Python on
    client.notify("exit")

    assert await client.ended() == 1


async def test_the_server_ends_with_its_input(client: RawClient) -> None:
    client.close_input()

    assert await client.ended() == 1


async def test_the_server_ends_with_its_input_in_the_middle_of_a_message(
    client: RawClient,
) -> None:
    client.send_raw(b"Content-Length: 1000\r\n\r\n{")
    client.close_input()

    assert await client.ended() == 1


async def test_the_server_ends_with_its_editor(start: Start, tmp_path: Path) -> None:
    editor = await asyncio.create_subprocess_exec(
        "cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    client = await start()
    await client.initialize(root=tmp_path, process_id=editor.pid)
    await client.request("textDocument/hover", HERE)
    editor.kill()
    await editor.communicate()

    assert await client.ended() == 1


async def test_an_editor_whose_number_is_of_another_container_does_not_end_the_server(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(root=tmp_path, process_id=2**22 + 1)

    assert await client.request("textDocument/hover", HERE) is None


async def test_requests_before_the_start_and_after_the_farewell_are_refused(
    start: Start,
) -> None:
    client = await start()
    early = await refusal(client, "textDocument/hover", HERE)
    await client.initialize()
    twice = await refusal(client, "initialize", {"processId": None, "capabilities": {}})
    await client.request("shutdown")
    late = await refusal(client, "textDocument/hover", HERE)
    client.notify("exit")

    assert early.code == NOT_INITIALIZED
    assert twice.code == INVALID_REQUEST
    assert late.code == INVALID_REQUEST
    assert await client.ended() == 0


@pytest.mark.parametrize(
    "method", ["textDocument/documentColor", "textDocument/moniker", "no/such", "$/private"]
)
async def test_what_is_not_offered_is_answered_all_the_same(client: RawClient, method: str) -> None:
    assert (await refusal(client, method, HERE)).code == NO_METHOD
    assert (await refusal(client, method)).code == NO_METHOD
    assert client.errors == b""


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        "text",
        {},
        {"textDocument": URI, "position": {"line": 1, "character": 4}},
        {"textDocument": {"uri": URI}, "position": {"line": "one", "character": 4}},
        {"textDocument": {"uri": URI}},
    ],
)
async def test_malformed_parameters_are_answered_with_what_is_wrong(
    client: RawClient, params: Any
) -> None:
    error = await refusal(client, "textDocument/hover", params)

    assert error.code == INVALID_PARAMS
    assert "parameters" in error.message


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"jsonrpc": "1.0", "id": 77, "method": "textDocument/hover"}, INVALID_REQUEST),
        ({"id": 77, "method": "textDocument/hover"}, INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 77, "method": 5}, INVALID_REQUEST),
    ],
)
async def test_a_malformed_request_is_answered(
    client: RawClient, message: dict[str, Any], code: int
) -> None:
    client.send(message)
    with pytest.raises(RpcError) as raised:
        await client.answer(77)

    assert raised.value.code == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"7", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "textDocument/hover"}', INVALID_REQUEST),
    ],
)
async def test_what_is_no_message_is_answered_and_the_next_one_is_read(
    client: RawClient, body: bytes, code: int
) -> None:
    client.send_raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    with pytest.raises(RpcError) as raised:
        await client.answer(None)

    assert raised.value.code == code
    assert await client.request("textDocument/hover", HERE) is None


async def test_strange_notifications_and_answers_are_passed_over(client: RawClient) -> None:
    client.notify("no/such", {"a": 1})
    client.notify("textDocument/didOpen", {"textDocument": 5})
    client.notify("textDocument/didOpen")
    client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///never/opened"}})
    client.change("file:///never/opened", 2, {"text": "x"})
    client.notify("$/setTrace", {"value": "compact"})
    client.notify("$/cancelRequest", {"id": 4711})
    client.notify("window/workDoneProgress/cancel", {"token": "unknown"})
    client.send({"jsonrpc": "2.0", "id": "never asked", "result": 1})
    client.send({"jsonrpc": "2.0", "id": "never asked", "error": {"code": 1, "message": "no"}})
    client.send({"jsonrpc": "2.0", "id": "never asked", "error": "no"})
    client.send({"jsonrpc": "2.0", "error": {"code": 1, "message": "no"}})

    assert await client.request("textDocument/hover", HERE) is None
    assert [it for it in client.received if it["method"] == "window/showMessage"] == []


async def test_a_notification_with_an_id_is_refused_and_a_request_without_one_is_passed_over(
    client: RawClient,
) -> None:
    sent = [
        method
        for method in types.METHOD_TO_TYPES
        if types.message_direction(method) != "serverToClient" and method != "exit"
    ]
    notifications = [method for method in sent if is_notification(method)]
    assert "textDocument/didOpen" in notifications
    for method in notifications:
        assert (await refusal(client, method, {})).code == INVALID_REQUEST
    for method in set(sent) - {*notifications, "shutdown"}:
        client.notify(method, HERE)
    assert await client.request("textDocument/hover", HERE) is None


async def test_a_client_newer_than_the_server_is_served(start: Start) -> None:
    client = await start()
    result = await client.request(
        "initialize",
        {
            "processId": None,
            "rootUri": None,
            "trace": "compact",
            "capabilities": {
                "general": {"positionEncodings": ["utf-7", "utf-16"]},
                "textDocument": {
                    "hover": {"contentFormat": ["asciidoc", "markdown"]},
                    "completion": {"completionItem": {"tagSupport": {"valueSet": [1, 99]}}},
                    "mindReading": {"dynamicRegistration": True},
                },
            },
        },
    )
    client.notify("initialized", {})
    client.open(URI, GREET)

    assert result["capabilities"]["positionEncoding"] == "utf-16"
    assert (await client.request("textDocument/hover", HERE))["contents"]["kind"] == "markdown"


async def test_a_nested_object_that_looks_like_a_message_is_none(client: RawClient) -> None:
    client.open(URI, GREET)
    inner = {"jsonrpc": "2.0", "id": 1, "method": "exit"}
    error = await refusal(
        client, "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [inner]}
    )

    assert error.code == INVALID_PARAMS


async def test_cancelling_a_command_ends_what_it_does(client: RawClient, tmp_path: Path) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    command = {"command": "suitecase.runCase", "arguments": [uri, "late"]}
    id_ = client.begin("workspace/executeCommand", command)
    await client.lenses(uri, "(running…)")
    client.notify("$/cancelRequest", {"id": id_})

    with pytest.raises(RpcError) as raised:
        await client.answer(id_)

    assert raised.value.code == CANCELLED
    assert await client.lenses(uri, "") == ["▶ Run all cases", "▶ Run case", "▶ Run case"]


async def test_a_shutdown_with_a_command_in_flight_ends_both(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    command = {"command": "suitecase.runSuite", "arguments": [uri]}
    ids = [client.begin("workspace/executeCommand", command) for _ in range(3)]
    await client.lenses(uri, "○ rehearsed")
    assert await client.request("shutdown") is None
    for id_ in ids:
        with pytest.raises(RpcError):
            await client.answer(id_)
    client.notify("exit")

    assert await client.ended() == 0
    assert client.errors == b""


async def test_a_server_that_loses_its_client_in_the_middle_of_a_run_ends_quietly(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    client.begin("workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]})
    await client.lenses(uri, "○ rehearsed")
    client.close_input()

    assert await client.ended() == 1
    assert client.garbage == b""
    assert b"Traceback" not in client.errors


async def test_a_request_number_that_is_in_use_is_refused(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    id_ = client.begin(
        "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
    )
    client.send({"jsonrpc": "2.0", "id": id_, "method": "textDocument/hover", "params": HERE})

    with pytest.raises(RpcError) as raised:
        await client.answer(id_)

    assert raised.value.code == INVALID_REQUEST


async def test_a_client_that_does_not_read_is_no_reason_to_lose_messages(
    client: RawClient,
) -> None:
    """More is requested than any pipe holds before the first response is read."""
    client.open(URI, GREET)
    ids = [
        client.begin("textDocument/codeLens", {"textDocument": {"uri": URI}}) for _ in range(500)
    ]

    answers = [await client.answer(id_) for id_ in ids]

    assert all(len(it) == 3 for it in answers)


async def test_what_a_bug_prints_does_not_reach_the_client(tmp_path: Path) -> None:
    """Whatever is written to standard output, by us or by a library, goes to standard error."""
    program = (
        "import os, sys\n"
        "from suitecase.lsp.stdio import claim\n"
        "reader, writer = claim()\n"
        "print('printed')\n"
        "sys.stdout.flush()\n"
        "os.system('echo echoed')\n"
        "assert sys.stdin.read() == ''\n"
        "writer.write(b'frame')\n"
        "writer.flush()\n"
        "assert reader.read() == b'asked'\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(b"asked"), PATIENCE)

    assert out == b"frame"
    assert err.split() == [b"printed", b"echoed"]
    assert process.returncode == 0


async def test_a_bug_is_written_to_standard_error_and_bothers_nobody(start: Start) -> None:
    program = (
        "import sys\n"
        "from suitecase.lsp import code_action, server, text_sync\n"
        "def fail(*_): raise KeyError('a bug')\n"
        "text_sync.TextSync.did_save = code_action.quick_fixes = fail\n"
        "sys.exit(server.main())\n"
    )
    client = await start(script=program)
    await client.initialize()
    client.open(URI, GREET)
    for _ in range(3):
        client.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    place = {"start": HERE["position"], "end": HERE["position"]}
    error = await refusal(
        client,
        "textDocument/codeAction",
        {**HERE, "range": place, "context": {"diagnostics": []}},
    )
    assert await client.request("textDocument/hover", HERE) is not None
    await client.request("shutdown")
    client.notify("exit")

    assert await client.ended() == 0
    assert "a bug" in error.message
    assert client.errors.count(b"KeyError: 'a bug'") == 4
    assert b"in fail" in client.errors
    assert [it for it in client.received if it["method"] == "window/showMessage"] == []


def test_the_server_starts_without_what_only_runs_need() -> None:
    program = (
        "import json, sys, suitecase.lsp.server\n"
        "print(json.dumps([it for it in ('litellm', 'scipy', 'jsonschema', 'openai', 'click')"
        " if it in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )

    assert json.loads(done.stdout) == []
