"""Hovers, completion and inlay hints in suites of other tools, and in the files they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.ide.completions import CURSOR
from support.lsp.client import RawClient
from support.lsp.fixtures import Start

CONFIGURATION = """\
prompts: [file://prompts/ask.txt]
providers: [echo, openai:gpt-4.1]
defaultTest:
  assert: [{type: is-json}]
tests:
  - file://cases.yaml
  - vars: {country: France}
    assert:
      - type: contains
        value: Paris
"""
FILES = {
    "prompts/ask.txt": "What is the capital of {{ country }}? {{tone}}\n",
    "cases.yaml": "- vars:\n    country: Italy\n  assert:\n    - {type: contains, value: Rome}\n",
}


@pytest.fixture
async def editor(start: Start, tmp_path: Path) -> Editor:
    """An editor in a folder with a configuration, a list of tests and a prompt."""
    for name, text in {"promptfooconfig.yaml": CONFIGURATION, **FILES}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    client = await start()
    await client.initialize({}, root=tmp_path)
    return Editor(client, tmp_path)


class Editor:
    """Asks a server at a cursor in a text."""

    def __init__(self, client: RawClient, folder: Path) -> None:
        self._client = client
        self._folder = folder

    async def open(self, name: str, text: str) -> str:
        uri = (self._folder / name).as_uri()
        language = "yaml" if name.endswith(".yaml") else "plaintext"
        self._client.open(uri, text, language=language)
        await self._client.diagnostics(uri)
        return uri

    async def ask(self, method: str, name: str, text: str) -> Any:
        before, after = text.split(CURSOR)
        uri = await self.open(name, before + after)
        line = before.count("\n")
        place = {"line": line, "character": len(before.split("\n")[-1])}
        params = {"textDocument": {"uri": uri}, "position": place}
        return await self._client.request(f"textDocument/{method}", params)

    async def hover(self, name: str, text: str) -> str:
        found = await self.ask("hover", name, text)
        return str(found["contents"]["value"]) if found else ""

    async def labels(self, name: str, text: str) -> list[str]:
        found = await self.ask("completion", name, text)
        return [it["label"] for it in found["items"]] if found else []

    async def hints(self, name: str, text: str) -> list[tuple[int, str]]:
        uri = await self.open(name, text)
        end = {"line": text.count("\n"), "character": 0}
        within = {"start": {"line": 0, "character": 0}, "end": end}
        params = {"textDocument": {"uri": uri}, "range": within}
        found = await self._client.request("textDocument/inlayHint", params)
        return [(it["position"]["line"], it["label"]) for it in found]


async def test_a_configuration_is_explained_and_completed(editor: Editor) -> None:
    name = "promptfooconfig.yaml"
    said = await editor.hover(name, CONFIGURATION.replace("contains", f"con{CURSOR}tains"))
    assert "graded by the text" in said or "decided by the text" in said


async def test_completion_and_hints_of_a_configuration(editor: Editor) -> None:
    name = "promptfooconfig.yaml"
    assert await editor.hints(name, CONFIGURATION) == [
        (4, "← 4 rows"),
        (7, "← + 1 from defaultTest"),
    ]


async def test_a_list_of_tests_knows_the_configuration_that_names_it(editor: Editor) -> None:
    await editor.open("promptfooconfig.yaml", CONFIGURATION)
    text = FILES["cases.yaml"]
    marked = text.replace("country: Italy", f"country: Italy\n    {CURSOR}")
    assert (await editor.labels("cases.yaml", marked))[0] == "tone"


async def test_hints_and_hovers_in_a_list_of_tests(editor: Editor) -> None:
    await editor.open("promptfooconfig.yaml", CONFIGURATION)
    assert await editor.hints("cases.yaml", FILES["cases.yaml"]) == [(2, "← + 1 from defaultTest")]


async def test_a_prompt_file_has_the_variables_of_the_configuration(editor: Editor) -> None:
    await editor.open("promptfooconfig.yaml", CONFIGURATION)
    text = FILES["prompts/ask.txt"]
    said = await editor.hover("prompts/ask.txt", text.replace("country", f"{CURSOR}country"))
    assert "set by both tests" in said
    assert "- Italy" in said


async def test_variables_are_offered_in_a_prompt_file(editor: Editor) -> None:
    await editor.open("promptfooconfig.yaml", CONFIGURATION)
    text = FILES["prompts/ask.txt"].replace("{{ country", "{{ " + CURSOR)
    assert (await editor.labels("prompts/ask.txt", text))[0] == "country"


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
async def test_of_two_configurations_that_name_a_file_the_first_by_name_explains_it(
    editor: Editor, order: tuple[str, str]
) -> None:
    for name in order:
        text = f"prompts: ['{name}: {{{{ of_{name} }}}}']\nproviders: [echo]\ntests: file://cases.yaml\n"
        await editor.open(f"{name}.promptfooconfig.yaml", text)
    marked = FILES["cases.yaml"].replace("country: Italy", f"country: Italy\n    {CURSOR}")
    labels = await editor.labels("cases.yaml", marked)
    assert "of_a" in labels
    assert "of_b" not in labels
