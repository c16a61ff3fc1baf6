"""Evaluators that cases have in common, moved to the suite and back."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered, only_offered

LISTED = (
    "    evaluators:  # why\n      - name: kind  # c\n        type: contains\n        value: hi\n"
)
FIRST = "  - id: a\n    input: x\n    expected_outcome: y\n"
UNDER_EXECUTION = (
    "  - id: b\n    execution:\n      evaluators:  # why\n        - {name: kind, type: contains, "
    "value: 'hi'}\n    input: x\n    expected_outcome: y\n"
)
SWITCHED_OFF = "  - {id: c, input: x, expected_outcome: y, evaluators: []}\n"
HEAD = "description: x\n\n# The cases\nevalcases:\n"
MOVED = "execution:\n  evaluators:  # why\n    - name: kind  # c\n      type: contains\n      value: hi\n"


def _marked(cases: str) -> str:
    return cases.replace("evaluators", "eval|uators", 1)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_the_same_in_all_cases(line_break: str) -> None:
    text = (HEAD + FIRST + LISTED + UNDER_EXECUTION).replace("\n", line_break)
    at = text.index("evaluators")

    changed = made(parse_suite(text), Span(at, at))[
        "Move the evaluators of all 2 cases to the suite"
    ]

    after = HEAD.replace("# The", f"{MOVED}# The") + FIRST + FIRST.replace("id: a", "id: b")
    assert changed == after.replace("\n", line_break)


def test_cases_with_others_of_their_own_keep_them() -> None:
    text = "execution:\n  target: mock\nevalcases:\n" + FIRST + LISTED + UNDER_EXECUTION
    changed = only_offered(_marked(text + SWITCHED_OFF), "Move the evaluators of 2 cases")

    assert changed.startswith(
        f"execution:\n  target: mock\n{MOVED.partition(chr(10))[2]}evalcases:"
    )
    assert changed.endswith(SWITCHED_OFF)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + FIRST + LISTED,
        HEAD + FIRST + LISTED + UNDER_EXECUTION + "  - {id: c, input: x, expected_outcome: y}\n",
        HEAD + FIRST + LISTED + UNDER_EXECUTION.replace("'hi'", "ho"),
        HEAD + FIRST + LISTED + UNDER_EXECUTION + "  - {id: c\n",
        HEAD + FIRST + LISTED + UNDER_EXECUTION.replace("# why", "# because"),
        "execution: {evaluators: [{name: x, type: is_json}]}\n" + HEAD + LISTED,
    ],
    ids=[
        "one case",
        "a case without any",
        "all differ",
        "half-typed",
        "another comment",
        "the suite has some",
    ],
)
def test_what_would_grade_otherwise_stays(text: str) -> None:
    assert not [it for it in offered(_marked(text)) if it.startswith("Move")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_those_of_the_suite_move_to_the_cases_they_grade(line_break: str) -> None:
    other = "  - {id: d, input: x, expected_outcome: y}\n"
    text = "execution:\n  evaluators: [{name: kind, type: is_json}]\nevalcases:\n"
    text = (text + FIRST + SWITCHED_OFF + other).replace("\n", line_break)
    at = text.index("evaluators")

    found = made(parse_suite(text), Span(at, at))

    written = "evaluators: [{name: kind, type: is_json}]"
    after = f"evalcases:\n{FIRST}    {written}\n{SWITCHED_OFF}{other[:-2]}, {written}}}\n"
    title = "Move the suite's evaluators to the 2 cases they grade"
    assert found[title] == after.replace("\n", line_break)
