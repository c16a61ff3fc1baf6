"""Colors in the templates of a promptfoo configuration, and in the files of its prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suitecase.editor.semantic_tokens import Token
from support.ide.marked_dialect import MarkedFile
from support.lsp.fixtures import Start

CONFIGURATION = """\
    prompts:
      - "{{ name | upper | uper }} {{ nmae }} {% if tone is defined %}{{ tone }}{% endif %}"
      - file://prompt.txt
    providers:
      - {id: "openai:gpt-4.1", config: {apiKey: "{{ env.KEY }}"}}
    tests:
      - vars: {name: Ann, tone: kind}
        assert:
          - type: contains
            value: >-
              Dear
              {{ name }}
"""


def colored(text: str, tokens: list[Token]) -> list[tuple[str, str]]:
    return [
        (text[it.span.start : it.span.end], it.type.value)
        for it in sorted(tokens, key=lambda it: it.span)
    ]


def test_variables_filters_and_words_have_colors(tmp_path: Path) -> None:
    file = MarkedFile(tmp_path, CONFIGURATION, {"prompt.txt": ""})
    found = colored(file.text, file.features.tokens(file.file, file.folder, None))
    assert found == [
        ("name", "parameter"),
        ("upper", "function"),
        ("if", "keyword"),
        ("tone", "parameter"),
        ("is", "keyword"),
        ("defined", "function"),
        ("tone", "parameter"),
        ("endif", "keyword"),
        ('"openai:gpt-4.1"', "class"),
        ("env.KEY", "macro"),
        ("contains", "function"),
        ("name", "parameter"),
    ]


def test_a_list_of_tests_does_not_know_all_variables(tmp_path: Path) -> None:
    text = "- vars: {a: 1}\n  assert: [{type: equals, value: '{{ a }} {{ b }}'}]\n"
    file = MarkedFile(tmp_path, text, name="promptfooconfig.tests.yaml")
    found = colored(file.text, file.features.tokens(file.file, file.folder, None))
    assert found == [("equals", "function"), ("a", "parameter"), ("b", "parameter")]


def test_the_file_of_a_prompt_has_colors(tmp_path: Path) -> None:
    prompt = "{{ name }} {{ unknown }} {% raw %}{{ name }}{% endraw %}"
    file = MarkedFile(tmp_path, CONFIGURATION, {"prompt.txt": prompt, "other.txt": prompt})
    beside = file.features.tokens_beside
    paths = [tmp_path / "prompt.txt"]
    found = colored(prompt, beside(file.file, file.folder, paths, prompt))
    assert [it for it, _ in found] == ["name", "raw"]
    assert beside(file.file, file.folder, [tmp_path / "other.txt"], prompt) == []


async def test_an_editor_gets_them(start: Start, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Hello {{ name }}")
    suite = tmp_path / "promptfooconfig.yaml"
    suite.write_text(
        "prompts: ['{{ name }}', file://prompt.txt]\n"
        "providers: [echo]\ntests: [{vars: {name: Ann}}]\n"
    )
    client = await start()
    await client.initialize(root=tmp_path)
    data: list[Any] = []
    for path in (suite, prompt):
        client.open(path.as_uri(), path.read_text())
        if path is suite:
            await client.diagnostics(suite.as_uri())  # the prompts that it names are known then
        answer = await client.request(
            "textDocument/semanticTokens/full", {"textDocument": {"uri": path.as_uri()}}
        )
        data.append(answer["data"])
    assert data[0][:3] == [0, 14, 4]
    assert data[1][:3] == [0, 9, 4]
