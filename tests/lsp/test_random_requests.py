"""No request ends in an internal error or without an answer, whatever its parameters and the texts are.

The same requests each time; `make fuzz-requests` makes others for twenty minutes (`SUITECASE_FUZZ_REQUESTS_SECONDS`).
A failure names its seed; `SUITECASE_FUZZ_REQUESTS_SEED` begins with it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from support.lsp.client import RawClient
from support.lsp.random_requests import TEXTS, RandomRequests

Start = Callable[..., Awaitable[RawClient]]
SECONDS = float(os.environ.get("SUITECASE_FUZZ_REQUESTS_SECONDS", "0"))
#: So many rounds of so many requests.
ROUNDS, REQUESTS = 6, 60
INTERNAL_ERROR = -32603
CAPABILITIES = {
    "textDocument": {"diagnostic": {}, "hover": {"contentFormat": ["markdown"]}},
    "workspace": {
        "diagnostics": {"refreshSupport": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
    },
}


async def test_each_request_is_answered_without_an_internal_error(
    start: Start, tmp_path: Path
) -> None:
    default = time.time_ns() % 1_000_000_000 if SECONDS else 1
    seed = int(os.environ.get("SUITECASE_FUZZ_REQUESTS_SEED", default))
    for name, text in TEXTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    client = await start()
    await client.initialize(CAPABILITIES, root=tmp_path, trusted=False)
    end, rounds = time.monotonic() + SECONDS, 0
    while rounds < ROUNDS or time.monotonic() < end:
        await _round(
            client, RandomRequests(Random(seed + rounds), tmp_path), seed + rounds, rounds, tmp_path
        )
        rounds += 1
    assert b"Traceback" not in client.errors, client.errors.decode()[-3000:]


async def _round(
    client: RawClient, requests: RandomRequests, seed: int, number: int, root: Path
) -> None:
    for name in TEXTS:
        uri = requests.uri() if number % 5 == 4 else ""
        client.open(
            uri or (root / name).as_uri(),
            requests.text(name),
            version=number,
            language=requests.language(),
        )
    asked: dict[int, tuple[str, Any]] = {}
    for _ in range(REQUESTS):
        method, params = requests.request()
        asked[client.begin(method, params)] = (method, params)
    with suppress(TimeoutError):
        await client.until(lambda: all(it in client.answers for it in asked))
    unanswered = [it for id_, it in asked.items() if id_ not in client.answers]
    assert unanswered == [], f"seed {seed}: {unanswered[0]!r:.600} and {len(unanswered)}"
    for id_, (method, params) in asked.items():
        error = client.answers[id_].get("error", {})
        assert error.get("code") != INTERNAL_ERROR, (
            f"seed {seed}: {method} {params!r:.600}: {error}"
        )
    client.answers.clear()
    client.received.clear()
