"""A long file shows what is wrong in its first cases before all of it is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[[], Awaitable[RawClient]]
HEAD = "execution: {target: mock}\nevalcases:\n"
CASE = "  - id: case-{n}\n    input: {filling}\n    expected_outcome: Says hello\n{more}"
WRONG = "    notez: wrong\n"
FILLING = "Hi " * 1500
CASES = 150
DIAGNOSTICS = {"limit": 1000, "scope": "openFilesOnly"}
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def case(number: int, more: str = WRONG, filling: str = FILLING) -> str:
    return CASE.format(n=number, more=more, filling=filling)


def suite(head: str = HEAD, more: str = WRONG) -> str:
    return head + "".join(case(number, more) for number in range(CASES))


async def opened(
    start: Start, folder: Path, text: str, name: str = "long.eval.yaml", **capabilities: Any
) -> tuple[RawClient, str]:
    (folder / name).write_text(text, "utf-8")
    client = await start()
    await client.initialize(capabilities or None, root=folder, diagnostics=DIAGNOSTICS)
    uri = (folder / name).as_uri()
    client.open(uri, text)
    return client, uri


async def published(client: RawClient, uri: str, complete: int) -> list[list[dict[str, Any]]]:
    """Return all diagnostics that are published until they are complete."""
    await client.diagnostics(uri, 1, lambda it: len(it) == complete)
    return [
        it["params"]["diagnostics"]
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics" and it["params"]["uri"] == uri
    ]


def places(found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(it["range"]["start"]["line"], it["code"]) for it in found]


async def test_findings_in_the_first_cases_come_first_and_stay(
    start: Start, tmp_path: Path
) -> None:
    client, uri = await opened(start, tmp_path, suite())

    first, complete = await published(client, uri, CASES)

    assert 0 < len(first) < CASES
    assert complete[: len(first)] == first
    assert places(complete) == [(5 + 4 * number, "SC101") for number in range(CASES)]


async def test_so_it_is_in_a_data_set(start: Start, tmp_path: Path) -> None:
    one = {"input": FILLING, "expected_outcome": "Says hello", "notez": "wrong"}
    text = "".join(json.dumps({"id": f"case-{n}"} | one) + "\n" for n in range(CASES))
    (tmp_path / "long.yaml").write_text("execution: {target: mock}\n", "utf-8")
    client, uri = await opened(start, tmp_path, text, "long.jsonl")

    first, complete = await published(client, uri, CASES)

    assert 0 < len(first) < CASES
    assert complete[: len(first)] == first


async def test_what_other_cases_may_change_is_not_said_before_they_are_read(
    start: Start, tmp_path: Path
) -> None:
    # The last case has an unknown key, and the id of the first one.
    text = suite(more="") + case(0, WRONG)
    client, uri = await opened(start, tmp_path, text)

    (complete,) = await published(client, uri, 2)

    assert {code for _, code in places(complete)} == {"SC101", "SC111"}


@pytest.mark.parametrize(
    "text",
    [
        "# suitecase: ignore[SC101] for now\n" + suite(),
        HEAD + case(0, filling=f"'{FILLING * CASES}'"),
        suite().replace(FILLING, "Hi"),
    ],
    ids=["a comment for the file", "one long case", "a short file"],
)
async def test_other_files_are_published_once(start: Start, tmp_path: Path, text: str) -> None:
    client, uri = await opened(start, tmp_path, text)
    found = await client.diagnostics(uri, 1)

    assert len(await published(client, uri, len(found))) == 1


async def test_a_key_that_is_pressed_at_once_counts(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path, suite())
    place = {"line": 5, "character": 8}
    repaired = {"range": {"start": place, "end": place | {"character": 9}}, "text": "s"}
    client.change(uri, 2, repaired)

    found = await client.diagnostics(uri, 2)

    assert len(found) == CASES


async def test_who_pulls_gets_all_of_them_at_once(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path, suite(), **PULLS)

    report = await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    assert len(report["items"]) == CASES
