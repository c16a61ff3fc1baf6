"""Suites of AgentV from version 5 on are told from promptfoo's and from ours, and match their models."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.reading import parse_document
from suitecase.format.workspace import Workspace
from suitecase.formats.agentv.suite.assertion_types import AGENTV_TYPES
from suitecase.formats.agentv.suite.parsed import AGENTV, AgentvFile, AgentvHead, AgentvTest

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "agentv-v5"
FILES = sorted(CORPUS.rglob("*.yaml")) if CORPUS.is_dir() else []
SUITES = [it for it in FILES if "\ntests:" in it.read_text("utf-8")]

RUBRICS = """\
prompts: ["{{ input }}"]
providers: [llm]
tests:
  - vars: {input: Hi}
    assert: [Greets back]
"""
NAMED = """\
prompts: ["{{ input }}"]
tests:
  - id: greet
    vars: {input: Hi}
    assert: [{type: icontains, value: hi}]
"""
LISTED = "- id: greet\n  vars: {input: Hi}\n  assert: [Greets back]\n"


def _read(text: str, name: str = "a.eval.yaml") -> object:
    return parse_document(Path("/w") / name, text, Workspace(Path("/w")))


@pytest.mark.parametrize("text", [RUBRICS, NAMED, LISTED, f"default_test: {{}}\n{NAMED}"])
def test_such_a_suite_is_known_by_its_tests(text: str) -> None:
    found = _read(text)
    assert isinstance(found, AgentvFile)
    assert isinstance(found.head, AgentvHead)
    assert [type(it) for it in found.tests] == [AgentvTest]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (RUBRICS, "promptfooconfig.yaml"),
        (NAMED.replace("- id: greet\n    vars", "- vars"), "a.yaml"),
        (RUBRICS.replace("llm", "openai:gpt-4.1"), "a.yaml"),
        (f"outputPath: x.json\n{NAMED}", "a.yaml"),
        ("tests:\n  - {id: a, input: Hi, assert: [Greets back]}\n", "a.eval.yaml"),
        ("tests:\n  - {id: a, input: '{{ x }}', vars: {x: Hi}, criteria: Greets}\n", "a.eval.yaml"),
    ],
)
def test_other_suites_stay_what_they_are(text: str, name: str) -> None:
    assert not isinstance(_read(text, name), AgentvFile)


#: Suites that have no key of their own, each of which promptfoo could read.
UNMARKED = [
    'providers: [desk]\nprompts: ["{{ input }}"]\ntests: file://cases.csv\n',
    'providers: [desk]\nprompts: ["{{ input }}"]\ntests:\n  - file://cases.csv\n  - file://more/*.yaml\n',
    'providers: [desk]\nprompts: ["{{ a }}"]\nscenarios:\n  - config: []\n    tests: [{assert: [Greets]}]\n',
    'providers: [desk]\nprompts: ["{{ a }}"]\ntests:\n  - {id: a, turns: [{input: Hi, assert: [Greets]}]}\n',
    "providers: [desk]\ntests:\n  - {id: a, input: Hi, assert: [Greets]}\n",
    'providers: [desk]\nprompts: ["{{ a }}"]\ntests:\n  - {id: a, var: {a: Hi}, assert: [{type: is-json}]}\n',
]


@pytest.mark.parametrize("text", UNMARKED)
def test_its_folder_tells_what_a_suite_is_that_promptfoo_could_read(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    evals = tmp_path / "app" / "evals"
    evals.mkdir(parents=True)

    def is_its(name: str) -> bool:
        return isinstance(parse_document(evals / name, text, Workspace(tmp_path)), AgentvFile)

    assert not is_its("desk.eval.yaml")
    (tmp_path / ".agentv").mkdir()
    assert is_its("desk.eval.yaml")
    assert is_its("eval.yaml")
    assert not is_its("promptfooconfig.yaml")
    assert not is_its("desk.yaml")


def test_a_folder_above_the_repository_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / ".agentv").mkdir()
    (root := tmp_path / "repository").mkdir()
    (root / ".git").mkdir()
    file = parse_document(root / "desk.eval.yaml", UNMARKED[0], Workspace(root))
    assert not isinstance(file, AgentvFile)


def test_tests_are_called_by_their_ids() -> None:
    text = NAMED + "  - {description: says bye, vars: {input: Bye}}\n  - {vars: {input: x}}\n"
    found = _read(text)
    assert isinstance(found, AgentvFile)
    assert list(found.case_names()) == ["greet", "says bye", ""]


def test_keys_are_spelled_with_underscores() -> None:
    assert AGENTV.key("defaultTest") == "default_test"
    assert AGENTV.key("rubricPrompt") == "rubric_prompt"
    assert AGENTV.key("maxConcurrency") == "max_concurrency"
    assert AGENTV.key("prompts") == "prompts"


def test_types_of_promptfoo_that_agentv_has_not_are_unknown() -> None:
    assert AGENTV.assertion_type("not-skill-used") == (AGENTV_TYPES["skill-used"], True)
    assert AGENTV.assertion_type("execution-metrics") is not None
    assert AGENTV.assertion_type("perplexity") is None


@pytest.mark.skipif(not SUITES, reason="the collection of suites is not here")
@pytest.mark.parametrize("path", SUITES, ids=lambda it: it.relative_to(CORPUS).as_posix())
def test_suites_that_people_wrote_match_the_models(path: Path) -> None:
    found = parse_document(path, path.read_text("utf-8"), Workspace(path.parent))
    assert isinstance(found, AgentvFile)
    assert found.head.issues == ()
    assert [it for test in found.tests for it in test.issues] == []
