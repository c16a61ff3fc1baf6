"""label: the answer names one of a list of labels."""

from __future__ import annotations

import time
from typing import Any

import pytest

from suitecase_evaluators.answers.score import Score, Verdict
from support.running.evaluators import answer, entry, expecting, graded

LABELS = ["refund", "exchange", "no refund"]


async def labelled(text: str, expected: str = "exchange", **fields: Any) -> Score:
    return await graded(entry("label", **{"labels": LABELS, **fields}), expecting(expected, text))


def pair(score: Score) -> tuple[Any, Any]:
    return score.details["expected"], score.details["predicted"]


@pytest.mark.parametrize(
    ("text", "fields", "predicted"),
    [
        ("exchange\n", {}, "exchange"),
        ("Exchange", {}, None),
        ("Exchange.", {"normalize": ["casefold", "punctuation"]}, "exchange"),
        ("It is an exchange", {}, None),
        ("", {}, None),
        ("swap", {"synonyms": {"exchange": ["swap"]}}, "exchange"),
        ("It is an exchange, not a refund", {"find": "first"}, "exchange"),
        ("It is an exchange, not a refund", {"find": "last"}, "refund"),
        # Of two labels at one place the longer one is named, and parts of words are none.
        ("There is no refund", {"find": "last"}, "no refund"),
        ("There is no refund", {"find": "first"}, "no refund"),
        ("It was refunded", {"find": "first"}, None),
        ("A Swap", {"find": "last", "normalize": ["casefold"], "synonyms": {"exchange": "swap"}}, "exchange"),
        ("これは返金です", {"find": "first", "labels": ["返金", "exchange"]}, "返金"),
        ("C++ or C#?", {"find": "first", "labels": ["exchange", "C#"]}, "C#"),
        ("(C++)", {"find": "first", "labels": ["exchange", "C++", "C"]}, "C++"),
    ],
)  # fmt: skip
async def test_the_answer_names_a_label_or_none(
    text: str, fields: dict[str, Any], predicted: str | None
) -> None:
    score = await labelled(text, **fields)
    assert pair(score) == ("exchange", predicted)
    assert score.score == float(predicted == "exchange")
    assert score.verdict is (Verdict.PASS if predicted == "exchange" else Verdict.FAIL)


async def test_a_miss_says_what_was_named_and_expected() -> None:
    assert (await labelled("refund")).misses == (
        'the answer names the label "refund", expected "exchange"',
    )
    assert (await labelled("hello")).misses == ('the answer names no label, expected "exchange"',)


async def test_labels_are_reported_by_their_names_in_the_suite() -> None:
    fields: dict[str, Any] = {"normalize": ["casefold"], "synonyms": {"Refund": ["money back"]}}
    score = await labelled("MONEY BACK", "Money Back", **fields)
    assert (score.score, pair(score)) == (1.0, ("refund", "refund"))


async def test_one_of_several_labels_may_be_right() -> None:
    fields: dict[str, Any] = {"value": ["no refund", "exchange"]}
    assert pair(await labelled("exchange", **fields)) == ("exchange", "exchange")
    assert pair(await labelled("refund", **fields)) == ("no refund", "refund")


async def test_an_expected_output_that_is_no_label_is_an_error_and_not_a_score() -> None:
    score = await labelled("exchange", "exchnge")
    assert score.verdict is Verdict.ERROR
    assert '"exchnge" is not one of "refund", "exchange" or "no refund"' in (score.error or "")
    nothing = await graded(entry("label", labels=LABELS), answer("refund"))
    assert nothing.verdict is Verdict.ERROR


NUMBERED = [f"l{number}" for number in range(8_000)]


@pytest.mark.parametrize(
    ("labels", "synonyms", "text", "predicted"),
    [
        ([*("a " * number + "b" for number in range(1, 400)), "a1"], {}, "a " * 50_000, None),
        (["a " * 40_000 + "b", "a1"], {}, "a " * 80_000 + "a1", "a1"),
        (NUMBERED, {}, "".join(f"{number} " for number in range(10_000)), None),
        (NUMBERED, {label: f"of {label}" for label in NUMBERED}, "It is of l7.", "l7"),
    ],
    ids=["labels that repeat", "a long label", "many labels", "many synonyms"],
)
async def test_labels_are_found_in_proportion_to_the_answer(
    labels: list[str], synonyms: dict[str, str], text: str, predicted: str | None
) -> None:
    # Trying each label at each place took minutes, which nothing could end.
    start = time.process_time()
    score = await labelled(text, labels[-1], labels=labels, find="last", synonyms=synonyms)
    assert time.process_time() - start < 2.5
    assert pair(score) == (labels[-1], predicted)
