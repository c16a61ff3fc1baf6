"""Which connection to the server's port is that of the editor: the one that knows the token.

Every user and every web page of a machine can connect to a port on loopback, and whoever speaks to
the server can run programs. So a connection has to begin with an `initialize` request that holds
the token, and with nothing else: a request of HTTP whose headers hold a message is none.
"""

from __future__ import annotations

import hmac
import json
import re
import selectors
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

#: Who has not shown the token by then is sent away, in seconds.
PATIENCE = 10.0
#: So many connections may wait for their first message; of more, the oldest is closed.
MOST_WAITING = 16
#: No `initialize` request is longer, in bytes.
LONGEST = 4 * 1024 * 1024
#: The headers of a first message, from its first byte on; no others are taken.
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
    """A connection does not begin as that of the editor does.

    Attributes:
        request: the id of the request to answer; None where nothing is answered.
    """

    def __init__(self, message: str, request: Any = None) -> None:
        super().__init__(message)
        self.request = request


@dataclass(slots=True)
class _Waiting:
    """A connection that has not shown the token yet."""

    until: float
    received: bytearray = field(default_factory=bytearray)


def admitted(listening: socket.socket, token: str) -> tuple[socket.socket, bytes]:
    """Wait for a client that shows the token.

    Args:
        listening: where clients connect.
        token: what a client has to show.

    Returns:
        its connection, and what was received of it so far.
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
            for connection in [it for it, one in waiting.items() if one.until <= now]:
                close(connection)
            timeout = min((it.until - now for it in waiting.values()), default=None)
            for key, _ in selector.select(timeout):
                connection = key.data
                if connection is listening:
                    with suppress(OSError):  # it is gone already
                        connection, _ = listening.accept()
                        connection.setblocking(False)
                        if len(waiting) == MOST_WAITING:
                            close(next(iter(waiting)))
                        waiting[connection] = _Waiting(time.monotonic() + PATIENCE)
                        selector.register(connection, selectors.EVENT_READ, connection)
                elif connection in waiting and _has_shown(connection, waiting, token, close):
                    selector.unregister(connection)
                    received = bytes(waiting.pop(connection).received)
                    for other in [*waiting]:
                        close(other)
                    connection.setblocking(True)
                    return connection, received


def _has_shown(
    connection: socket.socket, waiting: dict[socket.socket, _Waiting], token: str, close: Any
) -> bool:
    """Read what came of a connection; close it where it is not the editor's."""
    received = waiting[connection].received
    try:
        came = connection.recv(65_536)
        received += came
        if not came:
            raise Refused("it was closed")
        return shows(bytes(received), token)
    except Refused as error:
        if error.request is not None:
            _answer(connection, error)
        close(connection)
    except OSError:
        close(connection)
    return False


def shows(received: bytes, token: str) -> bool:
    """Whether the first message of a connection is there and shows the token.

    Raises:
        Refused: what was received is not the beginning of such a message.
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
    shown = options.get("token") if isinstance(options, dict) else None
    if not isinstance(shown, str) or not _is_same(shown, token):
        problem = f"{_WHERE} is not the token" if shown is not None else f"{_WHERE} is missing"
        raise Refused(
            f"{problem} that this server printed when it started, or that SUITECASE_LSP_TOKEN "
            "holds there",
            message.get("id", 0),
        )
    return True


def _is_same(shown: str, token: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), token.encode())


def _may_be_headers(received: bytes) -> bool:
    """Whether headers may begin so, as far as a line has come."""
    lines = received.split(b"\r\n")
    names = (b"content-length: ", b"content-type: ")
    return all(
        it.lower().startswith(names) or any(name.startswith(it.lower()) for name in names)
        for it in lines
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
