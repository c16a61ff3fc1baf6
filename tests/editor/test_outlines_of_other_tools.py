"""Outlines of the suites of other tools: of which parts they are, and what each is called."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from suitecase.editor.dialect_features import features_of
from suitecase.editor.symbols import Symbol
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Workspace

CORPUS = Path(__file__).parents[3] / "shared/corpus"
#: Folders of suites of other tools that people have published.
TREES = ("promptfoo", "agentv-v5", "agent-skills")


def symbols(text: str, name: str) -> list[Symbol]:
    path = Path("/workspace", name)
    file = parse_document(path, dedent(text), Workspace(path.parent))
    assert isinstance(file, DialectFile)
    outline = features_of(file.dialect).outline(file)
    return outline.symbols() if outline is not None else []


def lines(text: str, name: str) -> list[str]:
    """Return a line for each symbol: its depth, its kind, its name, and its detail behind a bar."""
    return [line for it in symbols(text, name) for line in _lines(it, 0)]


def _lines(symbol: Symbol, depth: int) -> list[str]:
    detail = f" | {symbol.detail}" if symbol.detail else ""
    own = f"{'  ' * depth}{symbol.kind} {symbol.name}{detail}"
    return [own, *(line for it in symbol.children for line in _lines(it, depth + 1))]


CONFIGURATION = """\
    description: Questions about towns
    prompts:
      - "Answer: {{question}}"
      - file://prompts/short.txt
      - {id: chat.json, label: As a chat}
    providers:
      - openai:gpt-4o
      - id: anthropic:messages:claude-3-5-sonnet
        label: sonnet
    defaultTest:
      assert:
        - {type: latency, threshold: 500}
    tests:
      - description: The capital
        vars: {question: What is the capital of France?}
        assert:
          - {type: contains, value: Paris, metric: facts}
          - type: assert-set
            assert:
              - {type: is-json}
      - vars: {question: How many live there?, place: Nice}
      - assert: [{type: is-json}]
      - file://more.yaml
    """


def test_a_configuration_has_its_prompts_providers_defaults_and_tests() -> None:
    assert lines(CONFIGURATION, "promptfooconfig.yaml") == [
        "suite Questions about towns | 4 tests",
        "  prompt Answer: {{question}}",
        "  prompt file://prompts/short.txt",
        "  prompt As a chat | chat.json",
        "  target openai:gpt-4o",
        "  target sonnet | anthropic:messages:claude-3-5-sonnet",
        "  defaults defaultTest",
        "    evaluator latency",
        "  case The capital | What is the capital of France?",
        "    evaluator facts | contains: Paris",
        "    evaluator assert-set",
        "      evaluator is-json",
        "  case How many live there?, Nice",
        "  case test 3",
        "    evaluator is-json",
        "  case file://more.yaml",
    ]


def test_a_list_of_tests_is_outlined_too() -> None:
    text = "- vars: {question: What is it?}\n  assert: [{type: contains, value: x}]\n"
    assert lines(text, "tests.yaml") == [
        "suite tests | 1 test",
        "  case What is it?",
        "    evaluator contains | x",
    ]


def test_tests_in_a_file_are_named_by_the_file() -> None:
    text = "prompts: [p.txt]\nproviders: [echo]\ntests: tests.csv\n"
    assert lines(text, "promptfooconfig.yaml") == [
        "suite configuration",
        "  prompt p.txt",
        "  target echo",
        "  case tests.csv",
    ]


def test_agentv_names_the_defaults_as_it_spells_them() -> None:
    text = """\
        prompts: [file://p.md]
        providers: [echo]
        default_test: {assert: [Is polite]}
        tests:
          - vars: {input: Hi}
            assert: [Greets back]
        """
    assert lines(text, "greet.eval.yaml")[3:] == [
        "  defaults default_test",
        "    evaluator Is polite",
        "  case Hi",
        "    evaluator Greets back",
    ]


def test_evals_of_a_skill_are_named_by_their_ids() -> None:
    text = """\
        {"skill_name": "pdf", "evals": [
          {"id": 1, "prompt": "Merge two files", "assertions": ["One file is left"]},
          {"prompt": "Split it", "expectations": [{"text": "There are two"}]}
        ]}
        """
    assert lines(text, "evals/evals.json") == [
        "suite pdf | 2 evals",
        "  case eval 1 | Merge two files",
        "    rubric One file is left",
        "  case eval 2 | Split it",
        "    rubric There are two",
    ]


def test_symbols_are_inside_of_what_contains_them_wherever_a_text_ends() -> None:
    text = dedent(CONFIGURATION)
    for end in range(len(text)):
        for symbol in symbols(text[:end], "promptfooconfig.yaml"):
            _check(symbol, 0, end)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the suites are not on this machine")
@pytest.mark.parametrize("tree", TREES)
def test_every_published_file_has_an_outline(tree: str) -> None:
    paths = [it for it in (CORPUS / tree).rglob("*.*") if it.suffix in (".yaml", ".yml", ".json")]
    outlined = 0
    for path in paths:
        text = path.read_text("utf-8", errors="replace")
        file = parse_document(path, text, Workspace(path.parent))
        outline = features_of(file.dialect).outline(file) if isinstance(file, DialectFile) else None
        for symbol in outline.symbols() if outline is not None else ():
            outlined += 1
            _check(symbol, 0, len(text))
    assert outlined > 10


def _check(symbol: Symbol, start: int, end: int) -> None:
    span, name = symbol.span, symbol.selection
    assert start <= span.start <= name.start <= name.end <= span.end <= end, symbol
    for it in symbol.children:
        _check(it, span.start, span.end)
