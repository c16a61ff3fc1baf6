"""The models of what promptfoo reads, and its types of assertions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from suitecase.formats.promptfoo.suite.models.assertion import Assertion, AssertSet
from suitecase.formats.promptfoo.suite.models.configuration import Configuration
from suitecase.formats.promptfoo.suite.models.prompt import PromptObject
from suitecase.formats.promptfoo.suite.models.provider import ProviderObject
from suitecase.formats.promptfoo.suite.models.run_options import (
    CommandLineOptions,
    EvaluateOptions,
)
from suitecase.formats.promptfoo.suite.models.test import DefaultTest, TestCase, TestOptions
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO, Vocabulary
from suitecase.schema.validation import ValidationIssue, validate
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Sequence
from suitecase_evaluators.promptfoo.assertion_types import (
    ASSERTION_TYPES,
    assertion_type,
)

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "promptfoo"
MODELS = (
    Configuration, TestCase, DefaultTest, TestOptions, Assertion, AssertSet, PromptObject,
    ProviderObject, EvaluateOptions, CommandLineOptions,
)  # fmt: skip


def tree(text: str) -> Node:
    root = compose(text).root
    assert root is not None
    return root


def issues(text: str, model: type[BaseModel] = Configuration) -> list[tuple[str, str]]:
    found: list[ValidationIssue] = validate(tree(text), model)[1]
    return [(it.kind.value, ".".join(map(str, it.path))) for it in found]


@pytest.mark.parametrize("model", MODELS)
def test_every_key_has_a_description(model: type[BaseModel]) -> None:
    for name, info in model.model_fields.items():
        assert info.description, name
        assert info.description.rstrip()[-1] in ".:", name


@pytest.mark.parametrize("name", ASSERTION_TYPES)
def test_the_example_of_a_type_is_of_that_type(name: str) -> None:
    kind = ASSERTION_TYPES[name]
    model = AssertSet if name == "assert-set" else Assertion
    assert issues(kind.example, model) == []
    if name != "model-graded-factuality":
        assert f"type: {name}" in kind.example.replace("'", "")
    if kind.value_required:
        assert "value:" in kind.example


def test_a_type_may_be_negated() -> None:
    found = assertion_type("not-icontains")
    assert found is not None
    assert (found[0].name, found[1]) == ("icontains", True)
    assert assertion_type("containsAny") is None


def test_templates_and_references_may_stand_for_numbers_and_mappings() -> None:
    text = """\
prompts: [file://prompts/*.txt]
providers:
  - openai:gpt-4.1
  - {id: echo, delay: "{{ env.DELAY }}"}
  - openai:gpt-4.1-mini: {config: {temperature: 0}}
evaluateOptions: {$ref: options.yaml}
defaultTest:
  threshold: "{{ env.THRESHOLD }}"
  assert:
    - $ref: "#/assertionTemplates/polite"
    - {type: llm-rubric, value: polite, threshold: "{{ env.THRESHOLD }}"}
tests: []
"""
    assert issues(text) == []


def test_a_wrong_type_or_key_is_found_where_it_is() -> None:
    text = """\
description: [a]
prompts: [{id: a, label: b, file: c}]
evaluateOptions: {maxconcurrency: 4}
tests:
  - vars: {a: 1}
    asserts: []
    assert:
      - {type: contains, value: a, ignoreCase: true, weight: "2"}
      - {type: assert-set, assert: [{type: contains}, {value: a}]}
"""
    assert sorted(issues(text)) == [
        ("missing", "tests.0.assert.1.assert.1.type"),
        ("unknown key", "evaluateOptions.maxconcurrency"),
        ("unknown key", "prompts.0.file"),
        ("unknown key", "tests.0.assert.0.ignoreCase"),
        ("unknown key", "tests.0.asserts"),
        ("wrong type", "description"),
        ("wrong type", "tests.0.assert.0.weight"),
    ]


def test_a_vocabulary_spells_keys() -> None:
    assert PROMPTFOO.key("defaultTest") == "defaultTest"
    assert Vocabulary({"defaultTest": "default_test"}).key("defaultTest") == "default_test"


def corpus() -> Iterator[Any]:
    for path in sorted(CORPUS.glob("**/*promptfoo*.y*ml")):
        yield pytest.param(path, id=str(path.relative_to(CORPUS)))


#: What promptfoo ignores, in files that people have.
IGNORED = {"envPath", "cache", "pythonExecutable", "assert", "file", "provider"}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("path", list(corpus()))
def test_configurations_that_people_have_are_valid_but_for_keys_that_are_ignored(
    path: Path,
) -> None:
    root = tree(path.read_text(encoding="utf-8"))
    items = [root] if isinstance(root, Mapping) else list(root.items)  # type: ignore[union-attr]
    model = Configuration if isinstance(root, Mapping) else TestCase
    assert isinstance(root, Mapping | Sequence)
    for item in items:
        for issue in validate(item, model)[1]:
            assert issue.kind.value == "unknown key"
            assert issue.field in IGNORED
