"""Reading promptfoo's assertions as evaluators, and refusing those that are not supported."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from suitecase_evaluators.grade.registry import TYPES, by_type, with_members
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.reading import assertion_config


def _read(assertion: dict[str, Any] | str) -> AssertionConfig:
    config = assertion_config(assertion, name="assertion 1")
    assert isinstance(config, AssertionConfig), config
    return config


def _refused(assertion: dict[str, Any] | str) -> str:
    refused = assertion_config(assertion, name="assertion 1")
    assert isinstance(refused, Refused)
    return refused.message


def test_the_fields_of_an_assertion_are_kept() -> None:
    config = _read({"type": "not-icontains", "value": "no", "weight": 2, "metric": "tone"})
    assert (config.type, config.negate, config.value) == ("promptfoo:icontains", True, "no")
    assert (config.name, config.metric, config.weight) == ("tone", "tone", 2)


def test_an_assertion_without_a_metric_gets_the_callers_name() -> None:
    assert _read({"type": "equals", "value": 1}).name == "assertion 1"


def test_members_of_a_set_have_unique_names() -> None:
    config = _read({
        "type": "assert-set",
        "assert": [
            {"type": "contains", "value": "a"},
            {"type": "contains", "value": "b"},
            {"type": "not-contains", "value": "c", "metric": "contains"},
        ],
    })  # fmt: skip
    assert [it.name for it in with_members([config])] == [
        "contains", "contains 2", "contains 3", "assertion 1",
    ]  # fmt: skip


def test_assertions_can_be_pickled_and_validated_again() -> None:
    config = _read({
        "type": "assert-set", "threshold": 0.5, "assert": [{"type": "equals", "value": None}],
    })  # fmt: skip
    assert pickle.loads(pickle.dumps(config)) == config
    assert type(config).model_validate(config.model_dump(exclude_unset=True)) == config


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Paris", {"type": "equals", "value": "Paris"}),
        ("contains: Paris ", {"type": "contains", "value": "Paris"}),
        ("not-icontains-any: a, b,", {"type": "not-icontains-any", "value": ["a", "b"]}),
        ('contains-all:"a, b",c', {"type": "contains-all", "value": ["a, b", "c"]}),
        ("levenshtein(3): Rome", {"type": "levenshtein", "value": "Rome", "threshold": 3}),
        ("latency(200)", {"type": "latency", "threshold": 200}),
        ("starts-with:a", {"type": "starts-with", "value": "a", "threshold": 0.75}),
        ("contains-sometimes:a", {"type": "equals", "value": "contains-sometimes:a"}),
        ("transformed: a", {"type": "equals", "value": "transformed: a"}),
    ],
)
def test_a_table_cell_is_parsed_as_an_assertion(text: str, meant: dict[str, Any]) -> None:
    assert _read(text) == _read(meant)


@pytest.mark.parametrize(
    ("assertion", "reason"),
    [
        ({"type": "similar", "value": "a"}, "embeddings"),
        ({"type": "not-webhook", "value": "https://example.com"}, "sends the answer to a service"),
        ({"type": "select-best", "value": "the funniest"}, "several rows"),
        ({"type": "promptfoo:redteam:bias"}, "red teams are not run"),
        ({"type": "containz", "value": "a"}, "knows no assertion of the type `containz`"),
        ({"type": "not-assert-set", "assert": []}, "knows no assertion"),
        ({"type": "transformed", "transform": "output"}, "knows no assertion"),
        ({"type": "contains", "value": "a", "transform": "file://a.rb"}, "`transform`"),
        ({"type": "contains", "value": "a", "weight": -1}, "below 0"),
        ({"type": "contains", "value": "a", "threshold": "much"}, "must be a number"),
        ({"type": "assert-set", "assert": [{"type": "assert-set", "assert": []}]}, "within"),
        ({"type": "assert-set", "assert": [{"type": "moderation"}]}, "`moderation`"),
        ({"type": "assert-set"}, "needs a list"),
        ({"value": "a"}, "needs a `type`"),
    ],
)
def test_unsupported_assertions_are_refused_with_a_reason(
    assertion: dict[str, Any], reason: str
) -> None:
    assert reason in _refused(assertion)


def test_every_type_of_promptfoo_is_supported_or_refused_with_a_reason() -> None:
    by_others = {"llm-rubric", "g-eval", "factuality", "model-graded-factuality"}
    by_others |= {"model-graded-closedqa", "javascript", "python"}
    for name in ASSERTION_TYPES.keys() - by_others:
        found = assertion_config({"type": name, "assert": []}, name="assertion 1")
        if isinstance(found, Refused):
            assert found.message.startswith(f"`{name}` is not supported: "), found.message


def test_our_own_suites_cannot_name_promptfoo_types() -> None:
    assert not any(it.startswith("promptfoo:") for it in TYPES)
    assert by_type("promptfoo:contains") is None
