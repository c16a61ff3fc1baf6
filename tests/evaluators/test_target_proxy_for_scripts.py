"""The proxy scripts ask the judge through: who is answered, and what is refused."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError
from suitecase_evaluators.targets.target_proxy import TargetProxy, target_proxy
from support.running.evaluators import CannedJudge


async def sent(proxy: TargetProxy, raw: bytes) -> tuple[int, dict[str, Any]]:
    """Send a request as it stands; return the status and the answer."""
    port = int(proxy.environment["SUITECASE_TARGET_PROXY_URL"].rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    async with asyncio.timeout(20):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return int(head.split()[1]), json.loads(body)


def request(
    proxy: TargetProxy,
    body: bytes = b'{"prompt": "Paris?"}',
    *,
    method: str = "POST",
    path: str = "/ask",
    token: str | None = None,
) -> bytes:
    token = proxy.environment["SUITECASE_TARGET_PROXY_TOKEN"] if token is None else token
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nauthorization: Bearer {token}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def test_a_question_is_answered() -> None:
    async with target_proxy(CannedJudge("Oui: é"), "case-1", 1) as proxy:
        assert await sent(proxy, request(proxy)) == (200, {"text": "Oui: é"})


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"token": "wrong"}, 401),
        ({"token": ""}, 401),
        ({"path": "/"}, 404),
        ({"method": "GET"}, 405),
        ({"body": b"Paris?"}, 400),
        ({"body": b"\xff"}, 400),
        ({"body": b"[]"}, 400),
        ({"body": b'{"prompt": 3}'}, 400),
        ({"body": b'{"prompt": "a", "system_prompt": 3}'}, 400),
    ],
)
async def test_what_is_no_question_is_refused_and_costs_no_call(
    change: dict[str, Any], status: int
) -> None:
    judge = CannedJudge()
    async with target_proxy(judge, "case-1", 1) as proxy:
        answered, reply = await sent(proxy, request(proxy, **change))
        assert (answered, list(reply)) == (status, ["error"])
        assert judge.asked == []
        assert proxy.calls == 0
        assert (await sent(proxy, request(proxy)))[0] == 200


async def test_broken_requests_are_refused() -> None:
    async with target_proxy(CannedJudge(), "case-1", 1) as proxy:
        assert (await sent(proxy, b"POST /ask HTTP/1.1\r\n\r\n"))[0] == 411
        too_long = b"POST /ask HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"
        assert (await sent(proxy, too_long))[0] == 413
        for digit in (b"9", b"0"):
            many = b"POST /ask HTTP/1.1\r\nContent-Length: " + digit * 5_000 + b"\r\n\r\n"
            assert (await sent(proxy, many))[0] == 400


async def test_a_judge_that_cannot_answer_is_told_to_the_script() -> None:
    class Down(Target):
        async def ask(self, question: Question) -> Reply:
            raise TargetError("the host is down")

    async with target_proxy(Down("down"), "case-1", 1) as proxy:
        assert await sent(proxy, request(proxy)) == (502, {"error": "the host is down"})


async def test_the_proxy_ends_with_its_script_even_while_it_is_asked() -> None:
    class Slow(Target):
        def __init__(self) -> None:
            super().__init__("slow")
            self.asked = asyncio.Event()

        async def ask(self, question: Question) -> Reply:
            self.asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    slow = Slow()
    async with asyncio.timeout(20):
        async with target_proxy(slow, "case-1", 1) as proxy:
            port = int(proxy.environment["SUITECASE_TARGET_PROXY_URL"].rpartition(":")[2])
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request(proxy))
            await slow.asked.wait()
        with pytest.raises(OSError, match="Connect"):
            await asyncio.open_connection("127.0.0.1", port)
        writer.close()
