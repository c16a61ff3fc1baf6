"""An editor as far as its language server can tell: over stdio, message by message, on the clock."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

Message = dict[str, Any]
_TICKS = os.sysconf("SC_CLK_TCK")


class Editor:
    """One server process; what it says is read by a thread of its own, with the time it came.

    Args:
        command: of the server.
        settings: what `workspace/configuration` is answered with, by section.
    """

    def __init__(self, command: Sequence[str], settings: Message | None = None) -> None:
        self._settings = settings or {}
        self._ids = 0
        self._said: SimpleQueue[tuple[float, Message]] = SimpleQueue()
        self._answered: set[Any] = set()
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message: Message) -> float:
        """Send a message; returns when, in seconds."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        data = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        assert self._process.stdin is not None
        sent = time.perf_counter()
        self._process.stdin.write(data)
        self._process.stdin.flush()
        return sent

    def notify(self, method: str, params: Any) -> float:
        return self.send({"method": method, "params": params})

    def age(self) -> float:
        """Return how long ago the process was started, in seconds."""
        return time.perf_counter() - self._started

    def begin(self, method: str, params: Any) -> int:
        """Ask for something without waiting for the answer; returns the request's id."""
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def is_answered(self, id_: int) -> bool:
        """Whether a request is answered."""
        return id_ in self._answered

    def request(self, method: str, params: Any) -> tuple[float, Any]:
        """Ask for something; returns how long that took, in seconds, and the answer."""
        sent = time.perf_counter()
        id_ = self.begin(method, params)
        came, message = self.wait(lambda it: it.get("id") == id_ and "method" not in it)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return came - sent, message.get("result")

    def wait(
        self, matches: Callable[[Message], bool], patience: float = 600.0
    ) -> tuple[float, Message]:
        """Wait for a message; returns when it came, in seconds, and what it says."""
        while True:
            try:
                came, message = self._said.get(timeout=patience)
            except Empty:
                raise TimeoutError("the server said nothing") from None
            if matches(message):
                return came, message

    def wait_for_diagnostics(self, uri: str, version: int | None) -> tuple[float, list[Any]]:
        """Wait for the diagnostics of a version; None where the server does not say which it is."""

        def is_complete(it: Message) -> bool:
            params = it.get("params") or {}
            return (
                it.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == uri
                and (version is None or params.get("version") in (None, version))
            )

        came, message = self.wait(is_complete)
        return came, message["params"]["diagnostics"]

    def processor_time(self) -> float:
        """Return how long the server has computed, in seconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self, *, peak: bool = False) -> float:
        """Return the resident memory of the server, in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        match = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+)", status)
        return int(match[1]) / 1024 if match else 0.0

    def end(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._process.wait()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = stream.readline()
            body = stream.read(length)
            came = time.perf_counter()
            message: Message = json.loads(body)
            if "method" in message and "id" in message:
                self._answer(message)
            elif "id" in message:
                self._answered.add(message["id"])
            self._said.put((came, message))

    def _answer(self, message: Message) -> None:
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self._settings.get(it.get("section")) for it in message["params"]["items"]]
        self.send({"id": message["id"], "result": result})
