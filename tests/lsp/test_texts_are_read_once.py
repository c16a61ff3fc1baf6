"""What a keystroke has read and found is not read and found again by requests."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.lsp import server_counting_reads
from support.lsp.client import RawClient, RpcError

COUNTING = Path(server_counting_reads.__file__).read_text("utf-8")
SUITE = """\
evalcases:
  - id: a
    input: Hi
    expected_outcome: Greets
    rubrics: [Greets]
  - id: b
    inptu: Hi
    expected_outcome: Greets
"""
TARGETS = "targets:\n  - {name: t, provider: mock}\n  - {name: u, provdier: mock}\n"
DATASET = (
    '{"id": "a", "input": "Hi", "expected_outcome": "Greets"}\n'
    '{"id": "b", "inptu": "Hi", "expected_outcome": "Greets"}\n'
)
CONFIGURATION = """\
prompts: ["Greet {{name}}"]
providers: [echo]
tests:
  - vars: {name: Ann}
    asserts: [{type: contains, value: Ann}]
"""
FILES = {
    "a.eval.yaml": SUITE,
    "targets.yaml": TARGETS,
    "cases.jsonl": DATASET,
    "promptfooconfig.yaml": CONFIGURATION,
}


async def _ask_everything(client: RawClient, uri: str, lines: int) -> None:
    here = {"textDocument": {"uri": uri}}
    everything = {
        "start": {"line": 0, "character": 0},
        "end": {"line": lines, "character": 0},
    }
    at = {**here, "position": {"line": 1, "character": 9}}
    for method, params in {
        "textDocument/hover": at,
        "textDocument/completion": at,
        "textDocument/definition": at,
        "textDocument/documentHighlight": at,
        "textDocument/references": {**at, "context": {"includeDeclaration": True}},
        "textDocument/prepareRename": at,
        "textDocument/codeAction": {
            **here,
            "range": everything,
            "context": {"diagnostics": [], "triggerKind": 1},
        },
        "textDocument/codeLens": here,
        "textDocument/documentLink": here,
        "textDocument/documentSymbol": here,
        "textDocument/foldingRange": here,
        "textDocument/selectionRange": {**here, "positions": [at["position"]]},
        "textDocument/inlayHint": {**here, "range": everything},
        "textDocument/semanticTokens/full": here,
    }.items():
        with suppress(RpcError):  # nothing here has a name
            await client.request(method, params)


async def _counts(client: RawClient) -> dict[str, int]:
    counts: dict[str, int] = await client.request(server_counting_reads.REQUEST)
    return counts


@pytest.mark.parametrize("name", FILES)
async def test_a_keystroke_is_read_once_and_requests_read_nothing(
    tmp_path: Path, name: str
) -> None:
    watching: dict[str, Any] = {
        "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    }
    async with RawClient.started(script=COUNTING) as client:
        await client.initialize(watching, root=tmp_path)
        uri = (tmp_path / name).as_uri()
        lines = FILES[name].count("\n")
        client.open(uri, FILES[name])
        await client.diagnostics(uri, 1, met=bool)
        await _ask_everything(client, uri, lines)

        before = await _counts(client)
        # A blank at the end of the last line, which changes nothing of what it says.
        place = {"line": lines - 1, "character": len(FILES[name].splitlines()[-1])}
        client.change(uri, 2, {"range": {"start": place, "end": place}, "text": " "})
        await client.diagnostics(uri, 2)
        after = await _counts(client)
        assert after["parses"] - before["parses"] == 1
        assert after["analyses"] - before["analyses"] == 1

        await _ask_everything(client, uri, lines)
        asked = await _counts(client)
        # Where something can be fixed, all fixes together are tried on the text that they make.
        fixed = 0 if name == "targets.yaml" else 2
        assert asked["parses"] - after["parses"] <= fixed
        assert asked["analyses"] - after["analyses"] <= fixed
