"""Amounts and sentences in messages."""

from __future__ import annotations

import pytest

from suitecase.text.plural import capitalized, dollars


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0, "$0"),
        (1.2, "$1.2"),
        (0.00314159, "$0.003142"),
        (2.925e-05, "$0.00002925"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_are_written_out(usd: float, text: str) -> None:
    assert dollars(usd) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no answer was rated", "No answer was rated"),
        ("non-empty text", "Non-empty text"),
        ("nothing", "Nothing"),
        ("labels/rubric.calibration.json:1: it is not a list", None),
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
