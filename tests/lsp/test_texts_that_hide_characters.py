"""Names and texts with controls and invisible characters, as an editor gets them."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from suitecase.lsp.shown_texts import with_visible_texts
from suitecase.text.encoders.visible import is_visible, visible
from support.lsp.client import RawClient
from support.suites.hostile_texts import ATTACK, RAW

Start = Callable[..., Awaitable[RawClient]]
SUITE = f"""\
evalcases:
  - id: {json.dumps(f"case {ATTACK}")}
    input: {json.dumps(f"input {ATTACK}")}
    expected_outcome: x
    {json.dumps(f"unknown {ATTACK}")}: 1
    rubrics:
      - {{id: {json.dumps(f"item {ATTACK}")}, expected_outcome: x}}
"""
#: What is inserted, compared or sent back.
EXACT = ("newText", "insertText", "data", "arguments", "changes", "documentChanges", "edit", "uri")


def shown(value: Any) -> list[str]:
    """Return the texts of an answer that an editor shows."""
    if isinstance(value, dict):
        return [text for key, it in value.items() if key not in EXACT for text in shown(it)]
    if isinstance(value, list):
        return [text for it in value for text in shown(it)]
    return [value] if isinstance(value, str) else []


async def test_nothing_that_an_editor_shows_hides_characters(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(
        {
            "textDocument": {
                "hover": {"contentFormat": ["markdown"]},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
            }
        },
        root=tmp_path,
    )
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    diagnostics = await client.diagnostics(uri)
    assert any(
        "unknown key `unknown [U+001B][2J[U+001B]]0;pwned" in it["message"] for it in diagnostics
    )
    document = {"textDocument": {"uri": uri}}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}}
    line = next(at for at, it in enumerate(SUITE.splitlines()) if "unknown" in it)
    answers = [
        diagnostics,
        await client.request("textDocument/documentSymbol", document),
        await client.request("textDocument/codeLens", document),
        await client.request(
            "textDocument/codeAction",
            {**document, "range": everything, "context": {"diagnostics": diagnostics}},
        ),
        await client.request(
            "textDocument/hover", {**document, "position": {"line": line, "character": 8}}
        ),
        await client.request(
            "textDocument/hover", {**document, "position": {"line": 1, "character": 10}}
        ),
        await client.request("workspace/symbol", {"query": "case"}),
    ]
    texts = shown(answers)
    assert any("[U+202E]" in it for it in shown(answers[1]))
    assert [it for it in texts if RAW.search(it)] == []


def test_each_character_that_is_not_seen_is_shown() -> None:
    for point in range(sys.maxunicode + 1):
        text = f"a{chr(point)}b"
        if not is_visible(text):
            content = json.dumps({"message": text}).encode("ascii")
            message = b"Content-Length: %d\r\n\r\n" % len(content) + content
            _, _, body = with_visible_texts(message).partition(b"\r\n\r\n")
            assert json.loads(body) == {"message": visible(text)}, f"U+{point:04X}"


def test_edits_and_what_is_sent_back_stay_exact() -> None:
    message = {
        "title": "Rename to `\u202e`",
        "edit": {"changes": {"file:///\u202e": [{"newText": "\u202e"}]}},
        "command": {"title": "Run \x9b", "arguments": ["\u202e"]},
        "items": [{"label": "a\u200bb", "sortText": "1"}, {"label": "c", "insertText": "\u200b"}],
    }
    body = json.dumps(message).encode()
    headers, _, shown = with_visible_texts(
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    ).partition(b"\r\n\r\n")
    assert headers == b"Content-Length: %d" % len(shown)
    assert json.loads(shown) == {
        **message,
        "title": "Rename to `[U+202E]`",
        "command": {"title": "Run [U+009B]", "arguments": ["\u202e"]},
        "items": [
            {"label": "a[U+200B]b", "sortText": "1", "insertText": "a\u200bb"},
            {"label": "c", "insertText": "\u200b"},
        ],
    }


def test_ordinary_messages_are_sent_as_they_are() -> None:
    body = json.dumps({"message": "Grüße “x”, 日本語 👩‍👩‍👧"}).encode()
    message = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    shown = with_visible_texts(message).partition(b"\r\n\r\n")[2]
    assert json.loads(shown) == json.loads(body)
