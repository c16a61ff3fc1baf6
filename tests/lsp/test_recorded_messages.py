"""Replaying recorded sessions of real editors: every request gets a response.

How a recording is made stands in `tests/support/lsp/message_recorder.py`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import PATIENCE, Message, RawClient
from support.lsp.message_recorder import WORKSPACE

Start = Callable[..., Awaitable[RawClient]]
RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.jsonl"))
CANCELLED, REQUEST_FAILED = -32800, -32803


def recorded(path: Path, root: Path) -> list[Message]:
    """Return the messages of an editor, with another folder."""
    text = path.read_text("utf-8").replace(WORKSPACE, str(root))
    return [json.loads(line) for line in text.splitlines()]


async def say_again(client: RawClient, messages: list[Message], patience: float) -> set[Any]:
    """Replay the messages of an editor, waiting only where the editor had to wait.

    Returns:
        the ids of the requests without a response.
    """
    client.replies = {it["reply"]: it["result"] for it in messages if "reply" in it}
    (first, *rest) = [it for it in messages if it.get("method") not in (None, "shutdown", "exit")]
    asked = {it["id"] for it in (first, *rest) if "id" in it}
    client.send(first)
    await client.until(lambda: first["id"] in client.answers)
    for message in rest:
        client.send(message)
    # A run that was cancelled when it had begun may not have begun here.
    waits = {it["id"] for it in rest if it.get("method") == "workspace/executeCommand"}
    try:
        await client.until(lambda: client.answers.keys() >= asked - waits, patience)
        client.send({"jsonrpc": "2.0", "id": "end", "method": "shutdown"})
        await client.until(lambda: client.answers.keys() >= {*asked, "end"}, patience)
    except TimeoutError:
        pass
    return asked - client.answers.keys()


def test_there_are_recordings_of_the_editors_that_are_used_most() -> None:
    names = [it.name.partition("-")[0] for it in RECORDINGS]

    assert {*names} >= {"emacs", "neovim", "vscode"}
    for it in RECORDINGS:
        text = it.read_text("utf-8")
        assert "textDocument/didChange" in text, it.name
        assert "workspace/executeCommand" in text, it.name
        assert "/tmp/" not in text, it.name


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda it: it.stem)
async def test_what_an_editor_said_is_answered_when_it_is_said_again(
    start: Start, tmp_path: Path, path: Path
) -> None:
    client = await start()
    unanswered = await say_again(client, recorded(path, tmp_path), PATIENCE)
    client.notify("exit")

    assert unanswered == set()
    codes = {it["error"]["code"] for it in client.answers.values() if "error" in it}
    # Nobody waits here: what is asked about a run may come before its end.
    assert codes <= {CANCELLED, REQUEST_FAILED}
    assert await client.ended() == 0
    assert client.errors == client.garbage == b""


class Swallowing(RawClient):
    """A connection that loses one kind of request."""

    def send(self, message: Any) -> None:
        if message.get("method") != "textDocument/hover":
            super().send(message)


async def test_a_request_that_stays_unanswered_is_noticed(tmp_path: Path) -> None:
    kept = ("initialize", "textDocument/didOpen", "textDocument/hover")
    messages = [it for it in recorded(RECORDINGS[0], tmp_path) if it.get("method") in kept]
    hovers = {it["id"] for it in messages if it.get("method") == "textDocument/hover"}

    async with Swallowing.started() as client:
        assert await say_again(client, messages, 1.0) == hovers
    assert hovers
