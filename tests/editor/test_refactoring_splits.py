"""Splitting a case with several questions or rubrics."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered, only_offered

HEAD = "evalcases:\n  - id: greet  # a\n    expected_outcome: Says hello\n"
TURNS = "one for each turn of the user"
RUBRICS = "one for each rubric"
ASKED = """\
    input_messages:
      - role: system
        content: Be kind
      - role: user
        content: Hi
"""
ANSWER = """\
      # kept
      - role: assistant
        content: >-
          Hello
          you
"""
AGAIN = """\
      - role: user
        content: And now?
"""
EXPECTED = "    expected_messages:\n"
LAST = "      - {role: assistant, content: Bye}\n"
NEXT = "\n  - {id: other, input: x, expected_outcome: y}\n"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_each_turn_with_what_was_said_before_it(line_break: str) -> None:
    text = (HEAD + ASKED + ANSWER + AGAIN + EXPECTED + LAST + NEXT).replace("\n", line_break)
    grouped = HEAD.replace("# a\n", "# a\n    conversation_id: greet\n")
    first = grouped.replace("id: greet ", "id: greet-1 ") + ASKED + EXPECTED + ANSWER
    last = grouped.removeprefix("evalcases:\n") + ASKED + ANSWER + AGAIN + EXPECTED + LAST

    at = text.index("greet")
    found = made(parse_suite(text), Span(at, at))

    after = f"{first}\n{last}{NEXT}".replace("\n", line_break)
    assert found[f"Split the case into 2, {TURNS}"] == after


def test_messages_in_a_row_are_one_turn_and_the_given_conversation_stays() -> None:
    case = (
        "evalcases:\n- {id: a|, conversation_id: c, expected_outcome: o, input: "
        "[{role: user, content: b}, {role: user, content: c}%s], expected_output: e}\n"
    )
    more = ", {role: assistant, content: d}, {role: user, content: f}"

    changed = only_offered(case % more, "Split")

    first = (
        (case % "")
        .replace("id: a|", "id: a-1")
        .replace("expected_output: e", "expected_messages: [{role: assistant, content: d}]")
    )
    assert changed == first + (case % more).partition("\n")[2].replace("|", "")
    assert not [it for it in offered(case % "") if "Split" in it]


def test_a_turn_without_an_answer_expects_none() -> None:
    text = HEAD.replace("greet", "gre|et") + (
        "    input:\n      - {role: user, content: a}\n      - {role: system, content: b}\n"
        "      - {role: user, content: c}\n    expected_output: d\n"
    )
    first, last = only_offered(text, TURNS).split("  - id: ")[1:]

    assert "content: b}" in first.partition("expected_messages:")[2]
    assert "expected_output" not in first
    assert "expected_output: d" in last


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_each_rubric_has_a_case_named_as_it_is(line_break: str) -> None:
    text = HEAD + (
        "    input: Hi\n    rubrics:  # what\n      # one\n      - id: warm\n"
        "        expected_outcome: Is warm\n      # two\n      - Is short\n    note: x\n"
    )
    text = text.replace("\n", line_break)
    at = text.index("rubrics")

    changed = made(parse_suite(text), Span(at, at))[f"Split the case into 2, {RUBRICS}"]

    case = text.removeprefix(f"evalcases:{line_break}")
    one = f"      # one{line_break}      - id: warm{line_break}        expected_outcome: Is warm"
    two = f"      # two{line_break}      - Is short"
    assert one in case
    first = case.replace("id: greet", "id: greet-warm").replace(f"{two}{line_break}", "")
    second = case.replace("id: greet", "id: greet-2").replace(f"{one}{line_break}", "")
    assert changed == f"evalcases:{line_break}{first}{second}"


@pytest.mark.parametrize(
    "case",
    [
        "    input: Hi\n    rubr|ics: [Is warm]\n",
        "    input: Hi\n    rubr|ics: [&a Is warm, *a]\n",
        "    input: Hi\n    rubr|ics: [Is warm, {id: 3}]\n",
        "    in|put: [{role: user, content: a}]\n",
        "    in|put: [{role: user, content: a}, {role: user\n",
    ],
    ids=["one", "an anchor", "unsound", "one turn", "half-typed"],
)
def test_cases_that_stay_one(case: str) -> None:
    assert not [it for it in offered(HEAD + case) if "Split" in it]
