"""Numbers are compared as they are written, however many digits they have."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.text.scalar import resolve
from suitecase_evaluators.text.finite_json import finite_json
from suitecase_evaluators.text.json_values import parse_json, same_json
from suitecase_evaluators.text.written_number import (
    as_written,
    exact,
    has_written,
    read_float,
    with_digits,
)
from support.running.evaluators import answer, entry, expecting, graded

#: A whole number that is not a float, and the floats beside it.
BIG, BELOW = 9007199254740993, 9007199254740992
LONG, OTHER = "0.12345678901234567891", "0.12345678901234567892"

numerals = st.from_regex(
    r"\A-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][-+]?[0-9]{1,2})?\Z"
).filter(lambda text: "." in text or "e" in text.lower())


@given(numerals, numerals)
def test_numerals_are_the_same_exactly_if_they_are_the_same_number(one: str, other: str) -> None:
    for text in (one, other):
        assert Fraction(exact(read_float(text))) == Fraction(text)
        assert Fraction(as_written([parse_json(text)])[1:-1]) == Fraction(text)
        assert Fraction(exact(pickle.loads(pickle.dumps(read_float(text))))) == Fraction(text)
    same = Fraction(one) == Fraction(other)
    assert same_json([parse_json(one)], [parse_json(other)]) is same
    smaller = min(one, other, key=Fraction)
    assert min(map(exact, map(read_float, (one, other)))) == exact(read_float(smaller))


@pytest.mark.parametrize(
    "text", ["9" * 5000 + ".5", "1e-99999999999999999999", "0." + "1" * 100_000]
)
def test_numerals_that_take_long_to_calculate_with_are_rounded(text: str) -> None:
    assert type(read_float(text)) is float
    assert type(resolve(text)) is float


@pytest.mark.parametrize(
    ("value", "text", "right"),
    [
        ("9007199254740993", f"It is {BIG}.", True),
        ("9007199254740993", f"It is {BELOW}.", False),
        ("12345678901234567890", "12345678901234567890", True),
        ("12345678901234567890", "12345678901234567168", False),
        ("9007199254740993.0", str(BIG), True),
        ("1e23", "1" + "0" * 23, True),
        ("!!float 9007199254740993", str(BIG), True),
        (LONG, LONG, True),
        (LONG, OTHER, False),
        ("1" + "0" * 60, "1" + "0" * 60, True),
        ("1" + "0" * 60, "1" + "0" * 59 + "1", False),
    ],
)
async def test_the_number_that_is_written_in_a_suite_is_the_expected_one(
    value: str, text: str, right: bool
) -> None:
    number = read_float(value.removeprefix("!!float ")) if "!" in value else resolve(value)
    score = await graded(entry("number", value=number), answer(text))
    assert score.score == float(right), score.reasoning


async def test_a_tolerance_is_exact_too() -> None:
    written = entry("number", value=BIG, tolerance=resolve("1.00000000000000000001"))
    assert (await graded(written, answer(str(BIG + 1)))).score == 1.0
    assert (await graded(written, answer(f"{BIG + 1}.00000000000000000001"))).score == 1.0
    assert (await graded(written, answer(f"{BIG + 1}.00000000000000000002"))).score == 0.0


async def test_a_miss_shows_the_digits_that_differ() -> None:
    score = await graded(entry("number", value=BIG), answer(str(BELOW)))
    assert score.misses == (f"the last number of the answer is {BELOW}, expected {BIG}",)


@pytest.mark.parametrize("match", ["exact", "numeric_tolerance"])
@pytest.mark.parametrize("structured", [True, False])
async def test_fields_of_an_answer_are_compared_digit_by_digit(
    match: str, structured: bool
) -> None:
    expected = f'{{"a": {BIG}, "b": {LONG}, "c": [{LONG}]}}'
    paths = ["a", "b", "c[0]"]
    written = entry("field_accuracy", fields=[{"path": path, "match": match} for path in paths])
    content: Any = parse_json(expected) if structured else expected
    right = await graded(written, expecting(content, expected))
    assert right.score == 1.0, right.misses
    wrong = expected.replace(str(BIG), str(BELOW)).replace(LONG, OTHER)
    score = await graded(written, expecting(content, wrong))
    assert score.misses == (
        f"`a` is {BELOW}, expected {BIG}",
        f"`b` is {OTHER}, expected {LONG}",
        f"`c[0]` is {OTHER}, expected {LONG}",
    )


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        (f'{{"const": {BIG}}}', f"{BIG}.0", str(BELOW)),
        (f'{{"enum": [{LONG}]}}', LONG, OTHER),
        (f'{{"minimum": {OTHER}}}', OTHER, LONG),
        ('{"multipleOf": 0.00000000000000000001}', LONG, f"{LONG}5"),
        (f'{{"type": "array", "uniqueItems": true, "const": [{LONG}, {OTHER}]}}',
         f"[{LONG}, {OTHER}]", f"[{LONG}, {LONG}]"),
    ],
)  # fmt: skip
async def test_schemas_hold_numbers_to_all_their_digits(
    schema: str, right: str, wrong: str
) -> None:
    written = entry("json_schema", schema=parse_json(schema))
    assert (await graded(written, answer(right))).score == 1.0
    assert (await graded(written, answer(wrong))).score == 0.0


def test_equal_numbers_are_equal_however_they_are_written() -> None:
    for one, other in (("1", "1.0"), ("0.10", "0.1"), ("1e2", "100"), (f"{BIG}.00", str(BIG))):
        assert same_json(parse_json(one), parse_json(other))
    assert not same_json(parse_json("1"), True)


@pytest.mark.parametrize("digits", [309, 310, 400, 5_000])
def test_a_whole_number_that_parsers_take_for_infinite_is_written_as_null(digits: int) -> None:
    number = 9 * 10 ** (digits - 1)
    assert finite_json({"n": [number, 1], "text": "9" * digits}) == (
        f'{{"n": [null, 1], "text": "{"9" * digits}"}}'
    )


def test_a_whole_number_that_a_double_holds_is_written_with_all_its_digits() -> None:
    assert finite_json([10**308, -(10**308)]) == f"[1{'0' * 308}, -1{'0' * 308}]"


@pytest.mark.parametrize("opening", ['{"k": ', "["])
@pytest.mark.parametrize("depth", [100, 300, 500, 700, 900])
def test_a_deep_value_with_a_number_keeps_its_digits(opening: str, depth: int) -> None:
    closing = "}" if opening.startswith("{") else "]"
    text = f"{opening * depth}{LONG}{closing * depth}"
    value = parse_json(text)
    assert as_written(value) == text
    assert with_digits(value, value) == value
    assert not has_written(parse_json(text.replace(LONG, "1")))
