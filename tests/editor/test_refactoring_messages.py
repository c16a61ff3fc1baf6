"""Converting questions and expected answers between strings and lists of messages."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered

HEAD = "evalcases:\n  - id: greet\n    expected_outcome: Says hello\n"
LIST, TEXT = "Write the input as a list of messages", "Write the input as a text"
FOLDED = "    input: >-  # why\n      Hi\n\n      you\n    note: x\n"
FOLDED_LIST = (
    "    input:\n      - role: user\n        content: >-  # why\n          Hi\n\n          you\n"
    "    note: x\n"
)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_there_and_back(line_break: str) -> None:
    before = (HEAD + FOLDED).replace("\n", line_break)
    after = (HEAD + FOLDED_LIST).replace("\n", line_break)
    at = Span(before.index("input"), before.index("input"))

    assert made(parse_suite(before), at)[LIST] == after
    assert made(parse_suite(after), at)[TEXT] == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    in|put: Hi  # why\n", "    input:\n      - role: user\n        content: Hi  # why\n"),
        ("    in|put: 🎉", "    input:\n      - role: user\n        content: 🎉"),
    ],
    ids=["with a comment", "at the end of the file"],
)
def test_a_text_as_messages(before: str, after: str) -> None:
    assert offered(HEAD + before)[LIST] == HEAD + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    in|put:\n    - content: >\n        Hi\n      role: user\n",
            "    input: >\n      Hi\n",
        ),
        ("    input_mess|ages: [{role: user, content: Hi}]\n", "    input: Hi\n"),
    ],
    ids=["what is said first", "in brackets, under the long key"],
)
def test_messages_as_a_text(before: str, after: str) -> None:
    assert offered(HEAD + before)[TEXT] == HEAD + after


def test_the_expected_answer_too() -> None:
    text = HEAD + "    input: Hi\n    expected_out|put: Hello\n"
    messages = "    expected_output:\n      - role: assistant\n        content: Hello\n"
    changed = offered(text)["Write the expected answer as a list of messages"]
    assert changed == HEAD + "    input: Hi\n" + messages

    again = offered(changed.replace("expected_output", "expected_out|put"))
    assert again["Write the expected answer as a text"] == text.replace("|", "")


@pytest.mark.parametrize(
    "case",
    [
        "    in|put: &a Hi\n    note: *a\n",
        "    in|put:\n      - {role: user, content: Hi}\n      - {role: assistant, content: Yes}\n",
        "    in|put: [{role: system, content: Hi}]\n",
        "    in|put: [{role: user, content: Hi, name: Ann}]\n",
        "    in|put:\n      # why\n      - role: user\n        content: Hi\n",
        "    in|put:\n      - role: user\n        content: [{type: text, value: Hi}]\n",
        "    in|put: [\n",
    ],
    ids=["anchor", "two", "of the system", "a name", "a comment", "parts", "half-typed"],
)
def test_what_a_text_cannot_say_stays(case: str) -> None:
    assert not [it for it in offered(HEAD + case) if it in (LIST, TEXT)]
