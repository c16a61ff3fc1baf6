"""Mistakes in a label file are shown in it while it is edited, whether or not its suite is open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[[], Awaitable[RawClient]]
SUITE = """\
human:
  rubric:
    labels: [labels.csv]
gates: [human.rubric.agreement >= 10%]
evalcases:
  - id: refund-late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {id: tone, score_ranges: {0: Blames the customer, 5: Is warm}}
execution: {target: mock}
"""
ROW = "refund-late,3f9a1c22d1b0a7e4,tone,{rater},{value},\r\n"
GOOD = ROW.format(rater="😀 ann", value=8) + ROW.format(rater="ben", value=8)
HEADER = "case,answer,item,rater,value,note\r\n"


@pytest.fixture
def suite(tmp_path: Path) -> str:
    (tmp_path / "support.eval.yaml").write_text(SUITE)
    (tmp_path / "labels.csv").write_bytes((HEADER + GOOD).encode())
    return (tmp_path / "support.eval.yaml").as_uri()


@pytest.fixture
def labels(tmp_path: Path) -> str:
    return (tmp_path / "labels.csv").as_uri()


def codes(found: list[Any]) -> list[str]:
    """Return the codes of what is wrong, without what is only worth knowing."""
    return [it["code"] for it in found if it["severity"] < 3]


def typed(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    return {
        "range": {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        },
        "text": text,
    }


async def test_a_value_is_checked_at_its_cell_while_it_is_typed(
    client: RawClient, suite: str, labels: str
) -> None:
    client.open(suite, SUITE)
    assert codes(await client.diagnostics(suite, 1)) == []
    client.open(labels, HEADER + GOOD, language="csv")
    # Behind `😀 ann`, which is six characters and seven UTF-16 units.
    column = len("refund-late,3f9a1c22d1b0a7e4,tone,") + 7
    client.change(labels, 2, typed(1, column, column + 1, "88"))
    (found,) = await client.diagnostics(labels, 2, lambda it: len(it) == 1)
    assert found["code"] == "SC872"
    assert found["range"] == {
        "start": {"line": 1, "character": column},
        "end": {"line": 1, "character": column + 2},
    }
    client.change(labels, 3, typed(1, column, column + 2, "8"))
    assert await client.diagnostics(labels, 3, lambda it: not it) == []


async def test_the_label_file_alone_shows_what_its_closed_suite_finds(
    client: RawClient, suite: str, labels: str
) -> None:
    wrong = HEADER + GOOD.replace("refund-late", "refund-lat")
    client.open(labels, wrong, language="csv")
    (found,) = await client.diagnostics(labels, 1, lambda it: codes(it) == ["SC871"])
    assert found["range"]["start"] == {"line": 1, "character": 0}
    at = {"line": 1, "character": 2}
    params = {
        "textDocument": {"uri": labels},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    }
    offered = {it["title"]: it for it in await client.request("textDocument/codeAction", params)}
    edits = offered["Change to `refund-late`"]["edit"]["changes"][labels]
    assert [(it["range"]["start"]["line"], it["newText"]) for it in edits] == [
        (1, "refund-late"),
        (2, "refund-late"),
    ]
    client.change(labels, 2, {"text": HEADER + GOOD})
    assert await client.diagnostics(labels, 2, lambda it: not it) == []


async def test_labels_become_stale_while_the_rubric_is_edited(
    client: RawClient, suite: str, tmp_path: Path
) -> None:
    from suitecase.evidence.labels.items import items_of
    from suitecase.formats.suitecase.parsed import parse_suite

    wording = items_of(parse_suite(SUITE), "rubric")["refund-late"]["tone"].wording
    text = HEADER.replace("note", "wording") + GOOD.replace(",\r\n", f",{wording}\r\n")
    (tmp_path / "labels.csv").write_text(text, newline="")
    client.open(suite, SUITE)
    assert codes(await client.diagnostics(suite, 1)) == []
    client.change(suite, 2, {"text": SUITE.replace("Is warm", "Is kind")})
    found = await client.diagnostics(suite, 2, lambda it: "SC874" in codes(it))
    stale = next(it for it in found if it["code"] == "SC874")
    assert stale["message"].startswith("2 labels are of an earlier wording of `tone`")
    client.change(suite, 3, {"text": SUITE})
    await client.diagnostics(suite, 3, lambda it: not codes(it))


async def test_a_label_file_that_changes_on_disk_is_checked_again(
    start: Start, suite: str, labels: str, tmp_path: Path
) -> None:
    client = await start()
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    await client.initialize(watching, root=tmp_path)
    await client.until(lambda: bool(_watched(client)))
    assert "csv" in _watched(client)[0]
    client.open(suite, SUITE)
    assert codes(await client.diagnostics(suite, 1)) == []
    (tmp_path / "labels.csv").write_text(HEADER + GOOD.replace("8", "12"), newline="")
    changes = [{"uri": labels, "type": 2}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    found = await client.diagnostics(labels, met=lambda it: len(it) == 2)
    assert codes(found) == ["SC872", "SC872"]


def _watched(client: RawClient) -> list[str]:
    """Return the patterns of the files that the server asks to watch."""
    return [
        watcher["globPattern"]
        for it in client.received
        if it["method"] == "client/registerCapability"
        for registration in it["params"]["registrations"]
        for watcher in registration["registerOptions"].get("watchers", ())
    ]
