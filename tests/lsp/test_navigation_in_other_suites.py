"""Outlines, links, definitions, references and renaming in suites of other tools, over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
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


MANY = """\
prompts: [file://prompts/ask.txt]
providers: [echo]
tests: table.csv
"""


async def test_a_variable_is_followed_from_an_open_prompt_and_an_open_table(
    client: RawClient, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path)
    (tmp_path / "other.promptfooconfig.yaml").write_text(MANY, "utf-8")
    table = tmp_path / "table.csv"
    table.write_text("country,__expected\nSpain,Madrid\n", "utf-8")
    prompt = tmp_path / "prompts/ask.txt"
    # Not saved, and with a character of two units in front of the name.
    client.open(prompt.as_uri(), "😀 {{ country }}\n", language="plaintext")
    client.open(table.as_uri(), table.read_text("utf-8"), language="csv")
    everywhere = {
        (uri, 7, 6),
        (uri, 10, 11),
        (table.as_uri(), 0, 0),
        (prompt.as_uri(), 0, 6),
    }
    for file, line, character in everywhere:
        place = {"line": line, "character": character + 1}
        found = await asked(
            client, "references", file, position=place, context={"includeDeclaration": True}
        )
        assert {_place(it) for it in found} == everywhere
        found = await asked(client, "definition", file, position=place)
        assert {_place(it) for it in found} == everywhere - {(prompt.as_uri(), 0, 6)}
        marks = await asked(client, "documentHighlight", file, position=place)
        assert len(marks) == len([it for it in everywhere if it[0] == file])
    place = {"line": 0, "character": 7}
    named = await asked(client, "prepareRename", prompt.as_uri(), position=place)
    assert named["placeholder"] == "country"
    edit = await asked(client, "rename", prompt.as_uri(), position=place, newName="nation")
    assert {it: len(edits) for it, edits in edit["changes"].items()} == {
        uri: 2,
        table.as_uri(): 1,
        prompt.as_uri(): 1,
    }
    with pytest.raises(RpcError, match="cannot name a variable"):
        await asked(client, "rename", prompt.as_uri(), position=place, newName="a b")


async def test_paths_are_links_and_symbols_are_found_by_name(
    client: RawClient, tmp_path: Path
) -> None:
    uri = await opened(client, tmp_path)
    (link,) = await asked(client, "documentLink", uri)
    assert link["target"] == (tmp_path / "prompts/ask.txt").as_uri()
    assert link["range"]["start"] == {"line": 2, "character": 11}
    found = await client.request("workspace/symbol", {"query": "capital"})
    assert [(it["name"], it["location"]["uri"]) for it in found] == [("The capital", uri)]


def _place(location: dict[str, Any]) -> tuple[str, int, int]:
    start = location["range"]["start"]
    return location["uri"], start["line"], start["character"]


async def test_a_name_that_is_read_through_an_alias_is_highlighted_once(
    start: Start, tmp_path: Path
) -> None:
    text = (
        'prompts: ["Say {{ product }}"]\n'
        "providers: [echo]\n"
        "scenarios:\n"
        "  - config: [{vars: &v {product: boots}}]\n"
        "    tests: [{vars: *v}]\n"
        "tests: [{vars: {<<: *v}}]\n"
    )
    uri = (tmp_path / "promptfooconfig.yaml").as_uri()
    client = await start()
    await client.initialize({}, root=tmp_path)
    client.open(uri, text)
    place = {"line": 0, "character": text.index("product") + 1}
    found = await asked(client, "documentHighlight", uri, position=place)
    ranges = [str(highlight["range"]) for highlight in found]
    assert len(ranges) > 1
    assert len(ranges) == len(set(ranges))
