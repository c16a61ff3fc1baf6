from __future__ import annotations

from textwrap import dedent

import pytest

from suitecase.editor.selected_cases import case_at, cases_in
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.node import Span
from support.ide.marked_suite import suite

SUITE = """\
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      # between
      - input: Nothing
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    version: 1
    """


def between(written: ParsedSuite, start: str, end: str) -> Span:
    text = written.document.text
    return Span(text.index(start), text.index(end))


@pytest.mark.parametrize(
    ("start", "end", "cases"),
    [
        ("Hi", "Says hello", ["greet"]),
        ("Hi", "  - id: part", ["greet"]),
        ("Hi", "Bye", ["greet", "part"]),
        ("Bye", "Bye", ["part"]),
        ("evalcases", "version", ["greet", "part"]),
        ("Nothing", "Nothing", []),
        ("evalcases", "evalcases", []),
    ],
)
def test_a_selection_means_the_cases_that_it_touches(
    start: str, end: str, cases: list[str]
) -> None:
    for text in (SUITE, SUITE.replace("\n", "\r\n")):
        written = suite(text)
        assert cases_in(written, between(written, start, end)) == cases


def test_every_offset_of_a_broken_text_has_an_answer() -> None:
    merged = SUITE.replace("- id: greet", "- &a\n    id: greet").replace(
        "- input", "- <<: *a\n    input"
    )
    broken = SUITE.replace("Says hello", '"Says')
    for text in (broken, dedent(merged), "a: [1\n", "", "evalcases: &a [*a]"):
        written = parse_suite(text)
        for offset in range(len(text) + 1):
            found = case_at(written, offset)
            assert found in (None, "greet", "part")
            assert cases_in(written, Span(offset, offset)) == ([found] if found else [])
