"""Assertions on the number of words in an answer, and on its edit distance from a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeGuard

from suitecase_evaluators.evaluator import Services, Subject, evaluator
from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.promptfoo.ecmascript import (
    as_double,
    as_number,
    code_units,
    split_at_spaces,
)
from suitecase_evaluators.score import Score
from suitecase_evaluators.unspaced_scripts import uncounted_words

#: How many edits are allowed without a `threshold`.
_EDITS: Final = 5


class WordCountConfig(AssertionConfig):
    """The answer has this number of words, or one between `min` and `max`."""

    type: Literal["promptfoo:word-count"]


class LevenshteinConfig(AssertionConfig):
    """The answer is at most `threshold` edits away from this text."""

    type: Literal["promptfoo:levenshtein"]


@evaluator(WordCountConfig)
async def word_count(config: WordCountConfig, subject: Subject, services: Services) -> Score:
    """Count the parts between white space."""
    limits = _limits(config.value)
    if limits is None:
        return unusable(config, "a number, or a mapping with numbers under `min`, `max` or both")
    least, most = limits
    if least is not None and most is not None and least > most:
        return Score.failed_to_grade(
            f"`min` of `{config.written_type}` is {least:.12g}, which is more than `max`, {most:.12g}"
        )
    count = sum(map(bool, split_at_spaces(subject.candidate_answer)))
    words = "1 word" if count == 1 else f"{count} words"
    words += uncounted_words(subject.candidate_answer)
    if least is not None and count < least:
        holds, how = False, f"fewer than {least:.12g}"
    elif most is not None and count > most:
        holds, how = False, f"more than {most:.12g}"
    else:
        holds, how = True, f"within {_described(least, most)}"
    return passed_or_failed(config, holds, f"the answer has {words}, {how}")


def _limits(value: Any) -> tuple[float | None, float | None] | None:
    """Return the minimum and the maximum of words; None if a value has neither."""
    if isinstance(value, dict):
        limits = value.get("min"), value.get("max")
        if limits == (None, None) or not all(it is None or _is_number(it) for it in limits):
            return None
        least, most = (None if it is None else as_double(it) for it in limits)
        return least, most
    number = as_number(value) if isinstance(value, str) else value
    return (as_double(number), as_double(number)) if _is_number(number) else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _described(least: float | None, most: float | None) -> str:
    if least is None:
        return f"0 to {most:.12g}"
    if most is None:
        return f"{least:.12g} or more"
    return f"{least:.12g}" if least == most else f"{least:.12g} to {most:.12g}"


@evaluator(LevenshteinConfig)
async def levenshtein(config: LevenshteinConfig, subject: Subject, services: Services) -> Score:
    """Count the characters to insert, delete and replace."""
    if not isinstance(config.value, str):
        return unusable(config, "a string")
    import asyncio

    most = _EDITS if config.threshold is None else config.threshold
    answer, expected = code_units(subject.candidate_answer), code_units(config.value)
    # Long texts take seconds, during which other answers are graded.
    edits = await asyncio.to_thread(distance, answer, expected)
    within = "at most" if edits <= most else "more than"
    return passed_or_failed(
        config,
        edits <= most,
        f"the answer is {edits} edit{'' if edits == 1 else 's'} away from {show_json(config.value)}, "
        f"{within} {most:g}",
    )


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the Levenshtein distance of two sequences."""
    start, end = 0, min(len(one), len(other))
    while start < end and one[start] == other[start]:
        start += 1
    ends = 0
    while ends < end - start and one[-1 - ends] == other[-1 - ends]:
        ends += 1
    one, other = one[start : len(one) - ends], other[start : len(other) - ends]
    if len(one) > len(other):
        one, other = other, one
    return _by_bits(one, other) if one else len(other)


def _by_bits(short: Sequence[int], long: Sequence[int]) -> int:
    """Return the distance by the bit vectors of Myers and Hyyrö: a column of the matrix is an integer."""
    places: dict[int, int] = {}
    for place, sign in enumerate(short):
        places[sign] = places.get(sign, 0) | 1 << place
    every = (1 << len(short)) - 1
    last = 1 << (len(short) - 1)
    more, less, found = every, 0, len(short)
    for sign in long:
        same = places.get(sign, 0)
        down = (((same & more) + more) ^ more) | same | less
        up = less | ~(down | more) & every
        stay = more & down
        found += bool(up & last) - bool(stay & last)
        up = (up << 1 | 1) & every
        more = (stay << 1 | ~(down | up)) & every
        less = up & down
    return found
