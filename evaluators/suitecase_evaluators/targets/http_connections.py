"""Requests to `http://` addresses, over connections that are kept.

A run sends thousands of requests to a server in its own network. aiohttp can do far more than these
need, and takes four times as much processor time for each. It stays the client for everything
else: TLS, proxies, and addresses and headers that have to be encoded.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from suitecase_evaluators.targets.http_response import (
    MalformedResponseError,
    Response,
    ResponseReader,
)
from suitecase_evaluators.targets.response_body import RESPONSE_LIMIT, UnwantedResponseError

#: Seconds for which an unused connection is kept; servers close theirs after a while, too.
_KEPT_SECONDS = 15.0
#: Seconds after which a further address of a host is tried, while the first one is still connecting.
_NEXT_ADDRESS_SECONDS = 0.25
_ADDRESS = re.compile(
    r"http://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?(?P<path>/[\w/.~-]*)",
    re.ASCII,
)
_HEADER = re.compile(r"[a-z0-9-]+: [!-~]?(?:[ -~]*[!-~])?", re.ASCII)
#: Headers that change how a request or its response is sent.
_OF_THE_PROTOCOL = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_USUAL = {"accept": "*/*", "user-agent": "suitecase"}


@dataclass(frozen=True, slots=True)
class Request:
    """A POST request, apart from its body."""

    url: str
    host: str
    port: int
    #: The head as it is sent, up to the length of the body.
    head: bytes


def plain_request(url: str, headers: Mapping[str, str]) -> Request | None:
    """Return a request; None if it takes aiohttp to send it.

    Args:
        url: an address, to which no proxy leads.
        headers: with names in lower case.
    """
    found = _ADDRESS.fullmatch(url)
    if found is None or "/." in found["path"] or not _OF_THE_PROTOCOL.isdisjoint(headers):
        return None
    port = int(found["port"] or 80)
    host = found["host"] if port == 80 else f"{found['host']}:{port}"
    lines = [f"{name}: {value}" for name, value in (_USUAL | dict(headers)).items()]
    if port > 65_535 or not all(map(_HEADER.fullmatch, lines)):
        return None
    head = "\r\n".join((f"POST {found['path']} HTTP/1.1", f"host: {host}", *lines))
    return Request(url, found["host"].strip("[]"), port, head.encode() + b"\r\ncontent-length: ")


class Connections:
    """Connections to servers, as many as there are requests at once; belongs to one event loop."""

    def __init__(self) -> None:
        #: The unused ones by host and port, the latest used last.
        self._unused: dict[tuple[str, int], list[_Connection]] = {}
        self._closed = False

    async def post(self, request: Request, body: bytes) -> Response:
        """Send a request and return the response.

        The body of the response may have as many bytes as `RESPONSE_LIMIT` says.

        Raises:
            OSError: there is no connection, it was lost, or what came is not HTTP.
            UnwantedResponseError: the response is not read: a redirection, or too long.
        """
        unused = self._unused.setdefault((request.host, request.port), [])
        connection = _still_open(unused) or await _connected(request.host, request.port)
        response = await connection.post(request, body)
        if response.keeps_open and not self._closed:
            connection.unused_since = asyncio.get_running_loop().time()
            unused.append(connection)
        else:
            connection.close()
        return response

    def close(self) -> None:
        """Close the connections; safe to call twice."""
        self._closed = True
        for unused in self._unused.values():
            for connection in unused:
                connection.close()
        self._unused.clear()


def _still_open(unused: list[_Connection]) -> _Connection | None:
    """Remove and return a connection that can take a request; close those that are too old."""
    oldest = asyncio.get_running_loop().time() - _KEPT_SECONDS
    while unused:
        connection = unused.pop()
        if connection.is_open and connection.unused_since > oldest:
            return connection
        connection.close()
    return None


async def _connected(host: str, port: int) -> _Connection:
    loop = asyncio.get_running_loop()
    try:
        _, connection = await loop.create_connection(
            _Connection, host, port, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS
        )
    except OSError as error:
        why = error.strerror or error
        raise ConnectionError(f"Cannot connect to host {host}:{port} [{why}]") from None
    return connection


class _Connection(asyncio.Protocol):
    """A connection, which takes one request after another."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self.is_open = True
        self.unused_since = 0.0
        #: Of the request that was sent.
        self._reader: ResponseReader | None = None
        self._response: asyncio.Future[Response] | None = None

    async def post(self, request: Request, body: bytes) -> Response:
        """Send a request; the connection is closed if no response comes of it."""
        self._response = asyncio.get_running_loop().create_future()
        self._reader = ResponseReader(request.url, RESPONSE_LIMIT.get())
        self._transport.write(b"%b%d\r\n\r\n%b" % (request.head, len(body), body))
        try:
            return await self._response
        except BaseException:
            self.close()
            raise
        finally:
            self._reader = self._response = None

    def close(self) -> None:
        """Close the connection; safe to call twice."""
        self.is_open = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # A model may think for minutes, after which a network may have forgotten the connection.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        if self._reader is None or self._response is None or self._response.done():
            self.close()  # nobody asked for it
            return
        try:
            response = self._reader.feed(data)
        except (MalformedResponseError, UnwantedResponseError) as error:
            self._response.set_exception(error)
        else:
            if response is not None:
                self._response.set_result(response)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        if self._reader is None or self._response is None or self._response.done():
            return
        try:
            if error is not None:
                raise ConnectionError(str(error))
            self._response.set_result(self._reader.end())
        except ConnectionError as reason:
            self._response.set_exception(reason)
