"""`suitecase lsp --tcp`: one client over a socket, which must present the token."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from suitecase.cli import group
from support.lsp.client import PATIENCE, Message
from support.lsp.forked_server import ForkedServer

Listening = Callable[..., AbstractAsyncContextManager[tuple[ForkedServer, int, str]]]

TOKEN = "a token that is long enough"


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Listening:
    """Start a server that knows a token; returns its process, its port, and its output so far."""

    @asynccontextmanager
    async def started(
        *options: str, token: str | None = TOKEN
    ) -> AsyncIterator[tuple[ForkedServer, int, str]]:
        if token is not None:
            monkeypatch.setenv("SUITECASE_LSP_TOKEN", token)
        process = await ForkedServer.started("--tcp", *options)
        said = ""
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := re.search(r"listening on \S+:(\d+)\n", said)):
                    line = await process.stderr.readline()
                    assert line, said
                    said += line.decode()
            yield process, int(found[1]), said
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return started


def send(writer: asyncio.StreamWriter, **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


async def end(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):  # closed by the server already
        await writer.wait_closed()


async def receive(reader: asyncio.StreamReader) -> Message:
    async with asyncio.timeout(PATIENCE):
        headers = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"Content-Length: (\d+)", headers)
        assert found
        message: Message = json.loads(await reader.readexactly(int(found[1])))
        return message


def first(token: object = TOKEN) -> Message:
    # The number of the editor's process is one of another machine, and means nothing here.
    params: Message = {"processId": 1 << 22, "rootUri": None, "capabilities": {}}
    options = {"initializationOptions": {"token": token}}
    return {"id": 1, "method": "initialize", "params": {**params, **options}}


async def initialized(
    port: int, token: str = TOKEN
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    send(writer, **first(token))
    assert (await receive(reader))["result"]["serverInfo"]["name"] == "suitecase"
    send(writer, method="initialized", params={})
    return reader, writer


async def test_a_client_is_served_and_the_server_ends_with_it(listening: Listening) -> None:
    async with listening("0") as (process, port, _):
        reader, writer = await initialized(port)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        text = "evalcases:\n  - id: a\n    inptu: 1\n"
        item = {"uri": "untitled:a", "languageId": "yaml", "version": 1, "text": text}
        send(writer, method="textDocument/didOpen", params={"textDocument": item})
        found = await receive(reader)
        assert found["method"] == "textDocument/publishDiagnostics"
        assert found["params"]["diagnostics"]
        send(writer, id=2, method="shutdown")
        assert (await receive(reader))["id"] == 2
        send(writer, method="exit")
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
        await end(writer)


async def test_a_connection_that_breaks_ends_the_server(listening: Listening) -> None:
    async with listening("127.0.0.1:0") as (process, port, _):
        _, writer = await initialized(port)
        await end(writer)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 1


async def test_other_machines_are_let_in_only_where_that_is_said(listening: Listening) -> None:
    async with listening("0.0.0.0:0", "--allow-remote") as (_, _, said):
        assert "warning: other machines may reach 0.0.0.0" in said


INITIALIZE = json.dumps({"jsonrpc": "2.0", **first()}).encode()
SAID = b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE)
#: What is sent by who is not the editor, though each of them knows the token.
STRANGE = {
    "a request of HTTP": b"POST / HTTP/1.1\r\n" + SAID,
    "a request of HTTP with a message in a header": b"GET / HTTP/1.1\r\nX: \r\n" + SAID,
    "a method that is called like a header": b"Content-Length: 5 / HTTP/1.1\r\n" + SAID,
    "another header": b"Origin: http://127.0.0.1\r\n" + SAID,
    "a header twice": b"Content-Length: 2\r\n" + SAID,
    "lines that end otherwise": SAID.replace(b"\r\n", b"\n"),
    "another message first": b'Content-Length: 15\r\n\r\n{"method": "x"}' + SAID,
    "no JSON": b"Content-Length: 1\r\n\r\n[" + SAID,
    "a length without end": b"Content-Length: 99999999\r\n\r\n",
    "nothing of ours": b"\x16\x03\x01" * 400,
}


@pytest.mark.parametrize("sent", STRANGE.values(), ids=STRANGE)
async def test_who_does_not_begin_as_an_editor_does_is_sent_away(
    listening: Listening, sent: bytes
) -> None:
    async with listening("0") as (process, port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        async with asyncio.timeout(PATIENCE):
            # A reset is the same, as the system tells it where something was left unread.
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        await end(writer)
        _, writer = await initialized(port)  # the editor is served all the same
        assert process.returncode is None
        await end(writer)


@pytest.mark.parametrize("token", ["", "a token of somebody else", None, 7, {}, "\ud800"])
async def test_who_does_not_know_the_token_is_told_what_is_missing(
    listening: Listening, token: object
) -> None:
    async with listening("0") as (_, port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        send(writer, **first(token))
        answer = await receive(reader)
        assert answer["id"] == 1
        assert "`initializationOptions.token`" in answer["error"]["message"]
        assert TOKEN not in str(answer)
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        await end(writer)
        _, writer = await initialized(port)
        await end(writer)


async def test_who_says_nothing_keeps_nobody_out(listening: Listening) -> None:
    async with listening("0") as (_, port, _):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(30)]
        silent[-1][1].write(SAID[:20])
        for _, writer in [await initialized(port), *silent]:
            await end(writer)


async def test_a_server_makes_its_token_where_none_is_given(listening: Listening) -> None:
    async with listening("0", token=None) as (process, port, _):
        async with asyncio.timeout(PATIENCE):
            line = (await process.stderr.readline()).decode()
        made = line.removeprefix("suitecase lsp: the token is ").strip()
        assert len(made) == 32
        _, writer = await initialized(port, made)
        await end(writer)


async def test_programs_of_the_server_do_not_learn_the_token(
    listening: Listening, tmp_path: Path
) -> None:
    text = (
        "execution: {target: tells}\nevalcases:\n"
        "  - {id: a, input: Hi, expected_outcome: none, evaluators: "
        "[{name: c, type: contains, value: nothing}]}\n"
    )
    suite = tmp_path / "a.eval.yaml"
    suite.write_text(text)
    program = "echo ${SUITECASE_LSP_TOKEN:-nothing}"
    (tmp_path / "targets.yaml").write_text(
        f"targets: [{{name: tells, provider: cli, command_template: '{program}'}}]\n"
    )
    async with listening("0") as (_, port, _):
        reader, writer = await initialized(port)
        item = {"uri": suite.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        send(writer, method="textDocument/didOpen", params={"textDocument": item})
        arguments = {"command": "suitecase.runSuite", "arguments": [suite.as_uri()]}
        send(writer, id=2, method="workspace/executeCommand", params=arguments)
        while "verdict" not in (said := str(await receive(reader))) and "pass" not in said:
            assert "fail" not in said, said
        await end(writer)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--tcp 0.0.0.0:7070", "other machines may reach 0.0.0.0"),
        ("--tcp [::]:7070", "other machines may reach ::"),
        ("--tcp 99999", "expected PORT or HOST:PORT"),
        ("--tcp :70", "expected PORT or HOST:PORT"),
        ("--tcp 0 --stdio", "exclude each other"),
        ("--allow-remote", "goes with --tcp"),
    ],
)
def test_what_it_refuses_is_said(arguments: str, told: str) -> None:
    ran = CliRunner().invoke(group, ["lsp", *arguments.split()])
    assert ran.exit_code == 2
    assert told in ran.output
