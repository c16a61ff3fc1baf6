"""What pygls would leave undone or keep forever."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from support.lsp.client import RawClient
from support.suites.slow import GREET, GREET_CASES

Start = Callable[..., Awaitable[RawClient]]
URI = "file:///nowhere/greet.eval.yaml"
HERE = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}}
CANCELLED = -32800
#: A server that says on a signal how much it keeps of what is over.
COUNTING = """
import signal, sys
from suitecase.lsp import server, session
kept = []
start = session.Session.start
def started(self, params):
    kept.append(self)
    start(self, params)
session.Session.start = started
def count(*_):
    (it,) = kept
    tokens, waiting = it.work_done_progress.tokens, it.rpc._request_futures
    print("progress", len(tokens), "requests", len(waiting), file=sys.stderr, flush=True)
signal.signal(signal.SIGUSR1, count)
sys.exit(server.main())
"""


async def test_what_is_over_is_not_kept(start: Start, tmp_path: Path) -> None:
    client = await start(script=COUNTING)
    await client.initialize({"window": {"workDoneProgress": True}}, root=tmp_path)
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    client.open(uri, GREET)
    for _ in range(3):
        answer = await client.run("runCase", uri, "part")
        assert answer["problem"] is None
    shown = [it for it in client.received if it["method"] == "window/workDoneProgress/create"]
    os.kill(client.process.pid, signal.SIGUSR1)
    await client.request("textDocument/hover", HERE)
    await client.request("shutdown")
    client.notify("exit")
    await client.ended()

    assert len(shown) == 3
    # One may be the request that was just being answered.
    assert client.errors in (b"progress 0 requests 0\n", b"progress 0 requests 1\n")


async def test_a_request_that_is_cancelled_at_once_has_one_answer(client: RawClient) -> None:
    """A second response would fail in the client of the test."""
    client.open(URI, GREET)
    ids = []
    for _ in range(100):
        ids.append(client.begin("textDocument/hover", HERE))
        client.notify("$/cancelRequest", {"id": ids[-1]})
    # Once more, when they are long answered.
    await client.until(lambda: all(it in client.answers for it in ids))
    for id_ in ids:
        client.notify("$/cancelRequest", {"id": id_})

    assert await client.request("textDocument/hover", HERE) is not None
    errors = [it["error"]["code"] for it in client.answers.values() if "error" in it]
    assert set(errors) <= {CANCELLED}
    assert client.errors == b""


async def test_what_is_cancelled_while_it_waits_is_not_worked_on(client: RawClient) -> None:
    """An editor that scrolls requests much that it then cancels."""
    text = GREET_CASES + "".join(
        f"  - {{id: more-{n}, input: Hi, expected_outcome: Greets}}\n" for n in range(3_000)
    )
    document = {"textDocument": {"uri": URI}}
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    asked: dict[str, dict[str, Any]] = {
        "hover": HERE,
        "documentSymbol": document,
        "semanticTokens/full": document,
        "codeLens": document,
        "foldingRange": document,
        "inlayHint": {**document, "range": span},
        "codeAction": {**document, "range": span, "context": {"diagnostics": []}},
        "documentLink": document,
    }
    client.open(URI, text)  # which takes a while
    async with client.at_once():
        ids = {method: client.begin(f"textDocument/{method}", it) for method, it in asked.items()}
        for id_ in ids.values():
            client.notify("$/cancelRequest", {"id": id_})
    await client.until(lambda: all(it in client.answers for it in ids.values()))

    answered = {method for method, it in ids.items() if "error" not in client.answers[it]}
    assert answered == set()
    assert {client.answers[it]["error"]["code"] for it in ids.values()} == {CANCELLED}
    assert await client.request("textDocument/hover", HERE) is not None
