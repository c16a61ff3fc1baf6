"""Converting score ranges to their other form, preserving comments, quotes and line endings."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered, only_offered, suite_of

TO_MAP = "Write the score ranges as a map from lowest scores"
TO_LIST = "Write the score ranges as a list with both ends"

LISTED = """\
rubrics:
  - id: warmth
    score_ranges:
      - score_range: [0, 3]
        expected_outcome: Cold
      - score_range: [4, 10]
        expected_outcome: "Warm"
"""
MAPPED = """\
rubrics:
  - id: warmth
    score_ranges:
      0: Cold
      4: "Warm"
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "# 🎉 é\n"])
def test_there_and_back_is_the_same_text(line_break: str, start: str) -> None:
    listed = (start + suite_of(LISTED)).replace("\n", line_break)
    mapped = (start + suite_of(MAPPED)).replace("\n", line_break)

    at = listed.index("score_ranges")
    assert made(parse_suite(listed), Span(at, at)) == {TO_MAP: mapped}
    assert made(parse_suite(mapped), Span(at, at)) == {TO_LIST: listed}


def test_comments_and_blocks_of_text_stay() -> None:
    changed = only_offered(
        suite_of(
            """\
            rubrics:
              - id: warmth
                score_ranges:   # how warm
                - score_range: [0, 3]  # the lowest
                  # two lines
                  expected_outcome: |  # kept
                    Cold

                    and short
                # between
                - expected_outcome: Wa|rm  # last
                  score_range: [4, 10]
                weight: 2
            """
        ),
        "as a map",
    )

    assert changed == suite_of(
        """\
        rubrics:
          - id: warmth
            score_ranges:   # how warm
              # the lowest
              # two lines
              0: |  # kept
                Cold

                and short
              # between
              4: Warm  # last
            weight: 2
        """
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            (
                "[{score_range: [0, 3], expected_outcome: Cold}, "
                "{expected_outcome: 'Warm', score_range: [4, 10]}]"
            ),
            "{0: Cold, 4: 'Warm'}",
        ),
        (
            '[{"score_range": [0, 10], "expected_outcome": "Any"}]',
            '{"0": "Any"}',
        ),
    ],
)
def test_what_stands_in_brackets_stays_in_brackets(before: str, after: str) -> None:
    case = "rubrics: [{id: warmth, score_ran|ges: %s}]\n"

    assert only_offered(suite_of(case % before), "as a map") == suite_of(
        case.replace("|", "") % after
    )
    back = only_offered(suite_of(case % after), "as a list")
    assert only_offered(back.replace("score_ranges", "score_ran|ges"), "as a map") == suite_of(
        case.replace("|", "") % after
    )


@pytest.mark.parametrize(
    "ranges",
    [
        "score_ranges: [{score_range: [0, 5], expected_outcome: a}]|",
        (
            "score_ranges: [{score_range: [0, 5], expected_outcome: a}, "
            "{score_range: [5, 10], expected_outcome: b}]|"
        ),
        "score_ranges: {1: a}|",
        "score_ranges: |",
        "score_ranges: [{score_range: [0,|",
    ],
)
def test_ranges_that_are_not_sound_have_no_other_form(ranges: str) -> None:
    assert not {TO_MAP, TO_LIST} & set(offered(suite_of(f"rubrics: [{{id: a, {ranges}}}]\n")))


def test_each_of_the_rubrics_that_a_selection_reaches_over() -> None:
    text = suite_of(MAPPED + MAPPED.removeprefix("rubrics:\n").replace("warmth", "tone"))
    both = made(parse_suite(text), Span(text.index("warmth"), len(text)))

    assert both[TO_LIST].count("score_range: [4, 10]") == 2
