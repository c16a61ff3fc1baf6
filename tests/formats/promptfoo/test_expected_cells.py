"""What promptfoo makes of a cell under `__expected` of a CSV."""

from __future__ import annotations

import pytest

from suitecase.formats.promptfoo.suite.test_cases.csv_assertions import (
    meant_assertion,
    reads_as_assertion,
)


@pytest.mark.parametrize(
    "text",
    [
        "contains:x",
        " contains: x",
        "not-icontains:x",
        "contains-any:a,b",
        "similar(0.8):x",
        "is-json",
        "llm-rubric: Is polite",
        "grade:Is polite",
        "fn:output.length",
        "javascript: file://check.js",
        "file://check.js",
        "file://check.py:get_assert",
        "regex:\\d+\nmore",
    ],
)
def test_assertions_are_known_by_their_type(text: str) -> None:
    assert reads_as_assertion(text)
    assert meant_assertion(text) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Contains: x", "contains:"),
        ("contains : x", "contains:"),
        ("contain: x", "contains:"),
        ("llm_rubric: x", "llm-rubric:"),
        ("not contains: x", "not-contains:"),
        ("contains any: a, b", "contains-any:"),
        ("javscript: output > 1", "javascript:"),
        ("rubric: Is polite", "llm-rubric:"),
    ],
)
def test_texts_that_look_like_assertions_say_which(text: str, meant: str) -> None:
    assert not reads_as_assertion(text)
    assert meant_assertion(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "Rome",
        "Content: a text",
        "Cost: 5 dollars",
        "Note: it depends",
        "Answer: yes",
        "https://example.com",
        "Similar: no",
        "12:30",
        "Person: Human",
        "is: json",
    ],
)
def test_ordinary_answers_are_left_alone(text: str) -> None:
    assert meant_assertion(text) is None
