"""Colors of names in a promptfoo configuration: providers, labels, metrics and types of assertions."""

from __future__ import annotations

from pathlib import Path

from suitecase.editor.semantic_tokens import Token, TokenModifier
from support.ide.marked_dialect import MarkedFile

CONFIGURATION = """\
    prompts:
      - {id: chat, raw: "Hello", label: short}
      - Say hello
    providers:
      - {id: "openai:gpt-4.1", label: large, prompts: [short]}
      - file://provider.py
    defaultTest:
      assert: [{type: latency, threshold: 5}]
    tests:
      - description: A
        providers: [large, echo*]
        prompts: [short]
        assert:
          - {type: not-contains, value: x, metric: calm}
          - {type: contians, value: x}
"""


def colored(text: str, tokens: list[Token]) -> list[tuple[str, str, bool]]:
    ordered = sorted(tokens, key=lambda it: it.span)
    return [
        (
            text[it.span.start : it.span.end],
            it.type.value,
            it.modifier is TokenModifier.DECLARATION,
        )
        for it in ordered
    ]


def test_names_have_colors_where_they_are_given_and_where_they_are_used(tmp_path: Path) -> None:
    file = MarkedFile(tmp_path, CONFIGURATION, {"provider.py": ""})
    assert colored(file.text, file.features.tokens(file.file, file.folder, None)) == [
        ("short", "enumMember", True),
        ('"openai:gpt-4.1"', "class", True),
        ("large", "class", True),
        ("short", "enumMember", False),
        ("latency", "function", False),
        ("large", "class", False),
        ("short", "enumMember", False),
        ("not-contains", "function", False),
        ("calm", "variable", False),
    ]
