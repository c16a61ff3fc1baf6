"""An open suite is compared with its lock file, whether that is open or changes on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.running.commands import CommandSite

SUITE = """\
version: "1"
execution: {target: mock}
evalcases:
  - id: one
    input: Hi
    expected_outcome: Greets
  - id: two
    input: Hi
    expected_outcome: Thanks
"""


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    """A workspace with a locked suite."""
    site = CommandSite(tmp_path)
    site.write("a.eval.yaml", SUITE)
    assert site.run("lock", "a.eval.yaml").code == 0
    return site


def about_locks(found: list[Any]) -> list[tuple[str, int]]:
    """Return the rules on locks that found something, with the lines, from 0."""
    return [
        (it["code"], it["range"]["start"]["line"]) for it in found if it["code"].startswith("SC9")
    ]


async def test_a_changed_case_is_marked_until_it_is_restored(
    client: RawClient, site: CommandSite
) -> None:
    uri = (site.root / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    client.change(uri, 2, {"text": SUITE.replace("Greets", "Hello")})
    found = await client.diagnostics(uri, met=lambda it: bool(about_locks(it)))
    assert about_locks(found) == [("SC901", 3)]
    client.change(uri, 3, {"text": SUITE.replace("Hi\n", "'Hi'  # quoted\n")})
    await client.diagnostics(uri, met=lambda it: not about_locks(it))


async def test_locking_in_a_terminal_is_noticed(client: RawClient, site: CommandSite) -> None:
    uri = (site.root / "a.eval.yaml").as_uri()
    later = SUITE.replace('"1"', '"2"').replace("Greets", "Hello")
    client.open(uri, later)
    found = await client.diagnostics(uri, met=lambda it: bool(about_locks(it)))
    assert about_locks(found) == [("SC909", 0)]
    site.write("a.eval.yaml", later)
    assert site.run("lock", "a.eval.yaml").code == 0
    lock = (site.root / "a.eval.lock").as_uri()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": lock, "type": 2}]})
    await client.diagnostics(uri, met=lambda it: not about_locks(it))


async def test_an_open_lock_counts_as_it_is_edited(client: RawClient, site: CommandSite) -> None:
    uri, lock = ((site.root / name).as_uri() for name in ("a.eval.yaml", "a.eval.lock"))
    text = site.read("a.eval.lock")
    client.open(uri, SUITE)
    client.open(lock, text)
    client.change(lock, 2, {"text": text.replace('  "one"', '<<<<<<< main\n  "one"')})
    found = await client.diagnostics(uri, met=lambda it: bool(about_locks(it)))
    assert about_locks(found) == [("SC908", 0)]
    client.change(lock, 3, {"text": text})
    await client.diagnostics(uri, met=lambda it: not about_locks(it))
