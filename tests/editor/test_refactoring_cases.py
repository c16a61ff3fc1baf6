"""Rubrics as a named evaluator, and cases copied under a new id."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered, suite_of

NAMED = "Write the rubrics as an evaluator named `rubric`"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "rubrics:  # why\n  - Says sorry  # first\n  # then\n  - >\n    two\n\n    lines\n",
            (
                "evaluators:\n  - name: rubric\n    type: llm_judge\n    rubrics:  # why\n"
                "      - Says sorry  # first\n      # then\n      - >\n        two\n\n        lines\n"
            ),
        ),
        (
            "rubrics:\n- a\nevaluators:\n- name: x  # own\n  type: is_json\n",
            (
                "evaluators:\n- name: rubric\n  type: llm_judge\n  rubrics:\n  - a\n"
                "- name: x  # own\n  type: is_json\n"
            ),
        ),
        (
            "rubrics: [a]\nexecution:\n  evaluators: [{name: x, type: is_json}]\n",
            (
                "execution:\n  evaluators: [{name: rubric, type: llm_judge, rubrics: [a]}, "
                "{name: x, type: is_json}]\n"
            ),
        ),
    ],
    ids=["none yet", "in front of its own", "in brackets"],
)
def test_rubrics_as_a_named_evaluator(before: str, after: str, line_break: str) -> None:
    text = suite_of(before).replace("\n", line_break)
    at = text.index("rubrics")

    assert made(parse_suite(text), Span(at, at))[NAMED] == suite_of(after).replace("\n", line_break)


@pytest.mark.parametrize(
    "text",
    [
        "execution: {evaluators: [{name: a, type: is_json}]}\n" + suite_of("rubr|ics: [a]\n"),
        suite_of("rubr|ics: [a]\nevaluators: [{name: rubric, type: is_json}]\n"),
        suite_of("rubr|ics: []\n"),
        suite_of("rubr|ics: [\n"),
    ],
    ids=["inherits evaluators", "name is taken", "empty", "half-typed"],
)
def test_rubrics_that_would_grade_otherwise_stay(text: str) -> None:
    assert NAMED not in offered(text)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff# 🎉\n"])
def test_a_case_is_duplicated_behind_itself(line_break: str, start: str) -> None:
    case = "  - id: 'greet'  # hello\n    input: |\n      Hi\n    expected_outcome: Says hello\n\n"
    last = f"  # about the last\n{case.replace('greet', 'last')}"
    text = f"{start}evalcases:\n{case}{last}".replace("\n", line_break)
    at = text.index("greet")

    (title, changed), *_ = made(parse_suite(text), Span(at, at)).items()

    first = case.replace("\n", line_break)
    assert title == "Duplicate the case as `greet-2`"
    assert changed == text.replace(first, first + first.replace("greet", "greet-2"))


def test_the_new_id_is_the_next_that_is_free() -> None:
    cases = "".join(f"  - {{id: {it}, input: x, expected_outcome: y}}\n" for it in ("a-2|", "a-3"))

    assert list(offered(f"evalcases:\n{cases}")) == ["Duplicate the case as `a-4`"]


@pytest.mark.parametrize(
    "text",
    [
        "evalcases:\n  - id: a|\n    input: x\n",
        "evalcases: [{id: a|, input: x, expected_outcome: y}]\n",
        "evalcases:\n  - id: a|\n    input: &x y\n    expected_outcome: *x\n",
        "evalcases:\n  - id: a|\n    input: x\n    expected_outcome: |",
    ],
    ids=["not sound", "in brackets", "with an anchor", "half-typed"],
)
def test_cases_that_are_not_duplicated(text: str) -> None:
    assert offered(text) == {}
