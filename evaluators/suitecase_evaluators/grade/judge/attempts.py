"""How often a judge is asked about an answer, and which replies are not worth asking again."""

from __future__ import annotations

import re

from suitecase_evaluators.grade.evaluator import JudgeCalls

#: How often a judge is asked until its reply can be read.
MOST_ATTEMPTS = 3

#: A text is in a loop if its end is one piece, repeated at least so often and over so many characters.
_LEAST_TIMES = 3
_LEAST_LENGTH = 120
#: So many characters of the end are looked at.
_LOOKED_AT = 3_000
#: Pieces that are counted up are repeated, too.
_DIGIT = re.compile(r"\d")


def judge_calls_of(votes: int | None, target: str | None, model: str | None) -> JudgeCalls:
    """Return how often a judge with these settings is asked about one answer."""
    least = votes or 1
    return JudgeCalls(least=least, most=least * MOST_ATTEMPTS, target=target, model=model)


def before_its_loop(text: str) -> str | None:
    """Return a text that ends in a loop up to the first repetition; None if it does not.

    A model that has fallen into a loop writes on until it is cut off, however much it may write.
    """
    end = _DIGIT.sub("0", text[-_LOOKED_AT:])
    for length in range(1, len(end) // _LEAST_TIMES + 1):
        repeated = max(_LEAST_TIMES * length, _LEAST_LENGTH)
        if repeated > len(end):
            break
        tail = end[-repeated:]
        if tail[length:] == tail[:-length]:
            start = len(end) - repeated
            while start > 0 and end[start - 1] == end[start - 1 + length]:
                start -= 1
            return text[: len(text) - len(end) + start + length]
    return None
