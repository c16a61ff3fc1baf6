"""Older formats are read as the current one, with everything where it was written."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.node import Mapping, at, plain


def _case(text: str) -> tuple[ParsedSuite, Any]:
    suite = parse_suite(f"evalcases:\n  - {text}\n")
    node = suite.cases[0].node
    assert node is not None
    return suite, plain(node)


@pytest.mark.parametrize(
    ("older", "today"),
    [
        ("{outcome: a}", {"expected_outcome": "a"}),
        ("{criteria: a}", {"expected_outcome": "a"}),
        ("{rubrics: [{description: a}]}", {"rubrics": [{"expected_outcome": "a"}]}),
        ("{rubrics: [{outcome: a}, b]}", {"rubrics": [{"expected_outcome": "a"}, "b"]}),
        (
            "{rubrics: [{score_ranges: [{description: a}]}]}",
            {"rubrics": [{"score_ranges": [{"expected_outcome": "a"}]}]},
        ),
        (
            "{evaluators: [{type: rubric, rubrics: [{outcome: a}]}]}",
            {"evaluators": [{"type": "llm_judge", "rubrics": [{"expected_outcome": "a"}]}]},
        ),
        (
            "{execution: {evaluators: [{type: composite, evaluators: [{type: code}]}]}}",
            {"execution": {"evaluators": [{"type": "composite", "evaluators": [{"type": "code_judge"}]}]}},
        ),
        (
            "{evaluators: [{type: code_judge, a: 1, config: {b: 2, a: 3}, x-c: 4}]}",
            {"evaluators": [{"type": "code_judge", "config": {"a": 3, "b": 2}, "x-c": 4}]},
        ),
        (
            "{rubrics: [{required: true, score_ranges: {0: a}}]}",
            {"rubrics": [{"required": True, "score_ranges": {"0": "a"}}]},
        ),
        # What is no older spelling stays as it is, for the checker to report.
        ("{outcome: a, expected_outcome: b}", {"outcome": "a", "expected_outcome": "b"}),
        ("{rubrics: text, evaluators: 5}", {"rubrics": "text", "evaluators": 5}),
        ("{evaluators: [{type: contains, a: 1}]}", {"evaluators": [{"type": "contains", "a": 1}]}),
        (
            "{evaluators: [{type: code_judge, a: 1, config: no}]}",
            {"evaluators": [{"type": "code_judge", "a": 1, "config": "no"}]},
        ),
    ],
)  # fmt: skip
def test_an_older_spelling_is_read_as_todays(older: str, today: Any) -> None:
    _, read = _case(older)
    assert read == today


def test_every_renamed_key_stays_where_it_was_written() -> None:
    text = "{outcome: a, rubrics: [{description: b}], evaluators: [{type: rubric, name: c}]}"
    suite, _ = _case(text)
    case = suite.cases[0]
    written = [(it.old, case.source[it.node.start : it.node.end]) for it in case.legacy_syntax]
    assert written == [
        ("outcome", "outcome"),
        ("description", "description"),
        ("rubric", "rubric"),
    ]
    assert case.node is not None
    node, key, _ = at(case.node, ("rubrics", 0, "expected_outcome"))
    assert key is not None
    assert case.source[key.start : key.end] == "description"
    assert case.source[node.start : node.end] == "b"


def test_order_is_kept() -> None:
    _, read = _case("{b: 1, outcome: 2, a: 3}")
    assert list(read) == ["b", "expected_outcome", "a"]


@pytest.mark.parametrize("name", ["evalcases", "eval_cases", "tests", "testcases", "cases"])
def test_the_list_of_cases_has_had_many_names(name: str) -> None:
    suite = parse_suite(f"{name}:\n  - id: greet\n    input: Hi\n    expected_outcome: Hello\n")
    assert suite.case_named("greet") == 0
    assert suite.cases[0].model is not None
    assert suite.document.segmented


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("target: a\n", "a"),
        ("target: a\nexecution:\n  evaluators: []\n", "a"),
        ("execution:\n  target: b\ntarget: a\n", "b"),
    ],
)
def test_the_target_of_a_suite_stood_at_its_top(text: str, target: str) -> None:
    head = parse_suite(f"{text}evalcases: []\n").head
    assert head.model is not None
    assert head.model.execution is not None
    assert head.model.execution.target == target
    assert [it.kind for it in head.legacy_syntax] == ["target"]
    assert head.node is not None
    node, _, _ = at(head.node, ("execution", "target"))
    assert head.source[node.start : node.end] == target


def test_a_tree_without_legacy_syntax_is_not_copied() -> None:
    suite = parse_suite("evalcases:\n  - id: greet\n    rubrics: [a, {id: b}]\n")
    assert suite.cases[0].node is suite.document.cases[0].node
    assert isinstance(suite.cases[0].node, Mapping)


def test_an_unchanged_case_is_taken_over_from_an_earlier_version() -> None:
    text = "evalcases:\n  - id: a\n    outcome: x\n  - id: b\n    outcome: x\n"
    before = parse_suite(text)
    after = parse_suite("# moved\n" + text.replace("id: b", "id: c"), reuse=before)
    assert after.cases[0] is before.cases[0]
    assert after.cases[1] is not before.cases[1]
    assert after.line(1, after.cases[1].legacy_syntax[0].node.span) == 6
