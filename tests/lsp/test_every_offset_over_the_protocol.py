"""All position requests over the wire: in valid texts, half-typed ones, and out of range.

Other places are asked about each time, and many more by `make sweep`.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start
from support.samples import EVERY, SEED
from support.suites.editor_texts import EVERYTHING, TARGETS, write_surroundings

#: So many places of each text are asked about.
PLACES = 2_000 if EVERY else 10
REFUSED = -32803
ABLE: dict[str, Any] = {
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}},
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True, "insertReplaceSupport": True}},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    },
}
AT_A_PLACE: dict[str, dict[str, Any]] = {
    "completion": {},
    "hover": {},
    "definition": {},
    "references": {"context": {"includeDeclaration": True}},
    "documentHighlight": {},
    "prepareRename": {},
    "rename": {"newName": "another"},
}
OF_A_DOCUMENT = (
    "codeLens",
    "documentLink",
    "documentSymbol",
    "foldingRange",
    "semanticTokens/full",
)
LINE = '{"id": "a😀", "input": "Hi", "expected_outcome": "x", "rubrics": [{"id": "b"}]}\n'
TEXTS = {
    "whole.eval.yaml": EVERYTHING,
    "windows.eval.yaml": "\ufeff" + EVERYTHING.replace("\n", "\r\n"),
    "targets.yaml": TARGETS,
    "tone.md": "Is {{ candidate_answer }} 😀 {{ warm }}?\n{{ question",
    "suitecase.toml": '[rules]\nignore = ["SC101", "SC6"]\nseverity = {}\n',
    "data.jsonl": LINE * 2 + LINE[:40],
}


async def test_every_request_is_answered_wherever_the_cursor_is(
    start: Start, tmp_path: Path
) -> None:
    client = await _started(start, tmp_path)
    for name, text in TEXTS.items():
        await _ask_around(client, (tmp_path / name).as_uri(), text)

    assert client.errors == b""


async def test_every_request_is_answered_while_a_text_is_typed(
    start: Start, tmp_path: Path
) -> None:
    client = await _started(start, tmp_path)
    for name, text in TEXTS.items():
        await _type(client, (tmp_path / name).as_uri(), text)

    assert client.errors == b""


async def _ask_around(client: RawClient, uri: str, text: str) -> None:
    dice = Random(f"{SEED} {text}")
    lines = text.split("\n")
    places = [(len(lines) + 5, 0), (0, 9_999)]  # where there is nothing
    for _ in range(PLACES):
        line = dice.randrange(len(lines))
        places.append((line, dice.randint(0, len(lines[line]) + 1)))
    client.open(uri, text)
    for line, character in places:
        await _ask(client, uri, line, character)

    await _ask_of_document(client, uri)


async def _type(client: RawClient, uri: str, text: str) -> None:
    client.open(uri, "")
    step = max(1, len(text) // PLACES)
    first = Random(SEED).randrange(step)
    for version, end in enumerate(range(first, len(text) + 1, step), 2):
        typed = text[max(0, end - step) : end]
        before = text[: max(0, end - step)]
        line = before.count("\n")
        character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        place = {"line": line, "character": character}
        client.change(uri, version, {"range": {"start": place, "end": place}, "text": typed})
        now = text[:end]
        column = len(now.rpartition("\n")[2].encode("utf-16-le")) // 2
        await _ask(client, uri, now.count("\n"), column)
        if version % 10 == 0:
            await _ask_of_document(client, uri)


async def _started(start: Start, folder: Path) -> RawClient:
    write_surroundings(folder)
    (folder / "data.yaml").write_text("description: Greets\n", "utf-8")
    client = await start()
    await client.initialize(ABLE, root=folder)
    # A file that a suite names is a prompt.
    client.open((folder / "names.eval.yaml").as_uri(), EVERYTHING)
    return client


async def _ask(client: RawClient, uri: str, line: int, character: int) -> None:
    """Send all requests for a position; a refusal to rename is a valid response."""
    document, place = {"uri": uri}, {"line": line, "character": character}
    asked = [
        client.begin(
            f"textDocument/{method}", {"textDocument": document, "position": place, **more}
        )
        for method, more in AT_A_PLACE.items()
    ]
    here = {"start": place, "end": place}
    ranges: dict[str, dict[str, Any]] = {
        "codeAction": {"range": here, "context": {"diagnostics": []}},
        "selectionRange": {"positions": [place]},
        "inlayHint": {"range": here},
        "semanticTokens/range": {"range": here},
    }
    for method, more in ranges.items():
        asked.append(client.begin(f"textDocument/{method}", {"textDocument": document, **more}))
    for id_ in asked:
        try:
            await client.answer(id_)
        except RpcError as error:
            if error.code != REFUSED:
                error.add_note(f"at {line}:{character} of {uri}")
                raise


async def _ask_of_document(client: RawClient, uri: str) -> None:
    for method in OF_A_DOCUMENT:
        await client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}})
