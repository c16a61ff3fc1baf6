"""What the models refuse, the checker reports; and what it reports of shape, the models refuse."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.checking.check import check
from suitecase.checking.rules import rule_of
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.schema.validation import ValidationIssue

NOWHERE = Folder(Workspace(Path("/nowhere")), Path("/nowhere"))

HEAD: dict[str, Any] = {
    "description": "Everything a suite may have",
    "dataset": "all",
    "version": 1,
    "metadata": {"owner": "Ann"},
    "$schema": "https://example.org/suite.json",
    "x-own": [1, 2],
    "prompt": {"file": "system.md"},
    "evaluation_mode": "llm",
    "evaluation_criteria": "The answer is polite.",
    "expected_schema": {"type": "object"},
    "execution": {
        "target": "mock",
        "evaluators": [{"name": "polite", "type": "contains", "value": "please", "weight": 2}],
    },
}

CASE: dict[str, Any] = {
    "id": "everything",
    "expected_outcome": "Says hello",
    "input_messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "name": "Ann", "content": [{"type": "text", "value": "Hi"}]},
        {"role": "assistant", "tool_calls": [{"tool": "wave", "input": {"a": 1}, "output": 2}]},
    ],
    "expected_messages": [
        {"role": "assistant", "content": {"a": {"b": 42}, "c": 1, "d": "2026-02-01"}}
    ],
    "rubrics": [
        "Is short",
        {"id": "warm", "expected_outcome": "Is warm", "weight": 0.5, "required": False},
        {
            "id": "listed",
            "required_min_score": 5,
            "score_ranges": [
                {"score_range": [0, 4], "expected_outcome": "Bad"},
                {"score_range": [5, 10], "expected_outcome": "Good"},
            ],
        },
        {"id": "mapped", "score_ranges": {"0": "Bad", "5": "Good"}},
    ],
    "evaluation_schema": '{"type": "object"}',
    "conversation_id": "c1",
    "sidecar": {"any": ["thing"]},
    "tags": ["a", "b"],
    "note": "",
    "execution": {
        "target": "mock",
        "evaluators": [
            {
                "name": "judge",
                "type": "llm_judge",
                "prompt": "Judge {{ candidate_answer }} by {{ rubrics }}",
                "rubrics": ["Is warm", {"id": "x", "score_ranges": {"0": "Bad", "9": "Good"}}],
                "model": "m",
                "temperature": 0.5,
                "max_output_tokens": 10,
                "config": {"a": 1},
            },
            {"name": "code", "type": "code_judge", "script": ["python", "x.py"], "target": True},
            {
                "name": "all",
                "type": "composite",
                "evaluators": [
                    {"name": "in", "type": "regex", "value": "h.llo", "negate": True},
                    {
                        "name": "deep",
                        "type": "composite",
                        "evaluators": [{"name": "json", "type": "is_json"}],
                        "aggregator": {"type": "code_judge", "path": "sum.py", "cwd": "."},
                    },
                    {
                        "name": "asked",
                        "type": "composite",
                        "evaluators": [{"name": "judge", "type": "llm_judge"}],
                        "aggregator": {
                            "type": "llm_judge",
                            "prompt": "Sum up {{ EVALUATOR_RESULTS_JSON }}",
                        },
                    },
                ],
                "aggregator": {"type": "weighted_average", "weights": {"in": 2, "deep": 1}},
            },
            {
                "name": "tools",
                "type": "tool_trajectory",
                "mode": "in_order",
                "expected": [{"tool": "wave", "args": {"a": 1}, "max_duration_ms": 5}],
            },
            {
                "name": "least",
                "type": "tool_trajectory",
                "mode": "any_order",
                "minimums": {"wave": 1},
            },
            {
                "name": "fields",
                "type": "field_accuracy",
                "aggregation": "all_or_nothing",
                "fields": [
                    {"path": "a.b", "match": "exact", "required": True, "weight": 2},
                    {"path": "c", "match": "numeric_tolerance", "tolerance": 1, "relative": True},
                    {"path": "d", "match": "date", "formats": ["YYYY-MM-DD"]},
                ],
            },
            {"name": "latency", "type": "latency", "threshold": 100},
            {"name": "cost", "type": "cost", "budget": 0.5},
            {"name": "tokens", "type": "token_usage", "max_total": 100},
            {"name": "schema", "type": "json_schema", "schema": {"type": "object"}},
            {"name": "criteria", "type": "criteria", "criteria": "Is kind"},
            {"name": "equal", "type": "equals", "value": "hello"},
        ],
    },
}

ODD: tuple[Any, ...] = (
    None, "", "  ", "text", "12", "11", "1.5", "true", 0, 1, -1, 11, 12.5, 10**30, True, False,
    [], [1], [""], ["a"], [None], [[0, 5]], {}, {"a": 1}, {"": ""}, {"type": "contains"},
    {"type": 5, "name": "n"}, {"type": "<text>", "name": "n"}, {"score_range": [1, "2"]},
    {"0": "a"}, {"0": ""}, {"1": "a"}, {"11": "a"}, {"-1": "a"}, {"05": "a"}, {"+5": "a"},
    {"x": "a"}, {"99999999999": "a"}, {"0": 1}, {"role": "user"}, {"role": "usr", "content": "a"},
)  # fmt: skip
KEYS = ("a", "", "x-a", "<text>", "<contains>", "[key]", "tpye", "id", "name", "type", "0", "<<a")


def mutated(random: Random, value: Any) -> Any:
    """Return a value with one thing in it changed, left out or put in."""
    value = deepcopy(value)
    places = list(_containers(value))
    container = random.choice(places)
    keys = list(container) if isinstance(container, dict) else list(range(len(container)))
    change = random.choice(("replace", "replace", "delete", "add", "rename", "repeat", "wrap"))
    if change == "add" or not keys:
        if isinstance(container, dict):
            container[random.choice(KEYS)] = deepcopy(random.choice(ODD))
        else:
            container.insert(random.randint(0, len(container)), deepcopy(random.choice(ODD)))
        return value
    key = random.choice(keys)
    if change == "replace":
        container[key] = deepcopy(random.choice(ODD))
    elif change == "delete":
        del container[key]
    elif change == "wrap":
        container[key] = [container[key]]
    elif isinstance(container, list):
        container.insert(random.randint(0, len(container)), deepcopy(container[key]))
    else:
        container[random.choice((*KEYS, *keys))] = container.pop(key)
    return value


def _containers(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        yield value
        for it in value.values() if isinstance(value, dict) else value:
            yield from _containers(it)


def written(head: dict[str, Any], case: Any) -> str:
    """Return a suite as YAML: each value as JSON, which YAML contains."""
    lines = [f"{json.dumps(key)}: {json.dumps(it)}" for key, it in head.items() if key]
    return "\n".join([*lines, "evalcases:", f"  - {json.dumps(case)}", ""])


#: Rules on meaning: what they find is no matter of shape, so the models know nothing of it.
BEYOND_SHAPE = {
    "duplicate-case-id",
    "duplicate-evaluator-name",
    "duplicate-key",
    "duplicate-rubric-id",
    "duplicate-schema-key",
    "empty-prompt",
    "fields-not-in-expected-answer",
    "file-missing",
    "invalid-schema",
    "message-without-content",
    "prompt-file-missing",
    "prompt-without-answer",
    "prompt-without-rubrics",
    "reserved-evaluator-name",
    "misspelled-schema-keyword",
    "schema-not-json",
    "suite-prompt-missing",
    "unknown-prompt-variable",
    "unknown-target",
}


def holds(head: dict[str, Any], case: Any) -> None:
    """Assert that models and findings agree on a suite."""
    text = written(head, case)
    suite = parse_suite(text)
    analysis = check(suite, NOWHERE)
    assert analysis.failures == []
    begin = suite.document.cases[0].start
    errors = [it for it in analysis.findings if it.severity is Severity.ERROR]
    of_head = [it for it in errors if it.span.start < begin]
    of_case = [it for it in errors if it.span.start >= begin]
    for part, found in ((suite.head, of_head), (suite.cases[0], of_case)):
        names = {it.rule.name for it in found}
        if part.model is None:
            assert found, f"the models refuse this, and no rule reports it:\n{text}"
        else:
            assert names <= BEYOND_SHAPE, f"the models take this:\n{_shown(found)}\n{text}"
        for issue in part.issues:
            assert reported(issue, names), f"{issue}\n{_shown(found)}\n{text}"


def reported(issue: ValidationIssue, names: set[str]) -> bool:
    """Whether an issue's rule found something."""
    name = rule_of(issue.kind).name
    if issue.type in ("missing", "missing_input", "rubric_without_text") and name not in names:
        # What is missing may be there under a name that is found to be wrong.
        return bool(names & {"unknown-key"})
    return name in names


def _shown(found: list[Finding]) -> str:
    return "\n".join(f"{it.rule.name}: {it.message}" for it in found)


def test_a_suite_with_everything_is_sound() -> None:
    suite = parse_suite(written({**HEAD, "prompt": "Be kind."}, CASE))
    assert suite.document.segmented
    findings = check(suite, NOWHERE).findings
    assert [it.rule.name for it in findings if it.severity is Severity.ERROR] == []
    assert suite.head.model is not None
    assert suite.cases[0].model is not None


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_models_and_rules_agree_on_what_is_wrong(seed: int, changes: int) -> None:
    random = Random(seed)
    suite: Any = {"head": {**HEAD, "prompt": "Be kind."}, "case": CASE}
    for _ in range(changes):
        part = random.choice(("head", "case", "case", "case"))
        suite[part] = mutated(random, suite[part])
    holds(suite["head"], suite["case"])
