"""Reads one response of HTTP/1.1 from the bytes that a server sends."""

from __future__ import annotations

import re
from dataclasses import dataclass

from suitecase_evaluators.targets.response_body import LimitedBody, check_not_redirected

#: Bytes that the head of a response, or one line between chunks, may have.
_LONGEST_HEAD = 65_536
#: As lenient as other clients: some servers end lines without a carriage return.
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: |\r?$)")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NUMBER = re.compile(rb"[0-9]{1,18}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_WITHOUT_BODY = frozenset({204, 304})


class MalformedResponseError(ConnectionError):
    """What the server sent is not a response of HTTP/1.1."""


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response.

    Attributes:
        headers: with names in lower case; of several with one name, the first.
        body: decompressed.
        keeps_open: whether the connection can take another request.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    keeps_open: bool


class ResponseReader:
    """Reads a response from bytes as they arrive.

    Args:
        url: the requested address, for messages.
        limit: bytes that the body may have.
    """

    def __init__(self, url: str, limit: int) -> None:
        self._url = url
        self._limit = limit
        #: Bytes that could not be read yet.
        self._rest = b""
        self._status = 0
        self._headers: dict[str, str] = {}
        self._keeps_open = False
        self._body: LimitedBody | None = None
        self._parts: list[bytes] = []
        self._chunked = False
        #: The last chunk was read; what follows are headers.
        self._in_trailers = False
        #: Bytes left of the body or the chunk; None if the body ends with the connection, and
        #: between two chunks.
        self._left: int | None = None

    def feed(self, data: bytes) -> Response | None:
        """Read further bytes; return the response if it is whole.

        Raises:
            MalformedResponseError: it is not HTTP.
            UnwantedResponseError: it is a redirection, too long, or compressed otherwise than
                requested.
        """
        if self._rest:
            data = self._rest + data
            self._rest = b""
        if self._body is None:
            start = self._read_heads(data)
            if self._body is None:
                return None
            data = data[start:]
        if self._chunked:
            return self._read_chunks(data)
        return self._read_plain(data)

    def end(self) -> Response:
        """Return the response of a connection that was closed.

        Raises:
            ConnectionError: it was closed too early.
        """
        if self._body is None:
            raise ConnectionError("Server disconnected")
        if self._chunked or self._left is not None:
            raise ConnectionError("Response payload is not completed")
        return self._whole(b"")

    def _read_heads(self, data: bytes) -> int:
        """Read the head, after those of informational responses; return where the body starts."""
        start = 0
        while (end := _HEAD_END.search(data, start)) is not None:
            self._read_head(data[start : end.start()])
            start = end.end()
            if self._status >= 200:
                self._begin_body()
                return start
        if len(data) - start > _LONGEST_HEAD:
            raise MalformedResponseError("The head of the response is too long")
        self._rest = data[start:]
        return start

    def _read_head(self, head: bytes) -> None:
        status_line, *lines = head.split(b"\n")
        found = _STATUS_LINE.match(status_line)
        if found is None or found[2] == b"101":
            raise MalformedResponseError(f"Bad status line {status_line[:80].strip()!r}")
        self._status = int(found[2])
        headers: dict[str, str] = {}
        name = ""
        for line in lines:
            if line[:1] in b" \t" and name:  # it continues the line above
                headers[name] += " " + _text(line)
                continue
            written, colon, value = line.partition(b":")
            if not colon or not _NAME.fullmatch(written):
                raise MalformedResponseError(f"Bad header {line[:80].strip()!r}")
            name = written.decode().lower()
            if name == "content-length" and headers.get(name, _text(value)) != _text(value):
                raise MalformedResponseError("Two headers contradict each other: content-length")
            headers.setdefault(name, _text(value))
        self._headers = headers
        connection = headers.get("connection", "").lower()
        self._keeps_open = (
            "close" not in connection if found[1] == b"1" else "keep-alive" in connection
        )

    def _begin_body(self) -> None:
        headers = self._headers
        check_not_redirected(self._url, self._status, headers)
        self._body = LimitedBody(headers.get("content-encoding", ""), self._limit)
        coding, length = headers.get("transfer-encoding"), headers.get("content-length")
        if self._status in _WITHOUT_BODY:
            self._left = 0
        elif coding is not None:
            if coding.lower() != "chunked":
                raise MalformedResponseError(f"Bad transfer encoding {coding[:80]!r}")
            self._chunked = True
        elif length is not None:
            if not _NUMBER.fullmatch(length.encode(errors="replace")):
                raise MalformedResponseError(f"Bad content length {length[:80]!r}")
            self._left = int(length)
        else:
            self._keeps_open = False

    def _read_plain(self, data: bytes) -> Response | None:
        if self._left is None:
            self._take(data)
            return None
        self._take(data[: self._left])
        after = data[self._left :]
        self._left -= len(data) - len(after)
        return None if self._left else self._whole(after)

    def _read_chunks(self, data: bytes) -> Response | None:
        at = 0
        while True:
            if self._left:
                part = data[at : at + self._left]
                self._take(part)
                at += len(part)
                self._left -= len(part)
                if self._left:
                    return None
            # A size, a trailer, or the end of the line that a chunk is on.
            end = data.find(b"\n", at)
            if end < 0:
                if len(data) - at > _LONGEST_HEAD:
                    raise MalformedResponseError("A line between chunks is too long")
                self._rest = data[at:]
                return None
            line = data[at:end].removesuffix(b"\r")
            at = end + 1
            if self._in_trailers:
                if not line:
                    return self._whole(data[at:])
            elif self._left == 0:
                if line:
                    raise MalformedResponseError("A chunk is longer than its size")
                self._left = None
            else:
                size = _CHUNK_SIZE.fullmatch(line)
                if size is None:
                    raise MalformedResponseError(f"Bad chunk size {line[:80]!r}")
                self._left = int(size[1], 16)
                self._in_trailers = not self._left

    def _take(self, data: bytes) -> None:
        if data and self._body is not None:
            self._parts.append(self._body.take(data))

    def _whole(self, after: bytes) -> Response:
        """Return the response; bytes after it belong to no request."""
        return Response(
            self._status, self._headers, b"".join(self._parts), self._keeps_open and not after
        )


def _text(value: bytes) -> str:
    return value.strip(b" \t\r").decode("utf-8", "surrogateescape")
