"""Assertions as promptfoo takes them: nothing is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.rule import Severity
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from support.checked_suite import analyzed

HEAD = 'prompts: ["{{q}}", "Say {{q}}"]\nproviders: [openai:gpt-4.1]\n'


def graves(folder: Path, text: str) -> list[str]:
    found = analyzed(folder, text).findings
    return [f"{it.rule.name}: {it.message}" for it in found if it.severity is not Severity.INFO]


@pytest.mark.parametrize("name", ASSERTION_TYPES)
def test_the_example_of_each_type_is_right(name: str, tmp_path: Path) -> None:
    example = ASSERTION_TYPES[name].example
    assert (
        graves(tmp_path, f"{HEAD}tests:\n  - vars: {{q: a}}\n    assert:\n      - {example}\n")
        == []
    )


@pytest.mark.parametrize(
    "assertion",
    [
        "{type: contains, value: 0}",
        "{type: equals, value: ''}",
        "{type: equals, value: true}",
        "{type: equals, value: [1, {a: b}]}",
        "{type: contains-any, value: 'a, b'}",
        "{type: contains-any, value: [1, true, a]}",
        "{type: not-contains-all, value: '{{ list }}'}",
        "{type: icontains, value: 'file://expected.js:expected'}",
        "{type: word-count, value: '12'}",
        "{type: word-count, value: {min: 2, max: 20}}",
        "{type: cost, metric: price, weight: 0}",
        "{type: not-latency, threshold: 100}",
        "{type: similar, value: [a, b], threshold: 0.9, provider: 'openai:embeddings:x'}",
        "{type: llm-rubric, rubricPrompt: 'Grade {{output}} from 0 to 2', threshold: 1.5}",
        "{type: llm-rubric, value: {criteria: [a, b]}}",
        "{type: llm-rubric, value: 'file://rubric.txt'}",
        "{type: classifier, threshold: 0.5}",
        "{type: moderation}",
        "{type: is-sql}",
        "{type: max-score}",
        "{type: g-eval, value: [a, b], threshold: 0.7}",
        "{type: javascript, value: 'output.length', threshold: 300}",
        "{type: 'promptfoo:redteam:harmful:hate'}",
        "{type: meteor, value: a, alpha: 0.8, beta: 2, gamma: 0.4}",
        "{type: guardrails, config: {purpose: redteam}}",
        "{type: is-xml, value: {requiredElements: [a.b]}}",
        "{type: assert-set, threshold: 0.5, weight: 2, metric: m, assert: [{type: is-json}]}",
        "{type: 'trajectory:tool-used', value: {pattern: 's*', min: 2}}",
        "{type: contains, value: a, transform: 'output.text', metric: '{{q}}', x-note: ours}",
        "{type: skill-used, value: [a, b]}",
    ],
)
def test_other_forms_are_right_too(assertion: str, tmp_path: Path) -> None:
    for name in ("expected.js", "rubric.txt"):
        (tmp_path / name).write_text("module.exports = {expected: () => 'a'}", "utf-8")
    text = f"{HEAD}tests:\n  - vars: {{q: a, list: b}}\n    assert:\n      - {{type: is-json}}\n"
    assert graves(tmp_path, f"{text}      - {assertion}\n") == []


def test_grading_is_set_in_many_places(tmp_path: Path) -> None:
    text = f"""\
# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: 1
{HEAD}tags: {{team: a}}
env: {{A: 1}}
commandLineOptions: {{envPath: .env, maxConcurrency: 2, cache: false, tags: {{a: b}}}}
evaluateOptions: {{maxConcurrency: 2, repeat: 1, timeoutMs: 100, showProgressBar: false}}
derivedMetrics: [{{name: f1, value: 2 * p}}]
outputPath: [a.json, b.html]
sharing: false
metadata: {{owner: me}}
tracing: {{enabled: true}}
nunjucksFilters: {{}}
writeLatestResults: true
defaultTest:
  vars: {{tone: dry}}
  threshold: 0.5
  options:
    provider: {{text: {{id: openai:gpt-4.1}}, embedding: openai:embeddings:x}}
    rubricPrompt: [{{role: system, content: "Grade {{{{output}}}}"}}]
    transform: output.trim()
    response_format: {{type: json_object}}
    timeout: 9000
  assert:
    - type: llm-rubric
tests:
  - vars: {{q: a}}
    providers: [openai:*]
    options: {{disableVarExpansion: true, storeOutputAs: first, repeat: 2}}
    metadata: {{tags: [a]}}
  - description: the second
    provider: openai:gpt-4.1-mini
    vars: {{q: "{{{{first}}}} {{{{tone}}}}"}}
    options: {{disableDefaultAsserts: true}}
    assert: [{{type: select-best, value: the best}}]
"""
    assert graves(tmp_path, text) == []
