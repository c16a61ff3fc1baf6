"""A miss that nobody can see is named: encodings of accents, spaces, characters without width."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.reading import assertion_config
from support.running.evaluators import Judges, answer, entry, expecting, graded

NFD, NFC = "cafe\u0301", "caf\u00e9"
ACCENTS = "; what differs cannot be seen: how accents are encoded (NFC and NFD of Unicode)"
NO_BREAK = "; what differs cannot be seen: kinds of spaces (the answer has U+00A0 no-break space)"


def without_width(what: str, side: str = "the answer") -> str:
    return f"; what differs cannot be seen: characters without width ({side} has {what})"


@pytest.mark.parametrize(
    ("fields", "text", "named"),
    [
        ({"type_": "equals", "value": NFC}, NFD, ACCENTS),
        ({"type_": "equals", "value": NFD}, NFC, ACCENTS),
        ({"type_": "equals", "value": "10 km"}, "10\u00a0km", NO_BREAK),
        ({"type_": "equals", "value": ["a", "10 km"]}, "10\u00a0km", NO_BREAK),
        ({"type_": "contains", "value": "10 km"}, "It is 10\u00a0km away", NO_BREAK),
        ({"type_": "icontains", "value": "10 KM"}, "It is 10\u00a0km away", NO_BREAK),
        ({"type_": "contains_any", "value": ["x", "10 km"]}, "10\u00a0km", NO_BREAK),
        ({"type_": "contains_all", "value": ["a", "10 km"]}, "a: 10\u00a0km", NO_BREAK),
        ({"type_": "ends_with", "value": "10 km"}, "It is 10\u00a0km", NO_BREAK),
        ({"type_": "regex", "value": r"\d+ km"}, "It is 10\u00a0km", NO_BREAK),
        (
            {"type_": "starts_with", "value": "Yes"},
            "\ufeffYes",
            without_width("U+FEFF byte order mark"),
        ),
        (
            {"type_": "contains", "value": "refund"},
            "re\u00adfund",
            without_width("U+00AD soft hyphen"),
        ),
        (
            {"type_": "contains", "value": "re\u200bfund"},
            "a refund",
            without_width("U+200B zero width space", "the expected text"),
        ),
        (
            {"type_": "equals", "value": "a\nb"},
            "a\r\nb",
            ("; what differs cannot be seen: line breaks (the answer has U+000D carriage return "
            "U+000A line feed)"),
        ),
        (
            {"type_": "equals", "value": "a", "normalize": "none"},
            "a\n",
            "; what differs cannot be seen: white space at the ends",
        ),
        (
            {"type_": "equals", "value": "a b"},
            "a  b",
            "; what differs cannot be seen: the number of spaces",
        ),
        # Only what explains the difference is named.
        (
            {"type_": "contains", "value": "10 km"},
            f"{NFD}\u200b is 10\u00a0km away",
            NO_BREAK,
        ),
        ({"type_": "label", "labels": ["10 km", "x"], "value": "10 km"}, "10\u00a0km", NO_BREAK),
        ({"type_": "token_f1", "value": f"the {NFC} is open"}, f"the {NFD} is open", ACCENTS),
        ({"type_": "equals", "value": "Ab c", "normalize": ["casefold"]}, "aB\u00a0C", NO_BREAK),
    ],
)  # fmt: skip
async def test_a_miss_names_what_nobody_sees(fields: dict[str, Any], text: str, named: str) -> None:
    score = await graded(entry(**fields), answer(text))
    assert score.misses, score.reasoning
    assert score.misses[0].endswith(named)


async def test_fields_name_it_too() -> None:
    written = entry("field_accuracy", fields=[{"path": "a"}])
    score = await graded(written, expecting({"a": "x y"}, '{"a": "x\u00a0y"}'))
    assert score.misses == (f'`a` is "x\u00a0y", expected "x y"{NO_BREAK}',)


@pytest.mark.parametrize(
    ("assertion", "text", "named"),
    [
        ({"type": "equals", "value": NFC}, NFD, ACCENTS),
        ({"type": "contains", "value": "10 km"}, "10\u00a0km away", NO_BREAK),
        ({"type": "icontains-any", "value": ["10 KM"]}, "10\u00a0km away", NO_BREAK),
        ({"type": "contains-all", "value": ["a", "10 km"]}, "a 10\u00a0km", NO_BREAK),
        ({"type": "starts-with", "value": "10 km"}, "10\u00a0km", NO_BREAK),
        ({"type": "regex", "value": "10 km"}, "10\u00a0km", NO_BREAK),
        (
            {"type": "equals", "value": "a"},
            "a\n",
            "; what differs cannot be seen: white space at the ends",
        ),
    ],
)
async def test_assertions_of_promptfoo_name_it(
    assertion: dict[str, Any], text: str, named: str
) -> None:
    config = assertion_config(assertion, name="a")
    assert isinstance(config, AssertionConfig)
    score = await grade(config, answer(text), Judges())
    assert score.misses[0].endswith(named)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"type_": "equals", "value": "Refund"}, "refund"),
        ({"type_": "equals", "value": "10 km"}, "10\u00a0miles"),
        ({"type_": "contains", "value": "caf\u00e9"}, "cafe"),
        ({"type_": "regex", "value": "^x"}, "a\u00a0b"),
    ],
)
async def test_a_difference_that_is_seen_is_not_named(fields: dict[str, Any], text: str) -> None:
    score = await graded(entry(**fields), answer(text))
    assert "cannot be seen" not in score.misses[0]
