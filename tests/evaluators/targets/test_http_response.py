"""Responses of HTTP/1.1, however their bytes arrive."""

from __future__ import annotations

import gzip

import pytest

from suitecase_evaluators.targets.http_response import (
    MalformedResponseError,
    Response,
    ResponseReader,
)
from suitecase_evaluators.targets.response_body import UnwantedResponseError

URL = "http://127.0.0.1/v1"
ZIPPED = gzip.compress(b"Paris")


def read(*pieces: bytes, limit: int = 1000) -> Response | None:
    reader = ResponseReader(URL, limit)
    found = None
    for piece in pieces:
        assert found is None
        found = reader.feed(piece)
    return found


def drops(data: bytes) -> list[bytes]:
    return [data[it : it + 1] for it in range(len(data))]


WHOLE = {
    "a length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nParis",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nPa\r\n3;name=value\r\nris\r\n0\r\n\r\n",
    "trailers": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nParis\r\n0\r\nx: y\r\n\r\n",
    "lines without carriage returns": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nParis",
    "an informational response before": b"HTTP/1.1 100 Continue\r\n\r\n"
    b"HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nParis",
    "no reason": b"HTTP/1.1 200\r\ncontent-length: 5\r\n\r\nParis",
    "compression": b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n%b"
    % (len(ZIPPED), ZIPPED),
}


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE)
def test_a_response_is_read_in_one_piece_and_byte_by_byte(data: bytes) -> None:
    found = read(data)
    assert found is not None
    assert (found.status, found.body, found.keeps_open) == (200, b"Paris", True)
    assert read(*drops(data)) == found
    assert read(data[:-1]) is None


def test_a_response_without_length_ends_with_the_connection() -> None:
    reader = ResponseReader(URL, 1000)
    assert reader.feed(b"HTTP/1.1 200 OK\r\n\r\nPar") is None
    assert reader.feed(b"is") is None
    found = reader.end()
    assert (found.body, found.keeps_open) == (b"Paris", False)


@pytest.mark.parametrize("status", [204, 304])
def test_some_statuses_have_no_body(status: int) -> None:
    found = read(b"HTTP/1.1 %d None\r\ncontent-length: 5\r\n\r\n" % status)
    assert found is not None
    assert (found.status, found.body) == (status, b"")


@pytest.mark.parametrize(
    ("head", "after"),
    [
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\n", b""),
        (b"HTTP/1.0 200 OK\r\n", b""),
        (b"HTTP/1.1 200 OK\r\n", b"more"),
    ],
)
def test_some_responses_end_the_connection(head: bytes, after: bytes) -> None:
    found = read(head + b"content-length: 2\r\n\r\nhi" + after)
    assert found is not None
    assert (found.body, found.keeps_open) == (b"hi", False)


def test_names_of_headers_are_in_lower_case_and_values_may_be_continued() -> None:
    found = read(b"HTTP/1.1 503 No\r\nRetry-After:  7 \r\nX: a\r\n\tb\r\nContent-Length: 0\r\n\r\n")
    assert found is not None
    assert found.headers == {"retry-after": "7", "x": "a b", "content-length": "0"}


MALFORMED = {
    "not HTTP": b"SSH-2.0-OpenSSH\r\n\r\n",
    "a later version": b"HTTP/2 200\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "a header without a colon": b"HTTP/1.1 200 OK\r\nwhat\r\n\r\n",
    "a name with a space": b"HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n",
    "an unknown transfer encoding": b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
    "no chunk size": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nhi\r\n",
    "a longer chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nhi\r\n",
    "an endless head": b"HTTP/1.1 200 OK\r\n" + b"x" * 70_000,
    "an endless chunk size": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    + b"1" * 70_000,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_http_is_an_error(data: bytes) -> None:
    with pytest.raises(MalformedResponseError):
        read(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "Server disconnected"),
        (b"HTTP/1.1 200 OK\r\n", "Server disconnected"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nPari", "payload is not completed"),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nParis\r\n",
            "payload is not completed",
        ),
    ],
)
def test_a_connection_that_is_closed_too_early_is_an_error(data: bytes, why: str) -> None:
    reader = ResponseReader(URL, 1000)
    assert reader.feed(data) is None
    with pytest.raises(ConnectionError, match=why):
        reader.end()


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\nhello world",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nb\r\nhello world\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nhello world",
        b"HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n",
    ],
)
def test_what_was_not_asked_for_is_not_read(data: bytes) -> None:
    with pytest.raises(UnwantedResponseError):
        read(data, limit=10)
