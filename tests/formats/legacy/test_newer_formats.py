"""Newer formats are read as the current one, with everything where it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    looks_like_suite,
    parse_suite,
)
from suitecase.text.node import Mapping, Node, Sequence, plain


def _case(text: str) -> Any:
    text = text.replace("{", "{expected_outcome: x, ", 1)
    node = parse_suite(f"evalcases:\n  - {text}\n").cases[0].node
    assert node is not None
    case = plain(node)
    assert case.pop("expected_outcome") == "x"
    return case


JUDGE = {"name": "rubrics", "type": "llm_judge"}


@pytest.mark.parametrize(
    ("other", "today"),
    [
        ("{assert: [a, b]}", {"rubrics": ["a", "b"]}),
        ("{assertions: [a]}", {"rubrics": ["a"]}),
        ("{assert: [a], rubrics: [b]}", {"rubrics": ["b"], "evaluators": [{**JUDGE, "rubrics": ["a"]}]}),
        (
            "{assert: [a, {type: contains, value: x}, b]}",
            {"evaluators": [{**JUDGE, "weight": 2, "rubrics": ["a", "b"]}, {"name": "contains", "type": "contains", "value": "x"}]},
        ),
        (
            "{assert: [{type: rubrics, criteria: [a]}, {type: rubrics, criteria: [b]}]}",
            {"evaluators": [{**JUDGE, "rubrics": ["a"]}, {**JUDGE, "name": "rubrics-2", "rubrics": ["b"]}]},
        ),
        (
            "{assert: [{type: is-json}, {name: is_json, type: equals, value: x}]}",
            {"evaluators": [{"name": "is_json-2", "type": "is_json"}, {"name": "is_json", "type": "equals", "value": "x"}]},
        ),
        (
            "{evaluators: [{type: regex, value: a, flags: gi}, {type: regex, value: b, flags: u}]}",
            {"evaluators": [{"type": "regex", "value": "(?i)a"}, {"type": "regex", "value": "b"}]},
        ),
        (
            "{evaluators: [{type: regex, value: a, flags: y}]}",
            {"evaluators": [{"type": "regex", "value": "a", "flags": "y"}]},
        ),
        (
            "{evaluators: [{type: code-grader, command: [a]}, {type: llm-grader, target: b}]}",
            {"evaluators": [{"type": "code_judge", "script": ["a"]}, {"type": "llm_judge", "target": "b"}]},
        ),
        (
            "{rubrics: [{min_score: 0.7, score_ranges: {0: a}}, {min_score: 1, score_ranges: {0: a}}]}",
            {"rubrics": [{"required_min_score": 7, "score_ranges": {"0": "a"}}, {"required_min_score": 10, "score_ranges": {"0": "a"}}]},
        ),
        (
            "{rubrics: [{min_score: 0.75, score_ranges: {0: a}}, {min_score: 0.01, score_ranges: {0: a}}]}",
            {"rubrics": [{"required_min_score": 8, "score_ranges": {"0": "a"}}, {"required_min_score": 1, "score_ranges": {"0": "a"}}]},
        ),
        ("{execution: {skip_defaults: true}}", {"execution": {"evaluators": []}}),
        ("{execution: {skip_defaults: false}}", {}),
        (
            "{messages: [{role: user}, {role: assistant}, {role: user}, {role: assistant}, {role: tool}]}",
            {
                "input_messages": [{"role": "user"}, {"role": "assistant"}, {"role": "user"}],
                "expected_messages": [{"role": "assistant"}, {"role": "tool"}],
            },
        ),
        ("{messages: [{role: user}]}", {"input_messages": [{"role": "user"}]}),
        ("{grader: llm_judge}", {}),
        (
            "{evaluators: [{type: is_json, required: true, min_score: 0.5}, {type: is_json, required: 0.9}]}",
            {"evaluators": [{"type": "is_json", "required": True, "min_score": 0.5}, {"type": "is_json", "min_score": 0.9}]},
        ),
        # What is no other spelling stays as it is, for the checker to report.
        ("{assert: text}", {"assert": "text"}),
        ("{messages: [{role: assistant}]}", {"messages": [{"role": "assistant"}]}),
        ("{messages: [{role: user}], input: a}", {"messages": [{"role": "user"}], "input": "a"}),
        ("{rubrics: [{min_score: high, score_ranges: {}}]}", {"rubrics": [{"min_score": "high", "score_ranges": {}}]}),
        ("{evaluators: [{type: no-such}]}", {"evaluators": [{"type": "no-such"}]}),
    ],
)  # fmt: skip
def test_a_spelling_of_a_newer_format_is_read_as_todays(other: str, today: Any) -> None:
    assert _case(other) == today


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("tests: [{id: a, input: x, criteria: y, evaluators: [{name: o, type: is_json}]}]", ["o", "s"]),
        ("evalcases: [{id: a, input: x, criteria: y, evaluators: [{name: o, type: is_json}]}]", ["o"]),
        ("evalcases: [{id: a, input: x, criteria: y, assert: [{name: o, type: is_json}]}]", ["o", "s"]),
        ("tests: [{id: a, input: x, criteria: y, assert: [b]}]", ["s"]),
        (
            ("tests: [{id: a, input: x, criteria: y, execution: {skip_defaults: true}, "
            "assert: [{name: o, type: is_json}]}]"),
            ["o"],
        ),
        ("tests: [{id: a, input: x, criteria: y, execution: {skip_defaults: true}}]", []),
        ("tests: [{id: a, input: x, criteria: y, evaluators: [{name: s, type: is_json}]}]", ["s", "s-2"]),
    ],
)  # fmt: skip
def test_the_evaluators_of_a_suite_are_appended_where_its_format_says_so(
    text: str, names: list[str]
) -> None:
    from suitecase.authoring.migration import meanings

    head = "execution: {evaluators: [{name: s, type: contains, value: a}]}\n"
    (meaning,) = meanings(parse_suite(head + text + "\n"))
    assert meaning is not None
    assert [it["name"] for it in meaning["evaluators"]] == names


def test_everything_stays_within_the_text_it_was_written_in() -> None:
    text = (
        "assert: [x, {type: is-json}]\ntests:\n  - id: a\n    input: b\n    criteria: c\n    assert:\n"
        "      - d\n      - type: rubrics\n        criteria: [{outcome: e, min_score: 0.5, "
        "score_ranges: {0: a}}]\n"
    )
    suite = parse_suite(text)
    parts: list[ParsedHead | ParsedCase] = [suite.head, *suite.cases]
    for part in parts:
        assert part.node is not None
        for node in _all(part.node):
            assert 0 <= node.start <= node.end <= len(part.source)


def _all(node: Node) -> list[Node]:
    found: list[Node] = [node]
    if isinstance(node, Mapping):
        for _, entry in node:
            found += [entry.key, *_all(entry.value)]
    elif isinstance(node, Sequence):
        for item in node.items:
            found += _all(item)
    return found


@pytest.mark.parametrize(
    ("text", "is_suite"),
    [
        ("tests:\n  - {id: a, input: b, criteria: c}\n", True),
        ("tests:\n  - {id: a}\n", True),
        ("tests:\n  - {vars: {a: b}, id: a}\n", False),
        ("tests:\n  - {name: a, run: b}\n", False),
        ("tests: {a: b}\n", False),
        ("tests: ./a.jsonl\n", True),
        ("cases:\n  - {input: b, expected_output: c}\n", True),
        ("cases: []\n", False),
        ("evalcases: []\n", True),
        ("testcases: nothing\n", True),
    ],
)
def test_a_suite_is_known_by_its_cases(text: str, is_suite: bool) -> None:
    assert looks_like_suite(parse_suite(text).document) is is_suite


def test_a_file_that_becomes_a_suite_is_read_anew() -> None:
    foreign = parse_suite("prompts: [a]\ntests:\n  - vars: {a: b}\n")
    ours: ParsedSuite = parse_suite(
        "tests:\n  - vars: {a: b}\n  - id: x\n    outcome: y\n", reuse=foreign
    )
    assert foreign.cases[0].issues == ()
    assert ours.cases[0].issues != ()


def test_a_case_is_read_again_where_its_suite_says_something_else() -> None:
    """How a text counts follows from the suite's evaluators, and so does what is found."""
    cases = (
        "tests:\n  - id: a\n    input: x\n    assertions: [b, c]\n"
        "  - id: b\n    input: x\n    expected_output: y\n"
    )
    shared = "assertions: [{type: contains, value: d}]\n"
    nowhere = Folder(Workspace(Path("/nowhere")), Path("/nowhere"))
    earlier = None
    for text in (cases, shared + cases, cases, cases.replace("tests", "evalcases"), shared + cases):
        earlier, fresh = parse_suite(text, reuse=earlier), parse_suite(text)
        ways = [(it.cases[0].model, check(it, nowhere).findings) for it in (earlier, fresh)]
        assert ways[0] == ways[1]
        judged = "evaluators" if shared in text else "rubrics"
        assert getattr(fresh.cases[0].model, judged) is not None
