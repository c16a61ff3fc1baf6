"""Texts are normalized by the steps that a suite lists, before they are compared."""

from __future__ import annotations

import sys
import time
from typing import Any
from unicodedata import combining, normalize  # noqa: TID251 - what ours is compared with

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.text.unicode_forms import normalized_form
from support.running.evaluators import ENTRY, answer, entry, expecting, graded


@pytest.mark.parametrize(
    ("normalize", "value", "text", "equal"),
    [
        (None, "Refund", " Refund\n", True),
        (None, "Refund", "refund", False),
        ("none", "Refund", "Refund", True),
        ("none", "Refund", "Refund\n", False),
        (["casefold"], "Straße", "STRASSE", True),
        (["casefold"], "Refund", "refund.", False),
        (["nfkc"], "file 2", "ﬁle ２", True),  # noqa: RUF001 - a ligature, a digit of full width
        (["accents"], "Café Ångström", "Cafe Angstrom", True),
        # The vowels of Hindi and the marks of Japanese sounds are no accents.
        (["accents"], "हिंदी", "हद", False),
        (["accents"], "が", "か", False),
        (["punctuation"], "5 to 7, please", "“5 to 7” please!", True),
        (["punctuation"], "a + b", "a  b", True),
        # What belongs to a number stays.
        (["punctuation"], "-5", "5", False),
        (["punctuation"], "-5", "(-5).", True),
        (["punctuation"], "3.14", "314", False),
        (["punctuation"], "3.14", "“3.14”!", True),
        (["punctuation"], ".5", "5", False),
        (["punctuation"], "50%", "50", False),
        (["punctuation"], "50 %", "50 ", False),
        (["punctuation"], "1/2", "12", False),
        (["punctuation"], "1.12.25", "11225", False),
        (["punctuation"], "5", "5.", True),
        (["punctuation"], "a 5", "a- 5", True),
        (["punctuation", "digits"], "1,000", "1000", True),
        (["digits", "punctuation"], "-1,000.5", "-1000.5", True),
        # The script of SQuAD removes all of it.
        ("squad", "-5", "5", True),
        ("squad", "3.14", "314", True),
        (["articles"], "shoe", "the shoe", True),
        (["articles"], "shoe", "theshoe", False),
        (["digits"], "1,234,567 pairs", "1234567 pairs", True),
        (["digits"], "1'000", "1000", True),
        (["digits"], "1,5", "15", False),
        (["digits"], "0,125", "0125", False),
        (["digits"], "1, 2,000", "1, 2000", True),
        (["digits"], "٤٢", "42", True),
        (["spaces"], "a b", "a \n\tb ", True),
        # Steps are applied in the order given: an apostrophe hides an article until it is removed.
        (["articles", "spaces", "punctuation"], "x", "'the' x", True),
        (["spaces", "articles"], "a b", "b", True),
        ("squad", "Eiffel Tower", "the  Eiffel tower!", True),
    ],
)
async def test_whole_answers_are_compared_after_the_steps(
    normalize: Any, value: str, text: str, equal: bool
) -> None:
    fields = {} if normalize is None else {"normalize": normalize}
    score = await graded(entry("equals", value=value, **fields), answer(text))
    assert score.score == float(equal), score.reasoning


async def test_the_order_of_steps_counts() -> None:
    text = "The end"
    before = await graded(
        entry("equals", value="end", normalize=["casefold", "articles"]), answer(text)
    )
    assert before.score == 1.0
    hidden = entry("equals", value="ab", normalize=["punctuation", "articles"])
    assert (await graded(hidden, answer("a-b"))).score == 1.0
    shown = entry("equals", value="ab", normalize=["articles", "punctuation"])
    assert (await graded(shown, answer("a-b"))).score == 0.0


@pytest.mark.parametrize(
    ("type_", "value", "normalize", "text", "found"),
    [
        ("contains", "cafe", ["accents"], "the café is open", True),
        ("contains", "Cafe", ["accents"], "the café is open", False),
        ("icontains", "CAFE", ["accents"], "the café is open", True),
        ("contains", "1000 pairs", ["digits"], "some 1,000 pairs", True),
        ("contains", ["Paris", "Lyon"], None, "It is Lyon.", True),
        ("icontains", ["paris", "lyon"], None, "It is Nice.", False),
    ],
)
async def test_texts_are_searched_for_after_the_steps(
    type_: str, value: Any, normalize: Any, text: str, found: bool
) -> None:
    fields = {} if normalize is None else {"normalize": normalize}
    score = await graded(entry(type_, value=value, **fields), answer(text))
    assert score.score == float(found), score.reasoning
    negated = await graded(entry(type_, value=value, **fields, negate=True), answer(text))
    assert negated.score == float(not found)


async def test_a_miss_says_that_texts_were_normalized() -> None:
    score = await graded(
        entry("equals", value=["Yes", "Sure"], normalize=["casefold"]), answer("no")
    )
    assert score.misses == ('the answer does not equal "Yes" or "Sure", after normalization',)


async def test_without_a_value_the_answer_is_compared_with_what_the_case_expects() -> None:
    written = entry("equals", normalize="squad")
    assert (await graded(written, expecting("The Paris!", "paris"))).score == 1.0
    assert (await graded(written, expecting("London", "paris"))).score == 0.0
    nothing = await graded(written, answer("paris"))
    assert nothing.verdict is Verdict.ERROR
    assert "add `value`" in (nothing.error or "")


@pytest.mark.parametrize("normalize", ["squat", "casefold", [], ["casefolds"], 3, {"casefold": 1}])
def test_what_is_neither_a_preset_nor_steps_is_an_error_of_the_suite(normalize: Any) -> None:
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry("equals", value="x", normalize=normalize))


TOPICS = {"exchange": ["swap", "Umtausch"], "refund": "money back"}


@pytest.mark.parametrize(
    ("type_", "value", "normalize", "text", "holds"),
    [
        ("equals", "exchange", None, "swap\n", True),
        ("equals", "swap", None, "exchange", True),
        ("equals", "swap", None, "Umtausch", True),
        ("equals", "exchange", None, "umtausch", False),
        ("equals", "exchange", ["casefold"], "umtausch", True),
        ("equals", "exchange", ["casefold"], "a swap", False),
        ("equals", ["exchange", "delivery"], None, "refund", False),
        ("contains", "refund", None, "I want my money back.", True),
        ("contains", "refund", None, "I want my Money back.", False),
        ("icontains", "refund", None, "I want my Money back.", True),
        ("contains", "money back", ["punctuation"], "re-fund", True),
    ],
)
async def test_synonyms_count_as_the_text_after_the_steps(
    type_: str, value: Any, normalize: Any, text: str, holds: bool
) -> None:
    fields = {} if normalize is None else {"normalize": normalize}
    score = await graded(entry(type_, value=value, synonyms=TOPICS, **fields), answer(text))
    assert score.score == float(holds), score.reasoning


async def test_texts_of_a_field_are_compared_after_the_steps_at_any_depth() -> None:
    expected = {"country": "Germany", "tags": [{"name": "Swap"}], "n": 5}
    fields = [
        {"path": "country", "synonyms": {"Germany": "DE"}},
        {"path": "tags", "normalize": ["casefold"], "synonyms": TOPICS},
        {"path": "n", "normalize": "squad"},
    ]
    text = '{"country": "DE", "tags": [{"name": "exchange"}], "n": 5}'
    score = await graded(entry("field_accuracy", fields=fields), expecting(expected, text))
    assert score.score == 1.0, score.misses
    other = '{"country": "de", "tags": [{"Name": "exchange"}], "n": "5"}'
    score = await graded(entry("field_accuracy", fields=fields), expecting(expected, other))
    assert score.score == 0.0


def test_steps_are_for_exact_fields_only() -> None:
    field = {"path": "n", "match": "numeric_tolerance", "normalize": "squad"}
    with pytest.raises(ValidationError, match="applies only to `match: exact`"):
        ENTRY.validate_python(entry("field_accuracy", fields=[field]))


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_up_to_thirty_marks_in_a_row_are_normalized_as_unicode_has_it(form: Any) -> None:
    many = "\u0301\u0316\u0f73" * 10
    for text in (
        f"a{many}",
        f"{many}é",
        f"b{many}" * 50,
        f"가 \u2013 Ångström {many}ﬁ",
        "中文。" * 99,
    ):
        assert normalized_form(form, text) == normalize(form, text)


def test_every_character_that_combines_counts_as_a_mark() -> None:
    marks = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if 0 < combining(normalize("NFKD", character)[0]) < 240
    ]
    assert len(marks) > 900
    for mark in marks:
        # The first mark belongs behind all others, but is sorted among thirty.
        text = "a\u0345" + mark * 30
        assert normalize("NFKD", text).endswith("\u0345")
        assert not normalized_form("NFKD", text).endswith("\u0345"), hex(ord(mark))


@pytest.mark.parametrize(
    ("type_", "fields"),
    [
        ("contains", {"value": "b"}),
        ("equals", {"value": "b", "normalize": ["nfkc"]}),
        ("equals", {"value": "b", "normalize": ["accents"]}),
        ("token_f1", {"value": "b", "normalize": ["accents"]}),
    ],
)
async def test_a_letter_with_very_many_marks_is_compared_in_a_moment(
    type_: str, fields: dict[str, Any]
) -> None:
    # Unicode's algorithm sorts them in the square of their number, and nothing can end it.
    text = "a" + "\u0301" * 45_000 + "\u0316" * 45_000
    start = time.process_time()
    score = await graded(entry(type_, **fields), answer(text))
    assert time.process_time() - start < 3.0
    assert score.score == 0.0
