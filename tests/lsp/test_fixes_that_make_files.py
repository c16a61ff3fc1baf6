"""Quick fixes that create a file or a target, as an editor requests and applies them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

SUITE = """\
execution: {target: gpt4}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]
"""
CREATES = {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}}


async def _offered(client: RawClient, uri: str, line: int, character: int) -> list[dict[str, Any]]:
    at = {"line": line, "character": character}
    context = {"diagnostics": [], "only": ["quickfix"]}
    params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": context}
    return list(await client.request("textDocument/codeAction", params))


async def test_a_prompt_is_made_by_an_editor_that_makes_files(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize({"workspace": CREATES}, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)

    (action, *_) = await _offered(client, uri, 5, 56)

    assert (action["title"], action["kind"]) == ("Create `tone.md`", "quickfix")
    assert [it["code"] for it in action["diagnostics"]] == ["SC301"]
    created, text = action["edit"]["documentChanges"]
    assert created == {
        "kind": "create",
        "uri": (tmp_path / "tone.md").as_uri(),
        "options": {"overwrite": False, "ignoreIfExists": False},
    }
    assert text["textDocument"]["uri"] == created["uri"]
    assert "{{ candidate_answer }}" in text["edits"][0]["newText"]


async def test_files_that_judges_of_a_name_read_are_made(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize({"workspace": CREATES}, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    judges = "judges: {tone: {prompt: tone.md, references: [policy.md]}}\n"
    client.open(uri, judges + SUITE.replace(", prompt: tone.md", ""))
    for word in ("tone.md", "policy.md"):
        (action, *_) = await _offered(client, uri, 0, judges.index(word))
        assert (action["title"], action["kind"]) == (f"Create `{word}`", "quickfix")


async def test_a_target_is_defined_in_a_file_that_is_open_and_not_saved(
    client: RawClient, tmp_path: Path
) -> None:
    uri, targets = ((tmp_path / it).as_uri() for it in ("a.eval.yaml", "targets.yaml"))
    (tmp_path / "targets.yaml").write_text("")
    client.open(targets, "# 🎉\ntargets:\n  - name: small\n    provider: mock\n")
    client.open(uri, SUITE)

    (action, *_) = await _offered(client, uri, 0, 22)

    assert action["title"] == "Define `gpt4` in `targets.yaml`"
    assert [it["code"] for it in action["diagnostics"]] == ["SC501"]
    ((changed, (edit,)),) = action["edit"]["changes"].items()
    assert changed == targets
    assert edit["range"]["start"] == {"line": 4, "character": 0}
    assert edit["newText"].startswith("  - name: gpt4\n    provider: litellm\n    model:")


async def test_an_editor_that_makes_no_files_is_offered_none(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)

    assert not [it for it in await _offered(client, uri, 5, 56) if "Create" in it["title"]]
