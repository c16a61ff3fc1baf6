"""Wherever a key names a file, it is a link, has a definition and a hover, is completed, renamed, and missed when it is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

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
    "tone.yaml": "- Is kind\n",
}
#: The names of files of suites, each with its text: the lines with files are tried one by one.
PROMPTFOO = "promptfooconfig.yaml"
AGENTV = "desk.eval.yaml"
AGENT_SKILLS = "evals/evals.json"
TEXTS = {
    PROMPTFOO: """\
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
""",
    AGENTV: """\
prompts:
  - file://files/prompt.txt
  - id: file://files/prompt.txt
    label: two
    config:
      response_format: file://files/schema.json
  - label: three
    path: files/prompt.txt
  - label: four
    file: files/prompt.txt
providers:
  - id: openai:gpt-4.1
    config:
      tools: file://files/tools.json
nunjucks_filters:
  mine: files/change.js
extensions:
  - file://files/hooks.py:hook
input_files:
  - files/value.txt
tests:
  - file://files/tests.yaml
  - id: all
    vars:
      q: file://files/value.txt
    input_files:
      - files/body.txt
    assert_scoring_function: file://files/change.js
    options:
      transform: file://files/change.js
      transform_vars: file://files/change.js
      rubric_prompt: file://files/prompt.txt
    assert:
      - include: files/tone.yaml
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
        rubric_prompt: file://files/prompt.txt
        transform: file://files/change.js
      - type: llm-rubric
        value: Is kind
        prompt: file://files/prompt.txt
scenarios:
  - file://files/scenarios.yaml
default_test: file://files/default.yaml
""",
    AGENT_SKILLS: """\
{
  "skill_name": "greeting",
  "evals": [
    {
      "id": 1,
      "prompt": "Summarize the letter",
      "expected_output": "A summary",
      "files": [
        "files/value.txt"
      ],
      "expectations": ["It is short"]
    }
  ]
}
""",
}


class Place(NamedTuple):
    """A line of a suite that has the path of a file.

    Attributes:
        suite: the name of the suite.
        number: the number of the line, from 0.
    """

    suite: str
    number: int

    @property
    def line(self) -> str:
        return TEXTS[self.suite].split("\n")[self.number]

    @property
    def start(self) -> int:
        """Where the path begins."""
        return self.line.index("files/")

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.line.rpartition("files/")[2].removesuffix(":hook").rstrip('"')

    def with_line(self, line: str) -> str:
        """Return the text of the suite with another line in its place."""
        lines = TEXTS[self.suite].split("\n")
        return "\n".join([*lines[: self.number], line, *lines[self.number + 1 :]])

    def __str__(self) -> str:
        key = self.line.strip().removeprefix("- ").partition(": ")[0]
        return f"{self.suite}:{self.number + 1} {key}"


PLACES = [
    Place(suite, number)
    for suite, text in TEXTS.items()
    for number, line in enumerate(text.split("\n"))
    if "files/" in line
]
CAPABILITIES: dict[str, Any] = {
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "workspace": {"fileOperations": {"willRename": True}},
}


each_suite = pytest.mark.parametrize("suite", TEXTS)


def places_of(suite: str) -> list[Place]:
    return [place for place in PLACES if place.suite == suite]


def write(folder: Path, suite: str) -> Path:
    """Write a suite, and all files that it names."""
    (folder / "files").mkdir()
    for name, text in FILES.items():
        (folder / "files" / name).write_text(text)
    (folder / "SKILL.md").write_text(
        "---\nname: greeting\ndescription: Greets people\n---\nGreet.\n"
    )
    path = folder / suite
    path.parent.mkdir(exist_ok=True)
    path.write_text(TEXTS[suite])
    return path


async def opened(start: Start, folder: Path, suite: str) -> RawClient:
    """Return a server that has a suite open."""
    client = await start()
    await client.initialize(CAPABILITIES, root=folder, trusted=False)
    client.open((folder / suite).as_uri(), TEXTS[suite])
    return client


@each_suite
async def test_each_is_a_link_with_a_definition_and_a_hover(
    suite: str, start: Start, tmp_path: Path
) -> None:
    path = write(tmp_path, suite)
    client = await opened(start, tmp_path, suite)
    document = {"textDocument": {"uri": path.as_uri()}}
    links = await client.request("textDocument/documentLink", document)
    linked = {link["range"]["start"]["line"] for link in links}
    lacking: list[str] = []
    for place in places_of(suite):
        position = {"line": place.number, "character": place.start + 8}
        asked = {**document, "position": position}
        hover = await client.request("textDocument/hover", asked)
        definition = await client.request("textDocument/definition", asked)
        shown = f"files/{place.file}" in (hover["contents"]["value"] if hover else "")
        if place.number not in linked or not definition or not shown:
            lacking.append(str(place))
    assert lacking == []


@each_suite
async def test_each_is_completed(suite: str, start: Start, tmp_path: Path) -> None:
    path = write(tmp_path, suite)
    client = await opened(start, tmp_path, suite)
    lacking: list[str] = []
    for version, place in enumerate(places_of(suite), 2):
        end = place.start + len("files/")
        closing = '"' if place.line.endswith('"') else ""
        text = place.with_line(place.line[:end] + closing)
        client.change(path.as_uri(), version, {"text": text})
        params = {
            "textDocument": {"uri": path.as_uri()},
            "position": {"line": place.number, "character": end},
        }
        found = await client.request("textDocument/completion", params)
        items = found["items"] if isinstance(found, dict) else found or []
        if not any(item["label"].endswith(place.file) for item in items):
            lacking.append(str(place))
    assert lacking == []


@each_suite
async def test_each_is_renamed_with_its_file(suite: str, start: Start, tmp_path: Path) -> None:
    path = write(tmp_path, suite)
    client = await opened(start, tmp_path, suite)
    lacking: list[str] = []
    for name in FILES:
        old = tmp_path / "files" / name
        moved = {"oldUri": old.as_uri(), "newUri": old.with_name(f"new-{name}").as_uri()}
        edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
        changes = edit["changes"].get(path.as_uri(), []) if edit else []
        edited = {change["range"]["start"]["line"] for change in changes}
        named = [place for place in places_of(suite) if place.file == name]
        lacking += [str(place) for place in named if place.number not in edited]
    assert lacking == []


@each_suite
def test_none_is_missed_while_all_are_there(suite: str, tmp_path: Path) -> None:
    write(tmp_path, suite)
    assert missed(tmp_path) == set()


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_each_is_missed_when_it_is_gone(place: Place, tmp_path: Path) -> None:
    path = write(tmp_path, place.suite)
    path.write_text(place.with_line(place.line.replace("files/", "gone/")))
    assert missed(tmp_path) == {place.number + 1}


def missed(folder: Path) -> set[int]:
    """Return the lines at which a file is said to be missing."""
    findings = report_of(".", cwd=folder)["findings"]
    return {found["line"] for found in findings if "not found" in found["message"]}
