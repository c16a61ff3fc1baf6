"""A client that speaks JSON-RPC by hand, so that tests can also say what no library would."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from support.lsp.forked_server import ForkedServer
from support.running.forked import can_fork

COMMAND = (sys.executable, "-m", "suitecase", "lsp")
#: Nothing here takes this long, in seconds, even on a busy machine.
PATIENCE = 60.0

Message = dict[str, Any]


class RpcError(Exception):
    """A request was answered with an error."""

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]


async def _server(
    command: Sequence[str], limits: Mapping[str, float] | None, script: str
) -> asyncio.subprocess.Process | ForkedServer:
    if not command and can_fork({**os.environ}):
        return await ForkedServer.started(limits=limits, script=script)
    assert not limits, "a process that is started has the limits of users"
    pipe = asyncio.subprocess.PIPE
    if script:
        command = (sys.executable, "-c", script)
    return await asyncio.create_subprocess_exec(
        *(command or COMMAND), stdin=pipe, stdout=pipe, stderr=pipe
    )


class RawClient:
    """One server process, and what it has said.

    Requests of the server are answered with null, or as `replies` says by method, and kept with
    its notifications in `received`.
    """

    def __init__(self, process: asyncio.subprocess.Process | ForkedServer) -> None:
        self.process = process
        self.received: list[Message] = []
        self.answers: dict[Any, Message] = {}
        #: Whether the server's own requests are answered.
        self.answering = True
        self.replies: dict[str, Any] = {}
        #: What stood on standard output and was no frame; empty as it should be.
        self.garbage = b""
        self.errors = b""
        self._ids = itertools.count(1)
        #: What is sent in one piece later, if anything is.
        self._held: bytes | None = None
        self._news = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())
        self._draining = asyncio.create_task(self._drain())

    @classmethod
    @asynccontextmanager
    async def started(
        cls, *command: str, limits: Mapping[str, float] | None = None, script: str = ""
    ) -> AsyncIterator[RawClient]:
        """Execute a command that is a server; without one, a server is forked where that is possible.

        Args:
            limits: constants of modules that the forked server has other values of; see `fork`.
            script: a program in Python that is the server, in place of a command.
        """
        client = cls(await _server(command, limits, script))
        try:
            yield client
        finally:
            if client.process.returncode is None:
                client.process.kill()
            await client.ended()

    async def ended(self) -> int:
        """Wait until the process has ended; returns its exit code."""
        code = await asyncio.wait_for(self.process.wait(), PATIENCE)
        await asyncio.wait_for(asyncio.gather(self._reading, self._draining), PATIENCE)
        return code

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def send_raw(self, data: bytes) -> None:
        if self._held is not None:
            self._held += data
            return
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    @asynccontextmanager
    async def at_once(self) -> AsyncIterator[None]:
        """Send what is sent in the meantime as one piece, once all before it is on its way.

        The server reads up to 4,096 bytes of it at once (PIPE_BUF).
        """
        assert self.process.stdin is not None
        self.process.stdin.transport.set_write_buffer_limits(0)
        await self.process.stdin.drain()
        self._held = b""
        try:
            yield
        finally:
            held, self._held = self._held, None
            self.send_raw(held)

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any = None) -> int:
        """Send a request without waiting for its answer; returns its id."""
        id_ = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        return id_

    async def answer(self, id_: Any) -> Any:
        """Wait for the answer to a request.

        Raises:
            RpcError: it is an error.
        """
        await self.until(lambda: id_ in self.answers)
        answer = self.answers[id_]
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    async def request(self, method: str, params: Any = None) -> Any:
        return await self.answer(self.begin(method, params))

    async def until(self, met: Callable[[], bool], patience: float = PATIENCE) -> None:
        """Wait until something holds of what was received.

        Raises:
            TimeoutError: it does not, after `patience` seconds.
        """
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(lambda: met() or self._reading.done())
        assert met(), f"the server ended before; it said: {self.errors.decode()}"

    async def message(self, method: str, met: Callable[[Any], bool] = lambda _: True) -> Any:
        """Wait for a notification or request of the server; returns its parameters."""
        found: list[Any] = []

        def look() -> bool:
            found[:] = [
                it.get("params")
                for it in self.received
                if it["method"] == method and met(it.get("params"))
            ]
            return bool(found)

        await self.until(look)
        return found[0]

    async def initialize(
        self,
        capabilities: Message | None = None,
        *,
        root: Path | None = None,
        process_id: int | None = None,
        **options: Any,
    ) -> Any:
        """Introduce a client; returns the server's capabilities.

        Findings come at once, unless `diagnostics` says how long they wait for a pause.
        """
        said = options.get("diagnostics", {})
        if isinstance(said, dict):
            options["diagnostics"] = {"pause": 0, **said}
        result = await self.request(
            "initialize",
            {
                "processId": process_id,
                "rootUri": root.as_uri() if root else None,
                "capabilities": capabilities or {},
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result["capabilities"]

    def open(self, uri: str, text: str, *, version: int = 1, language: Any = "yaml") -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Message) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    async def diagnostics(
        self, uri: str, version: int | None = None, met: Callable[[list[Any]], bool] | None = None
    ) -> list[Any]:
        """Wait for a document's diagnostics, of that version, that meet a condition."""
        found = await self.message(
            "textDocument/publishDiagnostics",
            lambda it: (
                it["uri"] == uri
                and (version is None or it.get("version") == version)
                and (met is None or met(it["diagnostics"]))
            ),
        )
        return list(found["diagnostics"])

    async def lenses(self, uri: str, wanted: str = "") -> list[str]:
        """Wait for lenses of which one contains a text; returns their titles.

        The client must have declared that it is told of new ones.
        """
        while True:
            told = self._told_of_lenses()
            found = await self.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
            titles = [it["command"]["title"] for it in found]
            if any(wanted in it for it in titles):
                return titles
            await self.until(lambda told=told: self._told_of_lenses() > told)  # type: ignore[misc]

    def _told_of_lenses(self) -> int:
        return sum(it["method"] == "workspace/codeLens/refresh" for it in self.received)

    async def run(self, command: str, *arguments: Any) -> Any:
        """Execute a command of the server; returns what it answers."""
        return await self.request(
            "workspace/executeCommand",
            {"command": f"suitecase.{command}", "arguments": list(arguments)},
        )

    async def _read(self) -> None:
        assert self.process.stdout is not None
        stream = self.process.stdout
        while line := await stream.readline():
            length = None
            while line.strip():
                name, _, value = line.partition(b":")
                if name == b"Content-Length":
                    length = int(value)
                elif name != b"Content-Type":
                    self.garbage += line
                line = await stream.readline()
            if length is None:
                self.garbage += line
                continue
            await self._take(json.loads(await stream.readexactly(length)))
        async with self._news:
            self._news.notify_all()

    async def _take(self, message: Message) -> None:
        async with self._news:
            if "method" not in message:
                assert message.get("id") not in self.answers, "a second answer"
                self.answers[message.get("id")] = message
            else:
                self.received.append(message)
                if "id" in message and self.answering:
                    reply = self.replies.get(message["method"])
                    self.send({"jsonrpc": "2.0", "id": message["id"], "result": reply})
            self._news.notify_all()

    async def _drain(self) -> None:
        assert self.process.stderr is not None
        while chunk := await self.process.stderr.read(65_536):
            self.errors += chunk
