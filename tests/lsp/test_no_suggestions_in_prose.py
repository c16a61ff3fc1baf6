"""Nothing is suggested within prose, where an editor would take it for the word that is being typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.lsp.client import RawClient

#: A text of each format, with the cursor after `|`.
PROSE = {
    "a.eval.yaml": "evalcases:\n  - id: greet\n    input: Hello\n    expected_outcome: A greeting\n"
    "    rubrics:\n      - Hello there\n      - Says hello|\n",
    "outcome.eval.yaml": "evalcases:\n  - id: greet\n    input: Hello\n    expected_outcome: A gree|\n",
    "block.eval.yaml": "evalcases:\n  - id: greet\n    input: |-\n      Hello, can you gree|\n",
    "promptfooconfig.yaml": "prompts: [Hi]\nproviders: [echo]\ntests:\n  - assert:\n"
    "      - type: llm-rubric\n        value: Says hello|\n",
    "evals.json": '{"skill_name": "a", "evals": [{"id": 1, "prompt": "Say hello|"}]}',
    "cases.jsonl": '{"id": "a", "input": "Say hello|", "expected_outcome": "b"}\n',
    "note.md": "Is the answer warm? Says hello|\n",
}


@pytest.mark.parametrize("name", PROSE)
async def test_nothing_is_suggested(client: RawClient, tmp_path: Path, name: str) -> None:
    before, _, after = PROSE[name].rpartition("|")
    uri = (tmp_path / name).as_uri()
    client.open(uri, before + after)
    place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    params = {"textDocument": {"uri": uri}, "position": place}
    found = await client.request("textDocument/completion", params)
    assert (found or {"items": []})["items"] == []
