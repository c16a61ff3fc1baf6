"""Clients of a language server that send garbage, or half of a message, and leave in the middle of a run."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from random import Random

from support.running.forked import ForkedCommand

TOKEN = "a token that is long enough"
#: Nothing here takes this long, in seconds.
PATIENCE = 60.0
#: How a client leaves; `kill` takes the server with it.
PARTINGS = ("garbage", "half", "odd", "silence", "kill")
#: What is said by who is not the editor.
STRANGERS = ("garbage", "half", "token", "silence")

Send = Callable[[bytes], None]


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A server, and a client that behaves badly towards it.

    Attributes:
        strangers: who comes before the client, over TCP.
        begins: whether the client knows the token, and starts a run.
        waits: whether it stays until a case of its run is graded.
    """

    tcp: bool
    parting: str
    strangers: tuple[str, ...] = STRANGERS
    begins: bool = True
    waits: bool = True

    @classmethod
    def by(cls, chance: Random) -> Visit:
        return cls(
            tcp=chance.random() < 0.5,
            parting=chance.choice(PARTINGS),
            strangers=tuple(chance.sample(STRANGERS, 2)),
            begins=chance.random() < 0.8,
            waits=chance.random() < 0.6,
        )

    def pay(self, suite: Path, environ: Mapping[str, str]) -> str | None:
        """Start the server, and visit it; returns what it did wrong, if anything."""
        with ForkedCommand(
            *("lsp", *(("--tcp", "0") if self.tcp else ())),
            cwd=suite.parent,
            env={**environ, "SUITECASE_LSP_TOKEN": TOKEN},
            stdin=subprocess.DEVNULL if self.tcp else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        ) as server:
            try:
                with suppress(OSError):
                    (self._over_tcp if self.tcp else self._over_stdio)(server, suite)
                _, said = server.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                return f"the server is still there although its client has left: {self}"
            finally:
                server.kill()
        return f"{self}: {said[-2000:]}" if "Traceback" in said else None

    def _over_stdio(self, server: ForkedCommand, suite: Path) -> None:
        requests, server.stdin = server.stdin, None
        assert isinstance(requests, TextIOWrapper)

        def send(data: bytes) -> None:
            requests.buffer.write(data)
            requests.flush()

        with requests:
            self._talk(send, server, suite)

    def _over_tcp(self, server: ForkedCommand, suite: Path) -> None:
        assert server.stderr is not None
        found = None
        while found is None:
            line = server.stderr.readline()
            if not line:
                return
            found = re.search(r"listening on \S+:(\d+)\n", line)
        address = ("127.0.0.1", int(found[1]))
        for kind in self.strangers:
            with suppress(OSError), socket.create_connection(address, PATIENCE) as client:
                match kind:
                    case "garbage":
                        client.sendall(os.urandom(3_000))
                    case "half":
                        client.sendall(framed(initialize(suite.parent, TOKEN))[:-20])
                    case "token":
                        client.sendall(framed(initialize(suite.parent, "another token")))
                        client.recv(1)
        if not self.begins:
            server.terminate()  # it would wait for who may come in
            return
        with socket.create_connection(address, PATIENCE) as client:
            self._talk(client.sendall, server, suite)

    def _talk(self, send: Send, server: ForkedCommand, suite: Path) -> None:
        """Begin as an editor does, start a run, and say something odd in the middle of it."""
        before = graded(suite)
        if self.begins:
            send(framed(initialize(suite.parent, TOKEN)))
            send(framed({"method": "initialized", "params": {}}))
            text = suite.read_text("utf-8")
            item = {"uri": suite.as_uri(), "languageId": "yaml", "version": 1, "text": text}
            send(framed({"method": "textDocument/didOpen", "params": {"textDocument": item}}))
            run = {"command": "suitecase.runSuite", "arguments": [suite.as_uri()]}
            send(framed({"id": 2, "method": "workspace/executeCommand", "params": run}))
        until = time.monotonic() + PATIENCE
        while self.begins and self.waits and graded(suite) == before and server.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                server.wait(0.05)
            if time.monotonic() > until:
                break
        match self.parting:
            case "garbage":
                send(os.urandom(3_000))
            case "half":
                send(framed({"id": 3, "method": "shutdown"})[:-5])
            case "odd":
                send(framed({"id": [], "method": 7, "params": "x"}) + b"Content-Length: -1\r\n\r\n")
            case "kill":
                server.kill()


def graded(suite: Path) -> int:
    """Return how many bytes of results editors have of the suites of a folder."""
    results = (suite.parent / ".suitecase" / "editor").glob("*.jsonl")
    return sum(it.stat().st_size for it in results)


def framed(message: Mapping[str, object]) -> bytes:
    """Return a message as it is sent."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def initialize(root: Path, token: str) -> dict[str, object]:
    """Return the first message of an editor."""
    params: dict[str, object] = {
        "processId": None,
        "rootUri": root.as_uri(),
        "capabilities": {},
        "initializationOptions": {"token": token, "trusted": True},
    }
    return {"id": 1, "method": "initialize", "params": params}
