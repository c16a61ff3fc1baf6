"""Beginnings of sentences in messages."""

from __future__ import annotations

import pytest

from suitecase.suite.counted import capitalized


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no answer was rated", "No answer was rated"),
        ("non-empty text", "Non-empty text"),
        ("nothing", "Nothing"),
        ("labels/rubric.calibration.json:1: it is no list", None),
        ("a.eval.yaml was changed", None),
        ("`x` is missing", None),
        ("pass_rate is missing", None),
        ("", None),
    ],
)
def test_a_sentence_begins_with_a_capital_letter_and_a_name_as_it_is(
    text: str, shown: str | None
) -> None:
    assert capitalized(text) == (text if shown is None else shown)
