"""Findings in a baseline are left out in the editor as on the command line, and return without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.running.processes import SILENT, found, suitecase, write

Start = Callable[[], Awaitable[RawClient]]
PROMPTED = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
"""
TONE = "Judge {{ candidate_answer }}, {{ qestion }}.\n"
NEW = "  - id: new\n    input: Hi\n    expected_outcome: Hello\n    expected_messages: [{role: assistant}]\n"
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A workspace with known findings in a suite in a subfolder, and in a prompt."""
    write(tmp_path, "evals/a.eval.yaml", SILENT)
    write(tmp_path, "evals/b.eval.yaml", PROMPTED)
    write(tmp_path, "evals/tone.md", TONE)
    write(tmp_path, "evals/suitecase.toml", 'baseline = "known.json"\n')
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path / "evals")
    assert found("evals", cwd=tmp_path) == []
    return tmp_path


def codes(found: list[Any]) -> list[str]:
    return [it["code"] for it in found]


def changed(client: RawClient, path: Path) -> None:
    changes = [{"uri": path.as_uri(), "type": 2 if path.exists() else 3}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


async def test_editor_and_command_line_leave_out_the_same(start: Start, tree: Path) -> None:
    client = await start()
    # The folder that is open lies above the configuration, from which the baseline counts.
    await client.initialize(root=tree)
    suite, prompt = tree / "evals" / "a.eval.yaml", tree / "evals" / "tone.md"
    client.open(suite.as_uri(), SILENT)
    client.open((tree / "evals" / "b.eval.yaml").as_uri(), PROMPTED)
    client.open(prompt.as_uri(), TONE, language="markdown")
    assert await client.diagnostics(suite.as_uri()) == []
    # Known in the case it is known in, and new in another, wherever they stand.
    write(tree, "evals/a.eval.yaml", "# moved\n" + SILENT + NEW)
    client.change(suite.as_uri(), 2, {"text": "# moved\n" + SILENT + NEW})
    (only,) = await client.diagnostics(suite.as_uri(), 2)
    assert [(only["range"]["start"]["line"] + 1, only["code"])] == [
        (line, code) for _, line, code, _ in found("evals", cwd=tree)
    ]
    client.change(prompt.as_uri(), 2, {"text": TONE + TONE})
    twice = await client.diagnostics(prompt.as_uri(), 2, met=bool)
    assert [it["range"]["start"]["line"] for it in twice] == [1], "it is known once"
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": prompt.as_uri()},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 60}},
            "context": {"diagnostics": []},
        },
    )
    assert not [it for it in actions if it.get("kind") == "quickfix"], "nothing is wrong there"


@pytest.mark.parametrize("pulls", [False, True])
async def test_without_the_baseline_everything_is_shown_again(
    start: Start, tree: Path, pulls: bool
) -> None:
    client = await start()
    options: dict[str, Any] = {} if pulls else {"diagnostics": {"scope": "workspace"}}
    await client.initialize(PULLS if pulls else {}, root=tree, **options)
    uri = (tree / "evals" / "b.eval.yaml").as_uri()
    if not pulls:  # a client that pulls asks of what it opened by itself
        client.open(uri, PROMPTED)
    closed, prompt = (tree / "evals" / it for it in ("a.eval.yaml", "tone.md"))
    baseline = tree / "evals" / "known.json"

    async def workspace() -> dict[str, list[str]]:
        if not pulls:
            await client.diagnostics(closed.as_uri(), met=bool)
            await client.diagnostics(prompt.as_uri(), met=bool)
            found = [
                it["params"]
                for it in client.received
                if it["method"] == "textDocument/publishDiagnostics"
            ]
            return {it["uri"]: codes(it["diagnostics"]) for it in found}
        answer = await client.request("workspace/diagnostic", {"previousResultIds": []})
        return {it["uri"]: codes(it["items"]) for it in answer["items"]}

    if pulls:
        assert await workspace() == {}
    baseline.unlink()
    changed(client, baseline)
    if pulls:
        await client.message("workspace/diagnostic/refresh")
    shown = await workspace()
    assert shown[closed.as_uri()] == ["SC113"]
    assert shown[prompt.as_uri()] == ["SC302"]
    assert shown[(tree / "evals" / "suitecase.toml").as_uri()] == ["SC705"]
