"""Outlines, links, definitions, references and renaming in suites of other tools, over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

ABLE = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
CONFIGURATION = """\
description: Towns
prompts:
  - file://prompts/ask.txt
providers: [echo]
tests:
  - description: The capital
    vars:
      country: France
    assert:
      - {type: contains, value: Paris}
  - vars: {country: Italy}
"""


async def opened(client: RawClient, folder: Path) -> str:
    (folder / "prompts").mkdir()
    (folder / "prompts/ask.txt").write_text("What is the capital of {{ country }}?\n", "utf-8")
    path = folder / "promptfooconfig.yaml"
    path.write_text(CONFIGURATION, "utf-8")
    client.open(path.as_uri(), CONFIGURATION)
    return path.as_uri()


async def asked(client: RawClient, method: str, uri: str, **rest: Any) -> Any:
    return await client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **rest})


def names(symbols: list[dict[str, Any]]) -> list[str]:
    return [name for it in symbols for name in (it["name"], *names(it.get("children") or []))]


async def test_an_outline_follows_what_is_typed(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(ABLE, root=tmp_path)
    uri = await opened(client, tmp_path)
    outline = await asked(client, "documentSymbol", uri)
    expected = ["Towns", "file://prompts/ask.txt", "echo", "The capital", "contains", "Italy"]
    assert names(outline) == expected
    italy = outline[0]["children"][-1]
    assert italy["range"]["start"]["line"] == 10
    above = {"line": 5, "character": 0}
    client.change(
        uri,
        2,
        {"range": {"start": above, "end": above}, "text": "  - vars: {country: Spain}\n"},
    )
    outline = await asked(client, "documentSymbol", uri)
    assert names(outline) == [*expected[:3], "Spain", *expected[3:]]
    assert outline[0]["children"][-1]["range"]["start"]["line"] == 11


async def test_a_selection_grows_from_a_value_to_its_test(
    client: RawClient, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path)
    place = {"line": 7, "character": 18}
    (selection,) = await asked(client, "selectionRange", uri, positions=[place])
    texts: list[str] = []
    lines = CONFIGURATION.splitlines(keepends=True)
    while selection is not None:
        first, last = selection["range"]["start"], selection["range"]["end"]
        text = "".join(lines[first["line"] : last["line"] + 1])
        texts.append(text[first["character"] :].split("\n")[0])
        selection = selection.get("parent")
    assert texts == ["France", "country: France", *texts[2:]]
    assert "- description: The capital" in texts
    assert texts[-1] == "description: Towns"
