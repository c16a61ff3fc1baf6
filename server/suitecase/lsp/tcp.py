"""Messages over a socket, for editors on another machine or in a container."""

from __future__ import annotations

import asyncio
import io
import ipaddress
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, BinaryIO

from suitecase.lsp.admission import admitted

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
