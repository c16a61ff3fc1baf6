"""Connections to servers: which requests they take, and when they are used again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from suitecase_evaluators.targets.http_connections import Connections, Request, plain_request

JSON = {"content-type": "application/json"}
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nParis"


class RawServer:
    """Answers each request with the same bytes; keeps the requests of each connection."""

    def __init__(self) -> None:
        self.answer = ANSWER
        self.closes = False
        self.waits: asyncio.Event | None = None
        self.connections: list[list[bytes]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests: list[bytes] = []
        self.connections.append(requests)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.partition(b"content-length: ")[2])
                requests.append(head + await reader.readexactly(length))
                if self.waits is not None:
                    await self.waits.wait()
                writer.write(self.answer)
                if self.closes:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    @property
    def request(self) -> Request:
        found = plain_request(self.url, JSON)
        assert found is not None
        return found


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    raw = RawServer()
    listening = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1/chat/completions"
    yield raw
    listening.close()


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    made = Connections()
    yield made
    made.close()


async def test_a_connection_is_used_again(server: RawServer, connections: Connections) -> None:
    for body in (b"one", b"two"):
        response = await connections.post(server.request, body)
        assert (response.status, response.body) == (200, b"Paris")
    ((first, second),) = server.connections
    assert first.startswith(b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"\r\ncontent-type: application/json\r\n" in first
    assert (first[-3:], second[-3:]) == (b"one", b"two")


async def test_requests_at_once_have_a_connection_each(
    server: RawServer, connections: Connections
) -> None:
    await asyncio.gather(*(connections.post(server.request, b"{}") for _ in range(3)))
    assert list(map(len, server.connections)) == [1, 1, 1]


@pytest.mark.parametrize("answer", [ANSWER + b"more", ANSWER.replace(b"1.1", b"1.0")])
async def test_a_connection_that_may_be_out_of_step_is_not_used_again(
    server: RawServer, connections: Connections, answer: bytes
) -> None:
    server.answer = answer
    for _ in range(2):
        await connections.post(server.request, b"{}")
    assert list(map(len, server.connections)) == [1, 1]


async def test_a_connection_that_the_server_has_closed_is_not_used_again(
    server: RawServer, connections: Connections
) -> None:
    server.closes = True
    for _ in range(2):
        assert (await connections.post(server.request, b"{}")).body == b"Paris"
        await asyncio.sleep(0.05)
    assert list(map(len, server.connections)) == [1, 1]


async def test_the_response_to_a_cancelled_request_is_not_taken_for_the_next(
    server: RawServer, connections: Connections
) -> None:
    server.waits = asyncio.Event()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await connections.post(server.request, b"first")
    server.waits.set()
    server.answer = ANSWER.replace(b"Paris", b"Milan")
    assert (await connections.post(server.request, b"second")).body == b"Milan"
    assert list(map(len, server.connections)) == [1, 1]


async def test_nobody_at_an_address(connections: Connections) -> None:
    request = plain_request("http://127.0.0.1:9/v1", JSON)
    assert request is not None
    with pytest.raises(ConnectionError, match=r"Cannot connect to host 127\.0\.0\.1:9"):
        await connections.post(request, b"{}")


@pytest.mark.parametrize(
    ("url", "host", "port", "line"),
    [
        ("http://model.local/v1", "model.local", 80, b"host: model.local\r\n"),
        ("http://[::1]:8000/v1", "::1", 8000, b"host: [::1]:8000\r\n"),
    ],
)
def test_a_plain_address(url: str, host: str, port: int, line: bytes) -> None:
    request = plain_request(url, JSON)
    assert request is not None
    assert (request.host, request.port) == (host, port)
    assert line in request.head


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("https://model.local/v1", {}),
        ("http://user:password@model.local/v1", {}),
        ("http://model.local/v1?key=value", {}),
        ("http://model.local/v 1", {}),
        ("http://model.local/v%311", {}),
        ("http://model.local/a/../v1", {}),
        ("http://model.local:99999/v1", {}),
        ("http://modèle.local/v1", {}),
        ("http://model.local/v1", {"x-title": "Prüfung"}),
        ("http://model.local/v1", {"x-title": "a\r\nx-more: b"}),
        ("http://model.local/v1", {"transfer-encoding": "chunked"}),
        ("http://model.local/v1", {"host": "elsewhere"}),
    ],
)
def test_what_takes_aiohttp_to_send(url: str, headers: dict[str, str]) -> None:
    assert plain_request(url, headers) is None
