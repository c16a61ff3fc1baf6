"""Completion over the protocol, for clients with different capabilities."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.evaluators.packages import install, module
from support.ide.completions import CURSOR
from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.running.processor_time import processor_time_of

#: What VS Code, Neovim 0.11 and Helix declare, and a client that knows of nothing.
VS_CODE = {
    "snippetSupport": True,
    "insertReplaceSupport": True,
    "documentationFormat": ["markdown", "plaintext"],
    "insertTextModeSupport": {"valueSet": [1, 2]},
}
NEOVIM = {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}
PLAIN: dict[str, Any] = {}

ITEM = "evalcases:\n  - id: a\n    evaluators:\n      - ▮\n"


async def started(start: Start, root: Path, item: dict[str, Any], *command: str) -> RawClient:
    client = await start(*command)
    capabilities = {"textDocument": {"completion": {"completionItem": item}}}
    await client.initialize(capabilities, root=root)
    return client


async def completed(client: RawClient, path: Path, text: str, **context: Any) -> dict[str, Any]:
    """Open a text and request completions at its cursor; positions count UTF-16."""
    before, behind = text.split(CURSOR)
    client.open(path.as_uri(), before + behind)
    line = before.split("\n")[-1]
    position = {
        "line": before.count("\n"),
        "character": len(line.lstrip("\ufeff").encode("utf-16-le")) // 2
        + line.startswith("\ufeff"),
    }
    params = {"textDocument": {"uri": path.as_uri()}, "position": position}
    if context:
        params["context"] = context
    result: dict[str, Any] = await client.request("textDocument/completion", params)
    return result


def labelled(result: dict[str, Any], label: str) -> dict[str, Any]:
    (found,) = (it for it in result["items"] if it["label"] == label)
    return dict(found)


async def test_the_server_says_what_it_completes(start: Start, tmp_path: Path) -> None:
    client = await start()
    provider = (await client.initialize(root=tmp_path))["completionProvider"]

    assert provider["resolveProvider"] is True
    assert {" ", "{", "[", "/"} <= set(provider["triggerCharacters"])
    assert not {"-", ":"} & set(provider["triggerCharacters"])


async def test_each_client_gets_what_it_can_take(start: Start, tmp_path: Path) -> None:
    path, other = tmp_path / "a.eval.yaml", tmp_path / "b.eval.yaml"
    word = "description: 😀\nevalcases:\n  - {note: 😀é, exp▮ect: Hi}\n"
    items, words = [], []
    for declared in (VS_CODE, NEOVIM, PLAIN):
        client = await started(start, tmp_path, declared)
        items.append(labelled(await completed(client, path, ITEM), "contains"))
        words.append(labelled(await completed(client, other, word), "expected_outcome"))
    vs_code, neovim, plain = items

    # Lines as they are, where the client can be told to keep them; else less what it indents by.
    assert vs_code["textEdit"]["newText"] == (
        "name: ${1:contains}\n        type: contains\n        value: $2"
    )
    assert vs_code["insertTextMode"] == 1
    assert neovim["textEdit"]["newText"] == "name: ${1:contains}\n  type: contains\n  value: $2"
    assert "insertTextMode" not in neovim
    assert vs_code["insertTextFormat"] == neovim["insertTextFormat"] == 2
    assert plain["textEdit"]["newText"] == (
        "name: contains\n        type: contains\n        value: "
    )
    assert "insertTextFormat" not in plain
    assert "**`contains`**" in vs_code["documentation"]["value"]
    assert "contains" in plain["documentation"]
    assert "**" not in plain["documentation"]

    def at(start: int, end: int) -> dict[str, Any]:
        return {"start": {"line": 2, "character": start}, "end": {"line": 2, "character": end}}

    assert words[0]["textEdit"] == {
        "newText": "expected_outcome",
        "insert": at(16, 19),
        "replace": at(16, 22),
    }
    for it in words[1:]:
        assert it["textEdit"] == {"newText": "expected_outcome", "range": at(16, 22)}


async def test_lines_end_as_in_the_document_and_configurations_count(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, PLAIN)
    text = f"\ufeff{ITEM}".replace("\n", "\r\n")
    found = await completed(client, tmp_path / "a.eval.yaml", text)

    assert labelled(found, "contains")["textEdit"]["newText"] == (
        "name: contains\r\n        type: contains\r\n        value: "
    )
    settings = await completed(client, tmp_path / "suitecase.toml", "fail▮\n")
    assert labelled(settings, "fail-level")["textEdit"]["newText"] == 'fail-level = "error"'
    assert found["isIncomplete"] is False
    assert [it["sortText"] for it in found["items"]] == sorted(
        it["sortText"] for it in found["items"]
    )


async def test_rules_bring_their_page_and_blanks_ask_where_something_begins(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, VS_CODE)
    text = "evalcases:\n  - id: a\n    outcome: x  # suitecase: ignore[▮]\n"
    found = await completed(client, tmp_path / "a.eval.yaml", text)
    first = found["items"][0]
    resolved = await client.request("completionItem/resolve", first)
    foreign = await client.request("completionItem/resolve", {"label": "x", "data": [1]})

    # What is found on the line comes first.
    assert (first["label"], "found here" in first["detail"]) == ("SC602", True)
    assert "documentation" not in first
    assert "# legacy-key (SC602)" in resolved["documentation"]["value"]
    assert foreign == {"label": "x", "data": [1]}

    typed = {"triggerKind": 2, "triggerCharacter": " "}
    value = await completed(client, tmp_path / "b.eval.yaml", "evaluation_mode: ▮\n", **typed)
    blank = "evalcases:\n  - id: a\n    ▮\n"
    nothing = await completed(client, tmp_path / "c.eval.yaml", blank, **typed)

    assert [it["label"] for it in value["items"]] == ["llm", "schema"]
    assert nothing["items"] == []


async def test_targets_and_prompts_count_as_they_stand_in_the_editor(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, PLAIN)
    (tmp_path / "targets.yaml").write_text("targets:\n  - {name: old, provider: mock}\n")
    client.open((tmp_path / "targets.yaml").as_uri(), "targets:\n  - {name: new, provider: mock}\n")
    (tmp_path / "judge.md").write_text("Judge.\n")
    suite = (
        "execution:\n  target: new\n  evaluators:\n    - name: x\n      type: llm_judge\n"
        "      prompt: judge.md\n      target: ▮\nevalcases:\n  - {id: a, input: x, expected_outcome: Hi}\n"
    )
    targets = await completed(client, tmp_path / "a.eval.yaml", suite)
    await client.diagnostics((tmp_path / "a.eval.yaml").as_uri())
    prompt = await completed(client, tmp_path / "judge.md", "Judge {{▮\n")
    other = await client.request(
        "textDocument/completion",
        {"textDocument": {"uri": "file:///no/such"}, "position": {"line": 0, "character": 0}},
    )

    assert [it["label"] for it in targets["items"]] == ["new", "mock"]
    assert labelled(prompt, "candidate_answer")["textEdit"]["newText"] == " candidate_answer }}"
    assert other is None


async def test_evaluators_of_installed_packages_are_offered_too(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = module("liked: str = Field(description='What is liked.')", "return None")
    install(tmp_path / "lib", "acme", {"acme": "acme:acme", "broken": "gone:x"}, {"acme": text})
    paths = [str(tmp_path / "lib"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(it for it in paths if it))
    client = await started(start, tmp_path, PLAIN)
    found = await completed(client, tmp_path / "a.eval.yaml", ITEM)

    assert labelled(found, "acme")["textEdit"]["newText"] == (
        "name: acme\n        type: acme\n        liked: "
    )
    assert "broken" not in [it["label"] for it in found["items"]]


async def test_completion_keeps_up_with_typing_in_a_thousand_cases(
    start: Start, tmp_path: Path
) -> None:
    case = (
        "  - id: case-{0}\n    input: Question {0}\n    expected_outcome: Answers {0}\n"
        "    rubrics:\n      - Is short\n    evaluators:\n      - name: word\n"
        "        type: contains\n        value: word\n"
    )
    text = "evalcases:\n" + "".join(case.format(it) for it in range(1000))
    client = await started(start, tmp_path, VS_CODE)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, text)
    line = text[: text.index("  - id: case-500")].count("\n") + 1
    begun = processor_time_of(client.process.pid)
    for version in range(2, 32):
        here = {"line": line, "character": 0}
        client.change(uri, version, {"range": {"start": here, "end": here}, "text": "    \n"})
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 4}}
        found = await client.request("textDocument/completion", params)
        assert any(it["label"] == "tags" for it in found["items"])

    # Some ten times what it takes on a quiet machine, reading the changed text included.
    assert processor_time_of(client.process.pid) - begun < 30 * 0.25


async def test_a_target_is_offered_the_cases_of_its_suites(start: Start, tmp_path: Path) -> None:
    (tmp_path / "a.eval.yaml").write_text("evalcases:\n  - {id: greet, input: x}\n  - {id: b}\n")
    (tmp_path / "more.jsonl").write_text('{"id": "line", "input": "x", "expected_outcome": "y"}\n')
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.eval.yaml").write_text("evalcases:\n  - {id: elsewhere, input: x}\n")
    (other / "targets.yaml").write_text("targets: []\n")
    path = tmp_path / "targets.yaml"
    text = "targets:\n  - name: m\n    provider: mock\n    response:\n      b: Yes\n      ▮\n"
    path.write_text(text.replace(CURSOR, ""))
    client = await started(start, tmp_path, PLAIN)

    found = await completed(client, path, text)

    assert [it["label"] for it in found["items"]] == ["greet", "line"]


async def test_a_star_asks_for_anchors(start: Start, tmp_path: Path) -> None:
    client = await started(start, tmp_path, PLAIN)
    text = "x-tags: &quick [a]\nevalcases:\n  - id: a\n    input: x\n    tags: *▮\n"

    found = await completed(
        client, tmp_path / "a.eval.yaml", text, triggerKind=2, triggerCharacter="*"
    )

    assert [it["textEdit"]["newText"] for it in found["items"]] == ["quick"]


async def test_a_variable_without_a_name_is_not_offered(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    text = 'prompts: ["Hi {{▮"]\nproviders: [echo]\ntests: [{vars: {"": a, city: b}}]\n'
    result = await completed(await started(start, tmp_path, PLAIN), path, text)
    labels = [item["label"] for item in result["items"]]
    assert "city" in labels
    assert "" not in labels
