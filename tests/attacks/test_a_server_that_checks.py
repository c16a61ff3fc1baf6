"""A file that takes for ever to check holds nothing up in the language server, and never its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.running.processes import SOUND, write
from support.running.processor_time import (
    parent_of,
    processor_time_of,
    processor_time_of_children_of,
)
from support.suites.endless_schema import ENDLESS, ENDLESS_RULE

#: A rule is ended after 10 s of processor time; a server that is to end uses less than that.
SOON = 6.0
#: Where a test waits until the rule is ended: so much is enough to ask other things meanwhile.
QUICKLY = {"suitecase.text.time_limits.LIMIT": 1.0}


def _codes(found: list[Any]) -> list[str]:
    return sorted({it["code"] for it in found})


async def test_the_server_answers_while_a_document_is_checked_and_says_what_was_ended(
    start: Start, tmp_path: Path
) -> None:
    client = await start(limits=QUICKLY)
    await client.initialize(root=tmp_path)
    endless, sound = ((tmp_path / it).as_uri() for it in ("endless.eval.yaml", "b.eval.yaml"))
    client.open(endless, ENDLESS)
    client.open(sound, SOUND.replace("input:", "inptu:"))
    here = {"textDocument": {"uri": sound}, "position": {"line": 1, "character": 2}}
    assert await client.request("textDocument/hover", here) is not None
    assert "SC101" in _codes(await client.diagnostics(sound, met=bool))
    shown = [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]
    assert not any(ENDLESS_RULE in _codes(it["params"]["diagnostics"]) for it in shown)
    found = await client.diagnostics(endless, met=lambda it: ENDLESS_RULE in _codes(it))
    assert "SC111" in _codes(found)
    assert "was stopped" in next(it["message"] for it in found if it["code"] == ENDLESS_RULE)


async def test_what_is_typed_meanwhile_counts(start: Start, tmp_path: Path) -> None:
    client = await start(limits=QUICKLY)
    await client.initialize(root=tmp_path)
    uri = (tmp_path / "endless.eval.yaml").as_uri()
    client.open(uri, ENDLESS)
    await client.diagnostics(uri)
    client.change(uri, 2, {"text": SOUND.replace("input:", "inptu:")})
    found = await client.diagnostics(uri, 2, met=lambda it: "SC101" in _codes(it))
    assert ENDLESS_RULE not in _codes(found)
    client.change(uri, 3, {"text": SOUND})
    assert await client.diagnostics(uri, 3, met=lambda it: not it) == []


async def test_a_client_that_asks_is_told_to_ask_again(start: Start, tmp_path: Path) -> None:
    client = await start(limits=QUICKLY)
    pulls = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(pulls, root=tmp_path)
    uri = (tmp_path / "endless.eval.yaml").as_uri()
    client.open(uri, ENDLESS)
    asked = {"textDocument": {"uri": uri}}
    first = await client.request("textDocument/diagnostic", asked)
    assert ENDLESS_RULE not in _codes(first["items"])
    await client.message("workspace/diagnostic/refresh")
    then = await client.request("textDocument/diagnostic", asked)
    assert ENDLESS_RULE in _codes(then["items"])


async def _computing(start: Start, folder: Path, *, is_open: bool) -> RawClient:
    """Start a server and return its client once it computes in a thread, and will for long."""
    client = await start()
    await client.initialize(root=folder, diagnostics={"scope": "workspace"})
    if is_open:
        client.open((folder / "a.eval.yaml").as_uri(), ENDLESS)
    else:
        write(folder, "a.eval.yaml", ENDLESS)
    sound = (folder / "b.eval.yaml").as_uri()
    client.open(sound, SOUND)
    await client.diagnostics(sound)
    # All that is asked is answered, so what takes time from here on is the check.
    before = processor_time_of(client.process.pid)
    while processor_time_of(client.process.pid) < before + 0.3:
        here = {"textDocument": {"uri": sound}, "position": {"line": 1, "character": 2}}
        await client.request("textDocument/hover", here)
    return client


async def _end(client: RawClient, end: str) -> None:
    parent = parent_of(client.process.pid)
    before = processor_time_of(client.process.pid) + processor_time_of_children_of(parent)
    if end == "shutdown and exit":
        await client.request("shutdown")
    if end == "all at once":
        client.begin("shutdown")
    if end == "end of input":
        client.close_input()
    else:
        client.notify("exit")
    assert await client.ended() == (0 if end in ("shutdown and exit", "all at once") else 1)
    assert processor_time_of_children_of(parent) - before < SOON


ALL_ENDS = ("shutdown and exit", "exit", "end of input", "all at once")


@pytest.mark.parametrize(
    ("is_open", "end"),
    [*((True, end) for end in ALL_ENDS), (False, "shutdown and exit"), (False, "end of input")],
)
async def test_the_server_ends_while_it_checks(
    start: Start, tmp_path: Path, end: str, *, is_open: bool
) -> None:
    await _end(await _computing(start, tmp_path, is_open=is_open), end)


@pytest.mark.parametrize("end", ["end of input", "all at once"])
async def test_the_server_ends_when_the_check_is_still_to_begin(
    start: Start, tmp_path: Path, end: str
) -> None:
    client = await start()
    await client.initialize(root=tmp_path)
    for name in ("a.eval.yaml", "b.eval.yaml"):
        client.open((tmp_path / name).as_uri(), ENDLESS)
    await _end(client, end)
