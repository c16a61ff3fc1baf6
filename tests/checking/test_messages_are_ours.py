"""Whatever stands at a place of a file, what is found there is said in words about that file.

A sixth of what could stand there is tried, another one each time; `make sweep` tries all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from support.samples import sample

OTHERS_WORDS = (
    "discriminator", "Unable to", "Input should", "_of()", "Field required", "Extra inputs",
    "valid dictionary", "valid string", "Input tag", "Value error", "pydantic",
)  # fmt: skip
WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2.5,
    1e300,
    "",
    " ",
    "zebra",
    [],
    [1],
    {},
    {"a": 1},
    [{}],
)
ONE_OF_EACH_KIND: tuple[Any, ...] = (None, True, -1, 2.5, "", "zebra", [1], {"a": 1}, [{}])
FEW: tuple[Any, ...] = (None, -1, "", [{}], {"a": 1})
SUITE = """
description: All there is
dataset: all
execution:
  target: small
  evaluators:
    - {name: judge, type: llm_judge, prompt: "{{ candidate_answer }} {{ rubrics }}", temperature: 0,
       rubrics: [{id: a, expected_outcome: b, weight: 1, required: true, required_min_score: 3}]}
    - {name: code, type: code_judge, script: [a], cwd: ., target: {max_calls: 3}, timeout_seconds: 2}
    - {name: both, type: composite, evaluators: [{name: x, type: contains, value: y}],
       aggregator: {type: weighted_average, weights: {x: 1}}}
    - {name: tools, type: tool_trajectory, mode: in_order, expected: [{tool: a, args: any}]}
    - {name: fields, type: field_accuracy, fields: [{path: a, match: numeric_tolerance, tolerance: 1}]}
    - {name: slow, type: latency, threshold: 3}
    - {name: money, type: cost, budget: 1}
    - {name: tokens, type: token_usage, max_total: 3}
    - {name: match, type: regex, value: a, negate: true}
evalcases:
  - id: a
    input_messages: [{role: user, content: [{type: text, value: hello}]},
                     {role: assistant, tool_calls: [{tool: a, input: {}, output: b}]}]
    expected_outcome: A greeting
    expected_messages: [{role: assistant, content: hello}]
    rubrics: [{id: r, expected_outcome: c, score_ranges: [{score_range: [0, 10], expected_outcome: d}]}]
    evaluation_schema: {type: object}
    metadata: {a: 1}
    tags: [a]
"""
TARGETS = """
targets:
  - {name: small, provider: openai, model: m, api_base: "http://a", temperature: 0, params: {top_p: 1},
     retry: {max_retries: 1, status_codes: [500]}, rate_limit: 3, workers: 2, judge_target: cloud}
  - {name: cloud, provider: azure, endpoint: "http://a", deployment: d}
  - {name: program, provider: cli, command_template: "a {PROMPT}", files_format: "{path}", verbose: true,
     healthcheck: {type: command, command_template: b, timeout_seconds: 1}, sandbox: limits}
  - {name: other, provider: cli, command_template: a, healthcheck: {type: http, url: "http://a"}}
  - {name: canned, provider: mock, response: {a: [b]}, delay_ms: 1}
  - {name: again, provider: replay, results: r.jsonl}
  - {name: agent, provider: codex, args: [a], log_format: json}
"""


def variants(value: Any, replace_by: tuple[Any, ...]) -> Iterator[Any]:
    """Yield a value with each of its places taken by something else, one at a time."""
    yield from replace_by
    if isinstance(value, dict):
        for name, inner in value.items():
            yield {it: other for it, other in value.items() if it != name}
            for variant in variants(inner, replace_by):
                yield {**value, name: variant}
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            for variant in variants(inner, replace_by):
                yield [*value[:number], variant, *value[number + 1 :]]


def messages(path: Path, text: str) -> Iterator[str]:
    workspace = Workspace(path.parent)
    analysis = check(parse_document(path, text, workspace), Folder(workspace, path.parent), path)
    assert not analysis.failures, analysis.failures[0].trace
    for found in analysis.everything:
        yield found.message


def assert_ours(said: set[str]) -> None:
    assert len(said) > 50
    assert [it for it in said if any(word in it for word in OTHERS_WORDS)] == []


def test_findings_in_suites(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text(TARGETS, "utf-8")
    found = sample(variants(yaml.safe_load(SUITE), FEW), 6)
    path = tmp_path / "a.eval.yaml"
    assert_ours({said for value in found for said in messages(path, json.dumps(value))})


def test_findings_in_targets_files(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    found = sample(variants(yaml.safe_load(TARGETS), ONE_OF_EACH_KIND), 6)
    assert_ours({said for value in found for said in messages(path, json.dumps(value))})


def test_findings_in_suites_that_ask_targets(tmp_path: Path) -> None:
    names = [it["name"] for it in yaml.safe_load(TARGETS)["targets"]]
    cases = [
        {"id": it, "input": "a", "expected_outcome": "b", "execution": {"target": it}}
        for it in names
    ]
    said: set[str] = set()
    for variant in sample(variants(yaml.safe_load(TARGETS), FEW), 6):
        (tmp_path / "targets.yaml").write_text(json.dumps(variant), "utf-8")
        said.update(messages(tmp_path / "a.eval.yaml", json.dumps({"evalcases": cases})))
    assert_ours(said)


@pytest.mark.parametrize("key", ["dataset", "execution", "description", "evaluators"])
def test_findings_in_sidecars(tmp_path: Path, key: str) -> None:
    case = {"id": "a", "input": "b", "expected_outcome": "c"}
    dataset = tmp_path / "a.jsonl"
    dataset.write_text(json.dumps(case), "utf-8")
    said: set[str] = set()
    for wrong in WRONG:
        for inner in (
            wrong,
            {"target": wrong},
            {"evaluators": wrong},
            {"evaluators": [{"type": wrong}]},
        ):
            (tmp_path / "a.yaml").write_text(json.dumps({key: inner}), "utf-8")
            said.update(messages(dataset, json.dumps(case)))
    assert said
    assert [it for it in said if any(word in it for word in OTHERS_WORDS)] == []
