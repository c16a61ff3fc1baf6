"""Adding missing score ranges and fields of judges, so that the suite can be graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import found, made, offered, only_offered, suite_of

GAPS = """\
rubrics:
  - id: warmth
    score_ranges:
      - score_range: [1, 4]  # low
        expected_outcome: |
          Cold
      # about the rest

      - score_range: [6, 8]
        expected_outcome: "Warm: x"
"""
FILLED = """\
rubrics:
  - id: warmth
    score_ranges:
      - score_range: [0, 0]
        expected_outcome: Worse than “Cold”
      - score_range: [1, 4]  # low
        expected_outcome: |
          Cold
      - score_range: [5, 5]
        expected_outcome: 'Better than “Cold”, not yet “Warm: x”'
      # about the rest

      - score_range: [6, 8]
        expected_outcome: "Warm: x"
      - score_range: [9, 10]
        expected_outcome: 'Better than “Warm: x”'
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_gaps_are_filled_or_the_neighbours_widened(line_break: str, tmp_path: Path) -> None:
    text = suite_of(GAPS).replace("\n", line_break)
    at = text.index("score_ranges")

    changed = made(parse_suite(text), Span(at, at))

    assert changed == {
        "Add what 0, 5, 9 and 10 mean": suite_of(FILLED).replace("\n", line_break),
        "Widen the ranges over 0, 5, 9 and 10": text.replace("[1, 4]", "[0, 5]").replace(
            "[6, 8]", "[6, 10]"
        ),
    }
    assert found(text, tmp_path / "a.eval.yaml")
    for it in changed.values():
        assert found(it, tmp_path / "a.eval.yaml") == []


def test_ranges_in_brackets_that_fall() -> None:
    text = suite_of(
        "rubrics: [{id: a, score_ranges: [{score_range: [7, 10], expected_outcome: Warm}, "
        "{score_range: [0, 3], expected_outcome: Cold|}]}]\n"
    )

    assert (
        "expected_outcome: Warm}, {score_range: [4, 6], expected_outcome: "
        '"Better than “Cold”, not yet “Warm”"}, {score_range: [0, 3]'
    ) in only_offered(text, "Add what 4 to 6 mean")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{4: Wa|rm}", '{0: "Worse than “Warm”", 4: Warm}'),
        ("\n      4: Wa|rm  # c", "\n      0: Worse than “Warm”\n      4: Warm  # c"),
    ],
)
def test_a_map_that_does_not_start_at_0(before: str, after: str) -> None:
    case = "rubrics:\n  - id: a\n    score_ranges: %s\n"

    assert only_offered(suite_of(case % before), "Add what 0 to 3 mean") == suite_of(case % after)


@pytest.mark.parametrize(
    "ranges",
    [
        "[{score_range: [0, 10], expected_outcome: a|}]",
        "[{score_range: [0, 5], expected_outcome: a}, {score_range: [5, 9], expected_outcome: b|}]",
        "[{score_range: [0, 5]|}]",
        "{0: a|}",
    ],
    ids=["whole", "overlapping", "without a text", "whole map"],
)
def test_nothing_is_added_where_the_neighbours_do_not_say_what(ranges: str) -> None:
    titles = offered(suite_of(f"rubrics: [{{id: a, score_ranges: {ranges}}}]\n"))

    assert [it for it in titles if it.startswith(("Add", "Widen"))] == []


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "- name: judge\n    type: llm_judge\n  - rubrics: [a|]  # c\n",
            (
                "- name: judge\n    type: llm_judge\n"
                "  - name: judge-2\n    type: llm_judge\n    rubrics: [a]  # c\n"
            ),
        ),
        ("- {type: latency, threshold: 5|}\n", "- {name: latency, type: latency, threshold: 5}\n"),
        (
            "- name: a  # c\n    rubrics: [b|]\n",
            "- name: a  # c\n    type: llm_judge\n    rubrics: [b]\n",
        ),
    ],
)
def test_the_fields_that_follow_from_the_rest(before: str, after: str, line_break: str) -> None:
    text = suite_of(f"evaluators:\n  {before}").replace("\n", line_break)
    expected = suite_of(f"evaluators:\n  {after}").replace("\n", line_break)

    assert only_offered(text, "Add the missing") == expected


def test_what_a_judge_is_asked_about_results(tmp_path: Path) -> None:
    text = suite_of(
        """\
        evaluators:
          - name: all
            type: composite
            evaluators: [{name: a, type: is_json}, {name: b, type: contains, value: x}]
            aggregator:
              type: llm_ju|dge  # decides
        """
    )

    changed = only_offered(text, "Add the missing `prompt`")

    assert "type: llm_judge  # decides\n" in changed
    assert found(changed, tmp_path / "a.eval.yaml") == []


@pytest.mark.parametrize("evaluator", ["{name: a|}", "{|}", "{name: a, type: llm_judge|}"])
def test_what_does_not_follow_is_left_to_the_author(evaluator: str) -> None:
    assert offered(suite_of(f"evaluators: [{evaluator}]\n")) == {}
