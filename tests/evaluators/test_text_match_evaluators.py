"""Texts in the answer, its words and JSON: 1 or 0, and the other way round if negated."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.schema import regex_search
from suitecase_evaluators.schema.regex_cost import may_take_long, nested_repetition
from support.running.evaluators import ENTRY, answer, entry, graded

CASES: list[tuple[str, dict[str, Any], str, bool]] = [
    ("contains", {"value": "Paris"}, "It is Paris.", True),
    ("contains", {"value": "paris"}, "It is Paris.", False),
    ("contains", {"value": "a.c"}, "abc", False),
    ("icontains", {"value": "pARIS"}, "It is Paris.", True),
    ("icontains", {"value": "STRASSE"}, "die Straße", True),
    ("icontains", {"value": "London"}, "It is Paris.", False),
    ("equals", {"value": "Paris"}, " Paris\n", True),
    ("equals", {"value": "Paris\n"}, "Paris", True),
    ("equals", {"value": "Paris"}, "paris", False),
    ("equals", {"value": "a b"}, "a  b", False),
    ("equals", {"value": ""}, "\n", True),
    ("contains_any", {"value": ["Rome", "Paris"]}, "It is Paris.", True),
    ("contains_any", {"value": ["Rome", "paris"]}, "It is Paris.", False),
    ("contains_any", {"value": "Paris"}, "It is Paris.", True),
    ("contains_all", {"value": ["It", "Paris"]}, "It is Paris.", True),
    ("contains_all", {"value": ["It", "Rome"]}, "It is Paris.", False),
    ("icontains_any", {"value": ["rome", "paris"]}, "It is Paris.", True),
    ("icontains_any", {"value": ["rome", "nice"]}, "It is Paris.", False),
    ("icontains_all", {"value": ["IT", "paris"]}, "It is Paris.", True),
    (
        "icontains_all",
        {"value": ["IT", "paris"], "synonyms": {"Paris": "Lutetia"}},
        "It: LUTETIA",
        True,
    ),
    ("starts_with", {"value": "Dear "}, "\n Dear Ann,", True),
    ("starts_with", {"value": "Dear", "normalize": "none"}, "\n Dear Ann,", False),
    ("starts_with", {"value": ["Hi", "Hello"]}, "Hello Ann", True),
    ("starts_with", {"value": "dear"}, "Dear Ann", False),
    ("starts_with", {"value": "dear", "normalize": ["casefold"]}, "Dear Ann", True),
    ("ends_with", {"value": "regards"}, "Kind regards\n", True),
    ("ends_with", {"value": "regards", "normalize": "none"}, "Kind regards\n", False),
    ("ends_with", {"value": "regards"}, "Kind regards, Ann", False),
    ("word_count", {"max": 3}, "one two  three\n", True),
    ("word_count", {"max": 3}, "one two three four", False),
    ("word_count", {"min": 1}, " ", False),
    ("word_count", {"min": 1, "max": 1}, "one", True),
    ("regex", {"value": r"\d{4}-\d{2}"}, "on 2026-02", True),
    ("regex", {"value": r"^\d+$"}, "42 or so", False),
    ("regex", {"value": r"(?i)PARIS"}, "paris", True),
    ("regex", {"value": r"(ab)+c"}, "xx ababc", True),
    ("regex", {"value": r"(\w)\1"}, "abc", False),
    ("is_json", {}, ' {"a": [1, null]}\n', True),
    ("is_json", {}, "3", True),
    ("is_json", {}, '```json\n{"a": 1}\n```', False),
    ("is_json", {}, '{"a": NaN}', False),
    ("is_json", {}, '{"a": 1e999}', False),
    ("is_json", {}, '[{"a": 1, "b": 2, "a": 1}]', False),
    ("is_json", {}, '[{"a": 1}, {"a": 1}]', True),
    ("is_json", {}, '{"a": 1} and more', False),
    ("is_json", {}, "", False),
    ("is_json", {}, "[" * 100_000, False),
    ("is_json", {}, "1" * 10_000, False),
]


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(("type_", "fields", "text", "holds"), CASES)
async def test_texts_are_matched(
    type_: str, fields: dict[str, Any], text: str, holds: bool, negate: bool
) -> None:
    score = await graded(entry(type_, **fields, negate=negate), answer(text))
    wanted = holds is not negate
    assert (score.score, score.verdict) == ((1.0, Verdict.PASS) if wanted else (0.0, Verdict.FAIL))
    assert (len(score.hits), len(score.misses)) == ((1, 0) if wanted else (0, 1))
    assert score.reasoning == (score.hits + score.misses)[0]


async def test_a_miss_says_what_was_looked_for() -> None:
    score = await graded(entry("contains", value="Paris"), answer("London"))
    assert score.misses == ('the answer does not contain "Paris"',)
    score = await graded(entry("contains", value="London", negate=True), answer("London"))
    assert score.misses == ('the answer contains "London"',)


@pytest.mark.parametrize(
    ("written", "text", "message"),
    [
        (entry("contains_any", value=["a", "b"]), "c", 'the answer does not contain "a" or "b"'),
        (entry("contains_all", value=["a", "b"]), "c b", 'the answer does not contain "a"'),
        (
            entry("contains_all", value=["a", "b"], negate=True),
            "a b",
            'the answer contains "a" and "b"',
        ),
        (entry("ends_with", value="a"), "b", 'the answer does not end with "a"'),
        (entry("word_count", min=2, max=3), "one", "the answer has 1 word, fewer than 2"),
        (entry("word_count", max=1), "one two", "the answer has 2 words, more than 1"),
        (
            entry("word_count", min=5),
            "店は朝九時に開きます。",
            "the answer has 1 word (no spaces separate those in Japanese), fewer than 5",
        ),
        (
            entry("word_count", min=5),
            "我们的商店早上九点开门。",
            "the answer has 1 word (no spaces separate those in Chinese), fewer than 5",
        ),
        (
            entry("word_count", min=5),
            "ร้านเปิดเวลาเก้าโมงเช้าทุกวัน",
            "the answer has 1 word (no spaces separate those in Thai), fewer than 5",
        ),
        (entry("word_count", min=5), "서점은 아홉 시에", "the answer has 3 words, fewer than 5"),
        (
            entry("word_count", min=2, max=3, negate=True),
            "1 2",
            "the answer has 2 words, within the limits of 2 to 3",
        ),
    ],
)
async def test_a_miss_names_what_decided(written: Any, text: str, message: str) -> None:
    score = await graded(written, answer(text))
    assert (score.misses, score.score) == ((message,), 0.0)


@pytest.mark.parametrize("limits", [{}, {"min": 3, "max": 2}, {"min": -1}, {"max": 1.5}])
def test_limits_of_words_that_no_answer_could_meet_are_errors(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry("word_count", **limits))


async def test_a_text_that_is_not_json_is_told_with_its_place() -> None:
    score = await graded(entry("is_json"), answer('{"a": 1,\n "b" 2}'))
    assert "line 2, column 6" in score.misses[0]


@pytest.mark.parametrize("value", ["(", "a{3,1}", "(?P<a>x)(?P<a>y)", "*"])
def test_a_regular_expression_that_is_none_is_an_error_of_the_suite(value: str) -> None:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(entry("regex", value=value))
    (error,) = raised.value.errors()
    assert (error["type"], error["loc"]) == ("regular_expression", ("<regex>", "value"))


@pytest.mark.parametrize("type_", ["contains", "icontains", "regex", "contains_all", "ends_with"])
def test_an_empty_text_that_everything_contains_is_an_error_of_the_suite(type_: str) -> None:
    with pytest.raises(ValidationError):
        ENTRY.validate_python(entry(type_, value=""))


async def test_a_regular_expression_that_never_ends_is_stopped_and_says_nothing_of_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regex_search, "SEARCH_SECONDS", 1.0)
    score = await graded(entry("regex", value="^(a+)+$"), answer("a" * 40 + "!"))
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "did not finish within 1 s" in (score.error or "")


@pytest.mark.parametrize(
    ("pattern", "length", "long"),
    [
        (r"\d+", 1000, False),
        ("Paris", 1_000_000, False),
        (r"\d{4}-\d{2}", 100, False),
        ("^(a+)+$", 10, True),
        (r".*.*.*=", 1000, True),
        ("a?" * 30 + "a" * 30, 30, True),
        ("a?" * 5000, 30, True),
        (r"(a|a)*b", 10, True),
        (r"(.*)\1", 10, True),
        (r"\d+", 1_000_000, True),
    ],
)
def test_only_searches_of_bounded_time_are_done_at_once(
    pattern: str, length: int, long: bool
) -> None:
    assert may_take_long(pattern, length) is long


@pytest.mark.parametrize("pattern", ["^(a+)+$", r"^(\w+\s?)*$", "(a*b?)*c", "(?:x{2,}y?){3,}z"])
def test_what_check_warns_of_is_never_searched_for_in_this_process(pattern: str) -> None:
    assert nested_repetition(pattern) is not None
    assert may_take_long(pattern, 2)
