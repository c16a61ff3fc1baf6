"""A language server that is forked, as an object like the processes of asyncio."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from support.running.forked import fork


class ForkedServer:
    """A process that executes `suitecase lsp`, with pipes as its streams; see `support.running.forked`.

    Attributes:
        pid: its id.
        returncode: its exit code, once it has ended.
        stdin: what it reads.
        stdout: what it writes.
        stderr: what it says to people.
    """

    pid: int
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    _watching: asyncio.Task[int]

    def __init__(self) -> None:
        self.returncode: int | None = None

    @classmethod
    async def started(
        cls, *options: str, limits: Mapping[str, float] | None = None, script: str = ""
    ) -> ForkedServer:
        """Fork it, with the folder and the environment of this process; see `fork` for limits and scripts."""
        server = cls()
        reads, stdin = os.pipe()
        stdout, writes = os.pipe()
        stderr, says = os.pipe()
        streams = (reads, writes, says)
        try:
            reports = fork(
                ["lsp", *options], Path.cwd(), os.environ, streams, limits, script=script
            )
        finally:
            for stream in streams:
                os.close(stream)
        server.stdin = await _writer(stdin)
        server.stdout = await _reader(stdout)
        server.stderr = await _reader(stderr)
        lines = await _reader(reports)
        server.pid = int(await lines.readline())
        server._watching = asyncio.create_task(server._watch(lines))
        return server

    async def wait(self) -> int:
        """Wait until it has ended; returns its exit code."""
        return await asyncio.shield(self._watching)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def _watch(self, reports: asyncio.StreamReader) -> int:
        self.returncode = int(await reports.readline())
        await reports.read()
        if not self.stdin.transport.is_closing():
            self.stdin.transport.abort()
        return self.returncode


async def _reader(pipe: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pipe, "rb", buffering=0)
    )
    return reader


async def _writer(pipe: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
        os.fdopen(pipe, "wb", buffering=0),
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
