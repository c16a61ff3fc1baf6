"""Scales that texts for judges speak of, such as "from 1 (bad) to 5 (good)" and "out of 10"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: A range of whole numbers from 0 or 1. What stands beside a bound in brackets says what it means.
_RANGE = re.compile(
    r"(?<![\w.$-])(?P<low>[01])(?:\.0)?%?\s{0,2}(?:\([^()\n]{1,60}\)\s?)?"
    r"(?:-|\u2013|\u2014|to|through|and|/)\s?(?:a )?(?P<high>[1-9][0-9]{0,3})(?:\.0)?(?![\w]|[.,]\d)"
)
_OUT_OF = re.compile(
    r"(?:\bout of (?:a (?:possible|total) )?|(?<=[\w}]) ?/ ?)(?P<high>5|10|20|100)(?![\w]|[.,/-]\d)"
)
#: `1 = bad ... 5 = good`.
_MEANINGS = re.compile(
    r"(?<![\w.])(?P<low>[01]) ?[=:] ?[^\n]{1,200}?(?<![\w.])(?P<high>[3-9]|10|100) ?[=:]"
)
#: What makes a range a scale: one of these words shortly before it, or right behind it.
_BEFORE = re.compile(
    r"\b(?:scores?|scored|scoring|rate|rated|rating|ratings|grade|graded|grading|scales?|points|marks)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"[\s%)-]{0,3}(?:scale|stars?|points?|rating)\b", re.IGNORECASE)
#: What a range counts otherwise.
_COUNTED = re.compile(
    r"[\s%)]{0,2}(?:\w+ )?(?:sentences?|words?|lines?|paragraphs?|items?|examples?|bullets?|characters?|"
    r"tokens?|steps?|reasons?|minutes?|hours?|days?|years?|hits|misses)\b",
    re.IGNORECASE,
)
#: A criterion that tells the judge to grade, rather than what the answer has to do.
_TO_JUDGE = re.compile(
    r"\W*(?:(?:please )?(?:score|rate|grade)\b|(?:assign|give)(?: \w+)? an? (?:score|rating|grade)\b|on an? scale\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s|\n")
#: A word that makes a range a scale stands at most so many characters before it.
_NEAR = 60
#: Longer texts are not searched for scales.
_LONGEST = 50_000


class OtherScale(NamedTuple):
    """A scale that a text speaks of: its place in the text, and its bounds."""

    start: int
    end: int
    low: int
    high: int

    @property
    def text(self) -> str:
        return f"{self.low} to {self.high}"


def other_scale(text: str, *, of_criterion: bool = False, top: int = 1) -> OtherScale | None:
    """Return the first scale in a text that a judge is not asked for; None if there is none.

    A text that speaks of the right scale too says how scores are converted.

    Args:
        text: a prompt, or a criterion that a judge gets.
        of_criterion: whether it is a criterion: then only what it tells the judge to do counts.
        top: the highest score that the judge is asked for.
    """
    if len(text) > _LONGEST:
        return None
    found = list(_scales(text, of_criterion=of_criterion))
    if any((scale.low, scale.high) == (0, top) for scale in found):
        return None
    return found[0] if found else None


def _scales(text: str, *, of_criterion: bool) -> Iterator[OtherScale]:
    start = 0
    for sentence in _SENTENCE_END.split(text):
        # The separator is one character, which is blank.
        at, start = start, start + len(sentence) + 1
        if of_criterion and not _TO_JUDGE.match(sentence):
            continue
        yield from _in_sentence(sentence, at)


def _in_sentence(sentence: str, at: int) -> Iterator[OtherScale]:
    matches = [
        hit for pattern in (_RANGE, _OUT_OF, _MEANINGS) for hit in pattern.finditer(sentence)
    ]
    for match in sorted(matches, key=lambda found: found.start()):
        before = sentence[max(0, match.start() - _NEAR) : match.start()]
        is_scale = _BEFORE.search(before) or _BEHIND.match(sentence, match.end())
        if not is_scale or _COUNTED.match(sentence, match.end()):
            continue
        low = int(match.groupdict().get("low") or 0)
        yield OtherScale(at + match.start(), at + match.end(), low, int(match["high"]))
