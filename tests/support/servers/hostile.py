"""A server on the loopback interface that answers as a test's own function writes it.

The function is handed the request (`BaseHTTPRequestHandler`, its body read) and may write whatever
it likes, for as long as it likes. What was asked is kept: method, path and headers.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[[BaseHTTPRequestHandler], None]

#: An answer of both protocols at once: OpenAI's and Anthropic's.
COMPLETION = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "any",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Paris"},
                "finish_reason": "stop",
            }
        ],
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Paris"}],
        "stop_reason": "end_turn",
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 7,
            "total_tokens": 18,
            "input_tokens": 11,
            "output_tokens": 7,
        },
    }
).encode()


@dataclass(frozen=True)
class Asked:
    """A request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: who asked has gone away, as it should."""


class HostileServer:
    """The server while it runs."""

    def __init__(self, behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self.behaviour = behaviour
        self.asked: list[Asked] = []
        #: Set in the end: who writes for ever stops then.
        self.over = threading.Event()
        self._http = _QuietServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            # Each connection shakes hands in its own thread.
            self._http.socket = tls.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """Its `api_base`."""
        return f"{self.address}/v1"

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _any(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", 0)))
                server.asked.append(Asked(self.command, self.path, headers, body))
                try:
                    server.behaviour(self)
                    self.wfile.flush()
                except OSError:
                    self.close_connection = True  # who asked has seen enough

            do_GET = do_POST = do_CONNECT = _any  # noqa: N815 - the names are http.server's

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
                """Say nothing: the tests read `asked`."""

        return Handler


@contextmanager
def serving(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> Iterator[HostileServer]:
    """Serve while the context lasts, by TLS if it is given."""
    server = HostileServer(behaviour, tls)
    try:
        yield server
    finally:
        server.close()


def answers(
    body: bytes = COMPLETION, status: int = 200, headers: Mapping[str, str] | None = None
) -> Behaviour:
    """Return what answers each request with the same."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            request.send_header(name, value)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


def redirects(location: str, status: int) -> Behaviour:
    """Return what sends each request elsewhere."""
    return answers(b"", status, {"location": location})
