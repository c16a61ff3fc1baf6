"""Structured answers compared field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score, Verdict
from support.running.evaluators import ENTRY, answer, entry, expecting, graded

INVOICE = {
    "number": "INV-1",
    "date": "15-JAN-2025",
    "total": 1889.5,
    "incoterm": None,
    "supplier": {"name": "Acme"},
    "items": [{"total": 10}, {"total": 20}],
}


async def compared(candidate: Any, *fields: dict[str, Any], **rest: Any) -> Score:
    subject = expecting(INVOICE, json.dumps(candidate))
    return await graded(entry("field_accuracy", fields=list(fields), **rest), subject)


async def compared_values(wanted: Any, actual: Any, **field: Any) -> Score:
    subject = expecting({"x": wanted}, json.dumps({"x": actual}))
    return await graded(entry("field_accuracy", fields=[{"path": "x", **field}]), subject)


async def test_fields_count_by_their_weight() -> None:
    score = await compared(
        {**INVOICE, "number": "INV-2"},
        {"path": "number", "weight": 1},
        {"path": "supplier.name", "weight": 2.5},
        {"path": "items[1].total"},
        {"path": "incoterm", "weight": 0.5},
    )
    assert score.score == pytest.approx(4 / 5)
    assert score.verdict is Verdict.PASS
    assert score.misses == ('`number` is "INV-2", expected "INV-1"',)
    assert len(score.hits) == 3


async def test_all_or_nothing_wants_every_field() -> None:
    fields = ({"path": "number", "weight": 0.1}, {"path": "supplier.name", "weight": 9})
    assert (await compared(INVOICE, *fields, aggregation="all_or_nothing")).score == 1.0
    wrong = {**INVOICE, "number": "INV-2"}
    assert (await compared(wrong, *fields, aggregation="all_or_nothing")).score == 0.0


async def test_a_missing_field_counts_0_where_it_is_required_and_is_left_out_else() -> None:
    candidate = {"number": "INV-1"}
    needed = await compared(candidate, {"path": "number"}, {"path": "items[0].total"})
    assert needed.score == 0.5
    assert needed.misses == ("`items[0].total` is missing, expected 10",)
    optional = {"path": "items[0].total", "required": False}
    assert (await compared(candidate, {"path": "number"}, optional)).score == 1.0


async def test_where_no_field_counts_nothing_is_evaluated() -> None:
    score = await compared({}, {"path": "number", "required": False})
    assert (score.verdict, score.score) == (Verdict.NOT_EVALUATED, None)
    score = await compared(INVOICE, {"path": "number", "weight": 0})
    assert (score.verdict, score.score) == (Verdict.NOT_EVALUATED, None)


async def test_a_field_nobody_expects_is_wrong_where_it_is_there() -> None:
    field = {"path": "colour", "required": False}
    assert (await compared({**INVOICE, "colour": "red"}, field)).score == 0.0
    assert (await compared(INVOICE, {"path": "number"}, field)).score == 1.0


@pytest.mark.parametrize(
    ("wanted", "actual", "score"),
    [
        ("a", "a", 1.0),
        ("a", "A", 0.0),
        (1, 1.0, 1.0),
        (1, True, 0.0),
        (1, "1", 0.0),
        (None, None, 1.0),
        (None, "", 0.0),
        ({"a": [1, 2]}, {"a": [1, 2]}, 1.0),
        ({"a": [1, 2]}, {"a": [2, 1]}, 0.0),
    ],
)
async def test_exact_means_the_same_json_value(wanted: Any, actual: Any, score: float) -> None:
    assert (await compared_values(wanted, actual)).score == score


@pytest.mark.parametrize(
    ("wanted", "actual", "settings", "score"),
    [
        (100, 101, {"tolerance": 1}, 1.0),
        (100, 101.01, {"tolerance": 1}, 0.0),
        (1.1, 1.0, {"tolerance": 0.1}, 1.0),
        (0.3, "0.4", {"tolerance": 0.1}, 1.0),
        (100, 100, {}, 1.0),
        (-200, -209, {"tolerance": 0.05, "relative": True}, 1.0),
        (200, 211, {"tolerance": 0.05, "relative": True}, 0.0),
        (0, 0.001, {"tolerance": 0.05, "relative": True}, 0.0),
        (1, True, {"tolerance": 5}, 0.0),
        (1, None, {"tolerance": 5}, 0.0),
        (1, "nan", {"tolerance": 5}, 0.0),
        (1, "about 1", {"tolerance": 5}, 0.0),
        (10**30, 10**30 + 1, {"tolerance": 1}, 1.0),
        (10**30, 10**30 + 2, {"tolerance": 1}, 0.0),
    ],
)
async def test_numbers_may_be_a_tolerance_apart(
    wanted: Any, actual: Any, settings: dict[str, Any], score: float
) -> None:
    found = await compared_values(wanted, actual, match="numeric_tolerance", **settings)
    assert found.score == score


@pytest.mark.parametrize(
    ("wanted", "actual", "formats", "score"),
    [
        ("15-JAN-2025", "2025-01-15", ["DD-MMM-YYYY", "YYYY-MM-DD"], 1.0),
        ("15-JAN-2025", "2025-01-16", ["DD-MMM-YYYY", "YYYY-MM-DD"], 0.0),
        ("2025-01-15", "01/15/2025", ["YYYY-MM-DD", "MM/DD/YYYY"], 1.0),
        ("2025-03-04", "03/04/2025", ["YYYY-MM-DD", "DD/MM/YYYY"], 0.0),
        ("2025-01-15", "15.01.25", ["YYYY-MM-DD", "DD.MM.YY"], 1.0),
        ("2025-01-15", "15 January 2025", None, 1.0),
        ("2025-01-15", "January 15, 2025", None, 1.0),
        ("2025-01-15", "15-Jan-2025", None, 1.0),
        ("2025-01-15", "2025-01-15T23:59:00+02:00", None, 1.0),
        ("2025-01-15", "01/15/2025", None, 0.0),
        ("2025-01-15", 20250115, None, 0.0),
        ("2025-01-15", None, None, 0.0),
        ("100% 2025-01-15", "100% 2025-1-15", ["100% YYYY-MM-DD"], 1.0),
    ],
)
async def test_dates_are_the_same_day_however_they_are_written(
    wanted: str, actual: Any, formats: list[str] | None, score: float
) -> None:
    settings = {} if formats is None else {"formats": formats}
    assert (await compared_values(wanted, actual, match="date", **settings)).score == score


@pytest.mark.parametrize(
    ("text", "score", "said"),
    [
        ('```json\n{"number": "INV-1"}\n```', 1.0, "code fence"),
        ('Sure: {"number": "INV-1"}', 1.0, "answer's text"),
        ('{"number": "INV-1"}', 1.0, "1 of 1 fields match"),
        ("I could not read it.", 0.0, "not JSON"),
        ('Sure: {"number": "INV-1", "number": "INV-2"}', 0.0, "occurs twice in one object"),
        ("[]", 0.0, "0 of 1"),
    ],
)
async def test_the_answer_is_json_which_may_stand_within_text(
    text: str, score: float, said: str
) -> None:
    written = entry("field_accuracy", fields=[{"path": "number"}])
    found = await graded(written, expecting(INVOICE, text))
    assert found.score == score
    assert said in found.reasoning


async def test_structured_output_is_compared_as_it_is() -> None:
    messages = (Message(role="assistant", content={"number": "INV-1"}),)
    subject = expecting(INVOICE, "see attachment", output_messages=messages)
    written = entry("field_accuracy", fields=[{"path": "number"}])
    assert (await graded(written, subject)).score == 1.0


async def test_the_expected_message_may_be_json_in_text() -> None:
    written = entry("field_accuracy", fields=[{"path": "[1].a"}])
    assert (await graded(written, expecting('[0, {"a": 1}]', '[5, {"a": 1}]'))).score == 1.0


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"path": "colour"}, "has no `colour`"),
        ({"path": "items[2].total"}, "has no `items[2].total`"),
        ({"path": "items.total"}, "has no `items.total`"),
        ({"path": "supplier.name", "match": "date"}, '"Acme", is not a date'),
        (
            {"path": "date", "match": "date", "formats": ["YYYY-MM-DD"]},
            "is not a date in any of the formats YYYY-MM-DD",
        ),
        ({"path": "number", "match": "numeric_tolerance"}, "is not a number"),
    ],
)
async def test_an_expectation_that_says_nothing_is_an_error_and_not_a_score(
    field: dict[str, Any], said: str
) -> None:
    score = await compared({**INVOICE, "colour": "red"}, field)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert said in (score.error or "")


async def test_without_a_structured_expected_message_there_is_nothing_to_compare_with() -> None:
    written = entry("field_accuracy", fields=[{"path": "number"}])
    for subject in (answer("{}"), expecting("Looks right.", "{}")):
        score = await graded(written, subject)
        assert (score.verdict, score.score) == (Verdict.ERROR, None)
        assert "expected message" in (score.error or "")


@pytest.mark.parametrize(
    ("field", "error"),
    [
        ({"path": ""}, "string_pattern_mismatch"),
        ({"path": "a..b"}, "string_pattern_mismatch"),
        ({"path": "a[x]"}, "string_pattern_mismatch"),
        ({"path": "a[0]b"}, "string_pattern_mismatch"),
        ({"path": "a", "match": "fuzzy"}, "literal_error"),
        ({"path": "a", "tolerance": 1}, "field_setting_unused"),
        ({"path": "a", "match": "date", "relative": True}, "field_setting_unused"),
        ({"path": "a", "formats": ["YYYY-MM-DD"]}, "field_setting_unused"),
        ({"path": "a", "match": "date", "formats": ["YYYY-MM"]}, "date_format"),
        ({"path": "a", "match": "date", "formats": ["YYYY-MM-DD MMM"]}, "date_format"),
        ({"path": "a", "match": "numeric_tolerance", "tolerance": -1}, "greater_than_equal"),
    ],
)
def test_fields_that_say_nothing_are_errors_of_the_suite(field: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(entry("field_accuracy", fields=[field]))
    assert [it["type"] for it in raised.value.errors()] == [error]


@pytest.mark.parametrize("actual", ["1e9999999", "-1e9999999", "1e-9999999", "9" * 1_000_001])
async def test_a_number_of_any_size_is_compared(actual: str) -> None:
    field = {"match": "numeric_tolerance", "tolerance": 1}
    score = await compared_values(0, actual, **field)
    assert score.score == float(actual.startswith("1e-"))
