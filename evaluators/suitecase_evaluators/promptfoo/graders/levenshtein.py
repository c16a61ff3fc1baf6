"""The assertion `levenshtein`: the edit distance of an answer from a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.ecmascript import code_units
from suitecase_evaluators.promptfoo.grader import grader
from suitecase_evaluators.text.json_values import show_json

#: How many edits are allowed without a `threshold`.
_EDITS: Final = 5


class LevenshteinConfig(AssertionConfig):
    """The edit distance to this text is at most `threshold`."""

    type: Literal["promptfoo:levenshtein"]


@grader(
    LevenshteinConfig,
    AssertionType(
        example="{type: levenshtein, value: Paris, threshold: 2}",
        values=TEXT,
        value_required=True,
        threshold=Scale(maximum=None, unit="edits", default=_EDITS, is_limit=True),
        threshold_in_tables=0.75,
        unmistakable=True,
    ),
)
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
