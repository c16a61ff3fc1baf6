"""number: a number in the answer, within a tolerance of the expected one."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Verdict
from support.running.evaluators import ENTRY, answer, entry, expecting, graded


@pytest.mark.parametrize(
    ("fields", "text", "right"),
    [
        ({"value": 42}, "42", True),
        ({"value": 42}, "It takes 40 to 42 days.", True),
        ({"value": 40, "find": "first"}, "It takes 40 to 42 days.", True),
        ({"value": 42}, "no number", False),
        ({"value": 1250.5}, "EUR 1,250.50 in total", True),
        ({"value": 1250500}, "1,250,500", True),
        # What is no separator of thousands separates two numbers.
        ({"value": 5}, "1,5", True),
        ({"value": -3}, "It is -3 degrees", True),
        ({"value": -3}, "It is \u22123 degrees", True),
        ({"value": 20}, "10-20", True),
        ({"value": 5}, "f(x)-5", True),
        ({"value": 2}, "2026-01-02", True),
        ({"value": 0.5}, "half is .5", True),
        ({"value": 1200}, "1.2e3", True),
        # Digits within a word are no number.
        ({"value": 7}, "7 l of H2O", True),
        ({"value": 42}, "The answer is 42.", True),
        ({"value": 42, "tolerance": 0.5}, "42.5", True),
        ({"value": 42, "tolerance": 0.5}, "42.51", False),
        ({"value": 200, "tolerance": 0.05, "relative": True}, "190", True),
        ({"value": 200, "tolerance": 0.05, "relative": True}, "189.9", False),
        # Exact in decimals, as it is written.
        ({"value": 0.3, "tolerance": 0.1}, "0.4", True),
        ({"value": [1, 3]}, "3", True),
        ({"value": [1, 3]}, "2", False),
        ({"value": 5}, "9" * 400, False),
        ({"value": 5}, "1e999", False),
        ({"value": 5}, "9" * 1_000_001, False),
        ({"value": 5, "tolerance": 0.1, "relative": True}, "1" * 1_000_001, False),
    ],
)
async def test_a_number_of_the_answer_is_compared(
    fields: dict[str, Any], text: str, right: bool
) -> None:
    score = await graded(entry("number", **fields), answer(text))
    assert score.score == float(right), score.reasoning
    inverted = await graded(entry("number", **fields, negate=True), answer(text))
    assert inverted.score == float(not right)


async def test_without_a_value_the_number_in_the_expected_output_counts() -> None:
    written = entry("number", tolerance=1)
    assert (await graded(written, expecting("Within 5 working days.", "6 days"))).score == 1.0
    assert (await graded(written, expecting({"days": 5}, "7 days"))).score == 0.0
    for subject in (answer("5"), expecting("soon", "5")):
        score = await graded(written, subject)
        assert score.verdict is Verdict.ERROR


@pytest.mark.parametrize(
    ("fields", "text", "miss"),
    [
        ({"value": 5}, "7 days", "the last number of the answer is 7, expected 5"),
        (
            {"value": 5, "tolerance": 0.1, "relative": True, "find": "first"},
            "7 days",
            "the first number of the answer is 7, expected 5 within 10 %",
        ),
        ({"value": [5, 6], "tolerance": 0.5}, "soon", "the answer has no number, expected 5 or 6 within 0.5"),
    ],
)  # fmt: skip
async def test_a_miss_names_the_number_and_the_window(
    fields: dict[str, Any], text: str, miss: str
) -> None:
    assert (await graded(entry("number", **fields), answer(text))).misses == (miss,)


@pytest.mark.parametrize("value", ["5", True, [], None, {"a": 1}, ["5"]])
def test_what_is_no_number_is_an_error_of_the_suite(value: Any) -> None:
    if value is None:
        assert ENTRY.validate_python(entry("number", value=value))
        return
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry("number", value=value))
