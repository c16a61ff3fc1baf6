"""Wherever a key names a file, it is a link, has a definition and a hover, is completed, renamed, and missed when it is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.running.processes import report_of

#: What is in each file, by its name; all lie in one folder.
FILES = {
    "prompt.txt": "Say {{q}}",
    "schema.json": "{}",
    "provider.yaml": "id: openai:gpt-4.1\n",
    "change.js": "module.exports = (output) => output\n",
    "tools.json": "[]",
    "body.txt": "{{prompt}}",
    "hooks.py": "def hook(name, context):\n    return context\n",
    "value.txt": "v",
    "tests.yaml": "- vars: {q: a}\n",
    "check.py": "def get_assert(output, context):\n    return True\n",
    "scenarios.yaml": "- config: [{vars: {q: a}}]\n  tests: [{assert: [{type: is-json}]}]\n",
    "default.yaml": "vars: {}\n",
}
#: Each place with the name of its file: the lines of a configuration, each of which is tried by itself.
TEXT = """\
prompts:
  - file://files/prompt.txt
  - id: file://files/prompt.txt
    label: second
    config:
      response_format: file://files/schema.json
providers:
  - file://files/provider.yaml
  - id: openai:gpt-4.1
    transform: file://files/change.js
    config:
      tools: file://files/tools.json
      functions: file://files/tools.json
      response_format: file://files/schema.json
  - id: openai:gpt-4.1-mini
    config:
      response_format:
        type: json_schema
        schema: file://files/schema.json
  - id: https://example.com/x
    config:
      body:
        question: file://files/body.txt
      transformResponse: file://files/change.js
      transformRequest: file://files/change.js
nunjucksFilters:
  shorter: files/change.js
extensions:
  - file://files/hooks.py:hook
tests:
  - file://files/tests.yaml
  - description: all
    vars:
      q: file://files/value.txt
    assertScoringFunction: file://files/change.js
    options:
      transform: file://files/change.js
      transformVars: file://files/change.js
      rubricPrompt: file://files/prompt.txt
      provider: file://files/provider.yaml
    assert:
      - type: contains
        value: file://files/value.txt
      - type: is-json
        value: file://files/schema.json
      - type: javascript
        value: file://files/change.js
      - type: python
        value: file://files/check.py
      - type: llm-rubric
        value: file://files/value.txt
        rubricPrompt: file://files/prompt.txt
        provider: file://files/provider.yaml
        transform: file://files/change.js
      - type: context-recall
        value: file://files/value.txt
        contextTransform: file://files/change.js
scenarios:
  - file://files/scenarios.yaml
defaultTest: file://files/default.yaml
"""
LINES = TEXT.split("\n")
PLACES = [number for number, line in enumerate(LINES) if "files/" in line]
CAPABILITIES: dict[str, Any] = {
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "workspace": {"fileOperations": {"willRename": True}},
}


def _label(number: int) -> str:
    return f"line {number + 1}: {LINES[number].strip().removeprefix('- ').partition(': ')[0]}"


every_place = pytest.mark.parametrize("number", PLACES, ids=_label)


def _name(number: int) -> str:
    """Return the name of the file that a line has."""
    return LINES[number].rpartition("files/")[2].removesuffix(":hook")


def _start(number: int) -> int:
    return LINES[number].index("files/")


@pytest.fixture
async def open_workspace(start: Start, tmp_path: Path) -> tuple[RawClient, Path]:
    """A server with the configuration open, all of whose files are there."""
    (tmp_path / "files").mkdir()
    for name, text in FILES.items():
        (tmp_path / "files" / name).write_text(text)
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(TEXT)
    client = await start()
    await client.initialize(CAPABILITIES, root=tmp_path, trusted=False)
    client.open(path.as_uri(), TEXT)
    return client, path


async def test_each_is_a_link_with_a_definition_and_a_hover(
    open_workspace: tuple[RawClient, Path],
) -> None:
    client, path = open_workspace
    document = {"textDocument": {"uri": path.as_uri()}}
    links = await client.request("textDocument/documentLink", document)
    linked = {link["range"]["start"]["line"] for link in links}
    lacking: list[str] = []
    for number in PLACES:
        place = {**document, "position": {"line": number, "character": _start(number) + 8}}
        hover = await client.request("textDocument/hover", place)
        definition = await client.request("textDocument/definition", place)
        shown = f"files/{_name(number)}" in (hover["contents"]["value"] if hover else "")
        if number not in linked or not definition or not shown:
            lacking.append(_label(number))
    assert lacking == []


async def test_each_is_completed(open_workspace: tuple[RawClient, Path]) -> None:
    client, path = open_workspace
    lacking: list[str] = []
    for version, number in enumerate(PLACES, 2):
        end = _start(number) + len("files/")
        typed = [*LINES[:number], LINES[number][:end], *LINES[number + 1 :]]
        client.change(path.as_uri(), version, {"text": "\n".join(typed)})
        place = {"line": number, "character": end}
        params = {"textDocument": {"uri": path.as_uri()}, "position": place}
        found = await client.request("textDocument/completion", params)
        items = found["items"] if isinstance(found, dict) else found or []
        if not any(item["label"].endswith(_name(number)) for item in items):
            lacking.append(_label(number))
    assert lacking == []


async def test_each_is_renamed_with_its_file(open_workspace: tuple[RawClient, Path]) -> None:
    client, path = open_workspace
    lacking: list[str] = []
    for name in FILES:
        old = path.parent / "files" / name
        moved = {"oldUri": old.as_uri(), "newUri": old.with_name(f"new-{name}").as_uri()}
        edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
        changes = edit["changes"].get(path.as_uri(), []) if edit else []
        edited = {change["range"]["start"]["line"] for change in changes}
        named = [number for number in PLACES if _name(number) == name]
        lacking += [_label(number) for number in named if number not in edited]
    assert lacking == []


@every_place
def test_each_is_missed_when_it_is_gone(number: int, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for name, text in FILES.items():
        (tmp_path / "files" / name).write_text(text)
    (tmp_path / "promptfooconfig.yaml").write_text(TEXT)
    before = _missed(tmp_path)
    assert before == set()
    gone = LINES[number].replace("files/", "gone/")
    text = "\n".join([*LINES[:number], gone, *LINES[number + 1 :]])
    (tmp_path / "promptfooconfig.yaml").write_text(text)
    assert _missed(tmp_path) == {number + 1}


def _missed(folder: Path) -> set[int]:
    """Return the lines at which a file is said to be missing."""
    found = report_of(".", cwd=folder)["findings"]
    return {it["line"] for it in found if "not found" in it["message"]}
