"""`suitecase lsp --tcp`: one client over a socket, from this machine unless told otherwise."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from click.testing import CliRunner
from raw_client import COMMAND, PATIENCE, Message

from suitecase.cli import group


@asynccontextmanager
async def listening(*arguments: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int, str]]:
    """Start a server; gives its process, its port, and what it said before."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    said = ""
    try:
        async with asyncio.timeout(PATIENCE):
            assert process.stderr is not None
            while not (found := re.search(r"listening on \S+:(\d+)\n", said)):
                line = await process.stderr.readline()
                assert line, said
                said += line.decode()
        yield process, int(found[1]), said
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def send(writer: asyncio.StreamWriter, **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


async def receive(reader: asyncio.StreamReader) -> Message:
    async with asyncio.timeout(PATIENCE):
        headers = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"Content-Length: (\d+)", headers)
        assert found
        message: Message = json.loads(await reader.readexactly(int(found[1])))
        return message


async def initialized(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    # The number of the editor's process is one of another machine, and means nothing here.
    params: Message = {"processId": 1 << 22, "rootUri": None, "capabilities": {}}
    send(writer, id=1, method="initialize", params=params)
    assert (await receive(reader))["result"]["serverInfo"]["name"] == "suitecase"
    send(writer, method="initialized", params={})
    return reader, writer


async def test_a_client_is_served_and_the_server_ends_with_it() -> None:
    async with listening("--tcp", "0") as (process, port, _):
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
        writer.close()


async def test_a_connection_that_breaks_ends_the_server() -> None:
    async with listening("--tcp", "127.0.0.1:0") as (process, port, _):
        _, writer = await initialized(port)
        writer.close()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 1


async def test_other_machines_are_let_in_only_where_that_is_said() -> None:
    async with listening("--tcp", "0.0.0.0:0", "--allow-remote") as (_, _, said):
        assert "warning: other machines may reach 0.0.0.0" in said


async def test_a_page_in_a_browser_cannot_speak_to_it() -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    async with listening("--tcp", "0") as (process, port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 1
        # A reset is the same, as the system tells it where something was left unread.
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()


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
