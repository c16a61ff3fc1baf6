"""token_f1: the words an answer shares with the expected one, as the official script of SQuAD 1.1 counts them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.token_f1 import overlap
from support.running.evaluators import answer, entry, expecting, graded


@pytest.mark.parametrize(
    ("expected", "text", "f1"),
    [
        # Computed by hand, by the steps of `evaluate-v1.1.py`: lower case, without punctuation and
        # articles, split at white space, F1 of the bags of words, best of the references.
        ("Denver Broncos", "Denver Broncos", 1),
        ("Denver Broncos", "The Denver Broncos.", 1),
        ("Santa Clara, California", "in Santa Clara, California", 2 * 3 / (4 + 3)),
        ("Levi's Stadium", "Levis stadium in Santa Clara", 2 * 2 / (5 + 2)),
        ("Super Bowl L", "Super Bowl 50", 2 * 2 / (3 + 3)),
        # Hyphens are removed and do not split.
        ("well-known", "well known", 0),
        ("well-known", "wellknown", 1),
        # A word counts as often as it occurs on both sides.
        ("to be or not to be", "to be", 2 * 2 / (2 + 6)),
        ("gold", "gold gold gold", 2 * 1 / (3 + 1)),
        (["gold", "golden"], "a golden anniversary", 2 * 1 / (2 + 1)),
        (["Carolina Panthers", "Panthers", "the Panthers"], "panthers", 1),
        ("Denver Broncos", "", 0),
        ("", "Denver Broncos", 0),
        # Nothing is left of either.
        ("the", "a.", 1),
        ("", "", 1),
    ],
)
async def test_the_words_in_common_are_counted(expected: Any, text: str, f1: float) -> None:
    score = await graded(entry("token_f1", value=expected), answer(text))
    assert score.score == pytest.approx(f1)


async def test_the_result_says_what_was_compared_and_how_far_it_agrees() -> None:
    score = await graded(
        entry("token_f1", value=["gold", "golden wedding"]), answer("a golden anniversary")
    )
    assert score.verdict is Verdict.FAIL
    assert score.misses == ('F1 0.50 (precision 0.50, recall 0.50) with "golden wedding"',)
    assert score.details == {"precision": 0.5, "recall": 0.5, "compared_with": "golden wedding"}


async def test_without_a_value_the_expected_output_counts() -> None:
    score = await graded(entry("token_f1"), expecting("5 working days", "within 5 working days"))
    assert score.score == pytest.approx(2 * 3 / 7)
    nothing = await graded(entry("token_f1"), answer("5 working days"))
    assert nothing.verdict is Verdict.ERROR


async def test_words_are_compared_after_other_steps_where_these_are_given() -> None:
    text = answer("The Broncos")
    assert (await graded(entry("token_f1", value="broncos"), text)).score == 1.0
    exact = await graded(entry("token_f1", value="The Broncos", normalize="none"), text)
    assert exact.score == 1.0
    other = await graded(entry("token_f1", value="broncos", normalize="none"), text)
    assert other.score == 0.0


@pytest.mark.parametrize(
    ("text", "f1"),
    [
        ("I want my money back", 2 * 4 / (4 + 4)),
        # The longest run is replaced, not the shorter one that it begins with.
        ("I want my money back guarantee", 2 * 3 / (4 + 4)),
        ("I want my money", 2 * 3 / (4 + 4)),
        ("I want my cash back", 2 * 3 / (5 + 4)),
    ],
)
async def test_runs_of_words_are_replaced_by_their_synonym(text: str, f1: float) -> None:
    synonyms = {"refund": ["money back"], "warranty": ["money back guarantee"]}
    score = await graded(
        entry("token_f1", value="I want my refund", synonyms=synonyms), answer(text)
    )
    assert score.score == pytest.approx(f1)


async def test_a_canonical_form_may_have_several_words() -> None:
    synonyms = {"United States": ["USA", "United States of America"]}
    for text in ("in the USA", "in the United States of America", "in the United States"):
        written = entry("token_f1", value="in the U.S.A.", synonyms=synonyms)
        assert (await graded(written, answer(text))).score == 1.0, text


async def test_a_word_of_a_canonical_form_is_not_replaced_by_itself() -> None:
    synonyms = {"New York": ["NYC"], "City of York": ["York"]}
    written = entry("token_f1", value="to New York", synonyms=synonyms)
    assert (await graded(written, answer("to NYC"))).score == 1.0
    assert (await graded(written, answer("to York"))).score == pytest.approx(2 * 2 / (3 + 4))


WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(WORDS, WORDS)
def test_f1_is_symmetric_between_0_and_1_and_1_of_the_same_words(
    one: list[str], other: list[str]
) -> None:
    found = overlap(one, other)
    assert 0 <= found.f1 <= 1
    assert found.f1 == overlap(other, one).f1
    assert (found.f1 == 1) == (sorted(one) == sorted(other))
    if found.precision + found.recall:
        harmonic = 2 * found.precision * found.recall / (found.precision + found.recall)
        assert found.f1 == pytest.approx(harmonic)
