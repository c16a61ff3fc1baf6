"""Messages over a socket, for editors on another machine or in a container.

Any user and any web page on a machine can connect to a loopback port, and whoever talks to the
server can run programs. So a connection must start with an `initialize` request that has the
token in it, and with nothing else: an HTTP request with a message in its headers is refused.
"""

from __future__ import annotations

import asyncio
import hmac
import io
import ipaddress
import json
import re
import selectors
import socket
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

LOOPBACK = "127.0.0.1"


def address_of(address: str) -> tuple[str, int]:
    """Parse an address: `PORT`, `HOST:PORT` or `[IPv6]:PORT`; port 0 is any free port.

    Raises:
        ValueError: it is not one; the message says what was expected.
    """
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not port.isascii() or not port.isdigit() or int(port) > 65535 or (colon and not host):
        raise ValueError(
            f"{address!r} is not an address; expected PORT or HOST:PORT, as in 127.0.0.1:7070"
        )
    return host or LOOPBACK, int(port)


def is_loopback(host: str) -> bool:
    """Whether a host, an address or `localhost`, is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address.

    Raises:
        OSError: it is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=8)


def serve_one(
    listening: socket.socket,
    token: str,
    serve: Callable[[BinaryIO, BinaryIO], Coroutine[Any, Any, int]],
) -> int:
    """Serve the first client that presents the token; the server ends with it.

    Args:
        listening: the socket clients connect to.
        token: what a client has to present.
        serve: serves the client.

    Returns:
        the result of `serve`.
    """
    with listening:
        connection, received = admitted(listening, token)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as rest, connection.makefile("wb") as writer:
        try:
            reader = io.BufferedReader(_Continued(received, rest))
            return asyncio.run(serve(reader, writer))
        finally:
            # The reader thread is blocked in the socket, which cannot be closed under it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Continued(io.RawIOBase):
    """The bytes received so far, followed by the rest of a stream."""

    def __init__(self, received: bytes, rest: BinaryIO) -> None:
        self._received, self._rest = received, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        if self._received:
            data, self._received = self._received[:size], self._received[size:]
        else:
            data = self._rest.read1(size)  # type: ignore[attr-defined]  # a buffered reader has it
        buffer[: len(data)] = data
        return len(data)


#: Seconds a connection has to present the token before it is closed.
PATIENCE = 10.0
#: How many connections may wait for their first message; beyond that, the oldest is closed.
MOST_WAITING = 16
#: The longest `initialize` request accepted, in bytes.
LONGEST = 4 * 1024 * 1024
#: The headers of a first message, from its first byte; no others are accepted.
_HEADERS = re.compile(
    rb"(?:Content-Type: [\x20-\x7e]{0,200}\r\n)?"
    rb"Content-Length: (\d{1,8})\r\n"
    rb"(?:Content-Type: [\x20-\x7e]{0,200}\r\n)?"
    rb"\r\n",
    re.IGNORECASE,
)
_LONGEST_HEADERS = 512
_WHERE = "`initializationOptions.token`"


class Refused(Exception):  # noqa: N818 - what happens to a connection
    """A connection whose first message is not the editor's.

    Attributes:
        request: the id of the request to answer; None if no answer is sent.
    """

    def __init__(self, message: str, request: Any = None) -> None:
        super().__init__(message)
        self.request = request


@dataclass(slots=True)
class _Waiting:
    """A connection that has not presented the token yet."""

    until: float
    received: bytearray = field(default_factory=bytearray)


def admitted(listening: socket.socket, token: str) -> tuple[socket.socket, bytes]:
    """Wait for a client that presents the token.

    Args:
        listening: the socket clients connect to.
        token: what a client has to present.

    Returns:
        its connection, and the bytes received so far.
    """
    waiting: dict[socket.socket, _Waiting] = {}
    with selectors.DefaultSelector() as selector:

        def close(connection: socket.socket) -> None:
            selector.unregister(connection)
            del waiting[connection]
            connection.close()

        selector.register(listening, selectors.EVENT_READ, listening)
        while True:
            now = time.monotonic()
            for connection in [candidate for candidate, one in waiting.items() if one.until <= now]:
                close(connection)
            timeout = min((connection.until - now for connection in waiting.values()), default=None)
            for key, _ in selector.select(timeout):
                connection = key.data
                if connection is listening:
                    with suppress(OSError):  # the client has already disconnected
                        connection, _ = listening.accept()
                        connection.setblocking(False)
                        if len(waiting) == MOST_WAITING:
                            close(next(iter(waiting)))
                        waiting[connection] = _Waiting(time.monotonic() + PATIENCE)
                        selector.register(connection, selectors.EVENT_READ, connection)
                elif connection in waiting and _is_admitted(connection, waiting, token, close):
                    selector.unregister(connection)
                    received = bytes(waiting.pop(connection).received)
                    for other in [*waiting]:
                        close(other)
                    connection.setblocking(True)
                    return connection, received


def _is_admitted(
    connection: socket.socket, waiting: dict[socket.socket, _Waiting], token: str, close: Any
) -> bool:
    """Read from a connection; close it if it is not the editor's."""
    received = waiting[connection].received
    try:
        chunk = connection.recv(65_536)
        received += chunk
        if not chunk:
            raise Refused("the connection was closed")
        return shows(bytes(received), token)
    except Refused as error:
        if error.request is not None:
            _answer(connection, error)
        close(connection)
    except OSError:
        close(connection)
    return False


def shows(received: bytes, token: str) -> bool:
    """Whether the first message of a connection is complete and presents the token.

    Raises:
        Refused: the bytes received cannot be the start of such a message.
    """
    headers = _HEADERS.match(received)
    if headers is None:
        if len(received) > _LONGEST_HEADERS or not _may_be_headers(received):
            raise Refused("it does not speak the protocol")
        return False
    length = int(headers[1])
    if length > LONGEST:
        raise Refused("its first message is too long")
    body = received[headers.end() : headers.end() + length]
    if len(body) < length:
        return False
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("its first message is not JSON") from None
    if not isinstance(message, dict) or message.get("method") != "initialize":
        raise Refused("its first message is not `initialize`")
    params = message.get("params")
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    presented = options.get("token") if isinstance(options, dict) else None
    if not isinstance(presented, str) or not _is_same(presented, token):
        problem = f"{_WHERE} is not the token" if presented is not None else f"{_WHERE} is missing"
        raise Refused(
            f"{problem} that this server printed when it started, or that SUITECASE_LSP_TOKEN "
            "holds there",
            message.get("id", 0),
        )
    return True


def _is_same(presented: str, token: str) -> bool:
    return hmac.compare_digest(presented.encode("utf-8", "surrogatepass"), token.encode())


def _may_be_headers(received: bytes) -> bool:
    """Whether the bytes received so far can be the start of headers."""
    lines = received.split(b"\r\n")
    names = (b"content-length: ", b"content-type: ")
    return all(
        line.lower().startswith(names) or any(name.startswith(line.lower()) for name in names)
        for line in lines
    )


def _answer(connection: socket.socket, error: Refused) -> None:
    answer = {
        "jsonrpc": "2.0",
        "id": error.request if isinstance(error.request, str | int) else None,
        "error": {"code": -32600, "message": str(error)},
    }
    body = json.dumps(answer).encode()
    with suppress(OSError):
        connection.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
