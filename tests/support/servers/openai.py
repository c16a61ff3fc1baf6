"""An OpenAI-compatible server on the loopback interface that misbehaves on request.

A test says what the next requests are answered with, one behaviour per request, and reads what was
asked afterwards::

    async def test_asks_again(openai_server):
        openai_server.script(Answer(status=429, headers={"retry-after": "0"}), "Paris")
        ...
        assert len(openai_server.requests) == 2

When the script is used up, every further request gets `default`. A GET is healthy (200), but for
addresses that end with `/sick` (503); `/models` has one model.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

#: What it says that it serves.
MODELS = b'{"object": "list", "data": [{"id": "a:model", "object": "model"}]}'


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one request gets: a chat completion with `text`, unless something else is said."""

    text: str = "Paris"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Sent instead of a chat completion (or, with an error status, of the error object).
    body: bytes | None = None
    #: The error object's message and code, where the status is an error's.
    error: str = "the server says no"
    code: str | None = None
    finish_reason: str = "stop"
    #: Merged into the completion's message, such as `tool_calls`.
    message: Mapping[str, Any] = field(default_factory=dict)
    #: Send only so many bytes of the body, then cut the connection.
    cut_after: int | None = None
    #: Send the head at once, and the body only when the test is over.
    stall: bool = False

    def payload(self, model: str) -> bytes:
        """Return the body."""
        if self.body is not None:
            return self.body
        if self.status != 200:
            error = {"message": self.error, "type": "error", "code": self.code}
            return json.dumps({"error": error}).encode()
        message = {"role": "assistant", "content": self.text, **self.message}
        return json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": model,
                "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
                "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
            }
        ).encode()


#: A behaviour may also be decided by the request's body.
Behaviour = Answer | str | Callable[[Mapping[str, Any]], "Answer | str"]


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class OpenAiServer:
    """The server; `url` is its `api_base`."""

    def __init__(self) -> None:
        self.default: Behaviour = Answer()
        self.requests: list[Request] = []
        self.over = threading.Event()
        self._script: deque[Behaviour] = deque()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Say what the next requests are answered with."""
        self._script.extend(behaviours)

    def close(self) -> None:
        """Let stalled requests go, and stop."""
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Answer:
        """Record a request and return what it gets."""
        with self._lock:
            self.requests.append(request)
            behaviour = self._script.popleft() if self._script else self.default
        if callable(behaviour):
            behaviour = behaviour(request.body)
        return Answer(text=behaviour) if isinstance(behaviour, str) else behaviour

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length) or b"{}")
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = server.answer(Request(self.path, headers, body))
                try:
                    self._send(answer, answer.payload(str(body.get("model"))))
                except OSError:
                    self.close_connection = True  # the client went away, as in a timeout

            def do_GET(self) -> None:
                healthy = not self.path.endswith("/sick")
                body = MODELS if self.path.endswith("/models") else b""
                self.send_response(200 if healthy else 503)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _send(self, answer: Answer, payload: bytes) -> None:
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(payload)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if answer.stall:
                    self.wfile.flush()
                    server.over.wait()
                self.wfile.write(payload[: answer.cut_after])
                if answer.cut_after is not None:
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
                """Say nothing: the tests read `requests`."""

        return Handler


@pytest.fixture
def openai_server() -> Iterator[OpenAiServer]:
    """An OpenAI-compatible server of this test's own."""
    server = OpenAiServer()
    yield server
    server.close()
