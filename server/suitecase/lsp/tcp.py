"""Messages over a socket, for editors on another machine or in a container."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, BinaryIO

LOOPBACK = "127.0.0.1"


def address_of(said: str) -> tuple[str, int]:
    """Read an address: `PORT`, `HOST:PORT` or `[IPv6]:PORT`; port 0 is any that is free.

    Raises:
        ValueError: it is none; the message says what was expected.
    """
    host, colon, port = said.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not port.isascii() or not port.isdigit() or int(port) > 65535 or (colon and not host):
        raise ValueError(
            f"{said!r} is no address; expected PORT or HOST:PORT, as in 127.0.0.1:7070"
        )
    return host or LOOPBACK, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host, by its address or as `localhost`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address.

    Raises:
        OSError: that cannot be done.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1)


def serve_one(
    listening: socket.socket, serve: Callable[[BinaryIO, BinaryIO], Coroutine[Any, Any, int]]
) -> int:
    """Serve the first client that connects; others are refused, and its end is that of the server.

    Returns:
        what serving it came to.
    """
    with listening:
        connection, _ = listening.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        try:
            # A page in a browser can send a request of HTTP here, whose body is a message; the
            # method stands before it. Our headers are `Content-Length` and `Content-Type`.
            if reader.peek(1)[:1].lower() != b"c":
                return 1
            return asyncio.run(serve(reader, writer))
        finally:
            # The thread that reads waits in the socket, which cannot be closed under it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
