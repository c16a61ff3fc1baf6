"""Tests of promptfoo that pass whatever the answer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.rule import Severity
from support.checked_suite import analyzed, found

HEAD = 'prompts: ["{{q}}"]\nproviders: [openai:gpt-4.1]\n'
RULES = ("test-without-assertions", "suite-without-assertions")


def lines(folder: Path, text: str) -> list[int]:
    return [line for line, _ in found(folder, text, *RULES)]


@pytest.mark.parametrize(
    "tests",
    [
        "defaultTest: {assert: [{type: is-json}]}\ntests: [{vars: {q: a}}]\n",
        "defaultTest: file://default.yaml\ntests: [{vars: {q: a}}]\n",
        "defaultTest: {assertScoringFunction: file://s.js}\ntests: [{vars: {q: a}}]\n",
        "tests: [{vars: {q: a}, assertScoringFunction: file://s.js}]\n",
        "tests: [{vars: {q: a}, assert: [{$ref: '#/checks/a'}]}]\nchecks: {a: {type: is-json}}\n",
        "tests: [{vars: {q: a}, assert: [{type: is-json, weight: '{{ env.W }}'}]}]\n",
        "tests: [{path: gen.py, config: {n: 1}}]\n",
        "tests: file://gen.py:make\n",
        "tests: file://with.csv\n",
        "tests: file://with.yaml\n",
        "redteam: {plugins: [pii]}\ntests: [{vars: {q: a}}]\n",
        "extensions: [file://hooks.py:hook]\ntests: [{vars: {q: a}}]\n",
    ],
)
def test_something_is_asserted_or_may_be(tests: str, tmp_path: Path) -> None:
    (tmp_path / "with.csv").write_text("q,__expected\na,b\n", "utf-8")
    (tmp_path / "with.yaml").write_text("- {vars: {q: a}, assert: [{type: is-json}]}\n", "utf-8")
    assert lines(tmp_path, HEAD + tests) == []


@pytest.mark.parametrize(
    ("tests", "at"),
    [
        ("tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: []}\n", [3]),
        ("tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: [{type: is-json}]}\n", [4]),
        (
            (
                "defaultTest: {assert: [{type: is-json}]}\ntests:\n"
                "  - {vars: {q: a}}\n  - {vars: {q: b}, options: {disableDefaultAsserts: true}}\n"
            ),
            [6],
        ),
        ("tests:\n  - {vars: {q: a}, assert: [{type: is-json, weight: 0}]}\n", [4]),
        (
            (
                "tests:\n  - vars: {q: a}\n    assert:\n"
                "      - {type: assert-set, assert: [{type: is-json, weight: 0}]}\n"
            ),
            [5],
        ),
        ("defaultTest: {assert: [{type: is-json, weight: 0}]}\ntests: [{vars: {q: a}}]\n", [4]),
        ("tests: file://without.csv\n", [3]),
        ("tests: [file://without.yaml, {vars: {q: a}}]\n", [3]),
        ("tests: [file://with.yaml, {vars: {q: a}}]\n", [3]),
    ],
)
def test_nothing_is_asserted(tests: str, at: list[int], tmp_path: Path) -> None:
    (tmp_path / "without.csv").write_text("q,answer\na,b\n", "utf-8")
    (tmp_path / "without.yaml").write_text("- {vars: {q: c}}\n- {vars: {q: d}}\n", "utf-8")
    (tmp_path / "with.yaml").write_text("- {vars: {q: c}, assert: [{type: is-json}]}\n", "utf-8")
    assert lines(tmp_path, HEAD + tests) == at


def test_a_test_without_assertions_beside_others_is_an_error(tmp_path: Path) -> None:
    tests = "tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: [{type: is-json}]}\n"
    findings = analyzed(tmp_path, HEAD + tests).findings
    assert [it.severity for it in findings] == [Severity.ERROR]


def test_assertions_among_variables_are_not_reported_as_unused_too(tmp_path: Path) -> None:
    text = f"{HEAD}tests:\n  - vars:\n      q: a\n      assert: [{{type: contains, value: a}}]\n"
    assert found(tmp_path, text, "assert-under-vars")
    assert found(tmp_path, text, "unused-variable") == []
