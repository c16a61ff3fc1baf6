"""Compares words: a stand-in for a judge, to try a suite out without a model.

It is deterministic and knows nothing: an answer that denies everything the suite expects in the
suite's own words gets full marks. What it says is no judgement of an answer.

Each criterion is satisfied to the share of its content words that stand in the answer. Where scores
have texts, the text with the largest share decides, the higher one of two equals, and the share
tells how far up its range the score lies. Words are compared without case and without the commonest
English endings; words that carry no content are left out, unless the criterion has no others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.targets.target import Judging

#: A criterion with at least this share of its words in the answer is satisfied.
SATISFIED_AT = 0.5
#: More words than this are not listed in a reply.
LISTED = 12

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_WORD = re.compile(r"\w+(?:'\w+)?")
#: English words that carry no content, and what criteria say of answers whatever they are about.
_NO_CONTENT = """
a about all also an and any are as at be been being but by can could do does each for from had has
have how if in into is it its may more most must no not of on one or other out over shall should so
some such than that the their them then there these they this those to up use uses used using was
we were what when where which while who why will with would you your
answer answers assistant candidate contain contains correct correctly explain explains give gives
include includes including mention mentions output provide provides reply response say says
"""
_STOP_WORDS = frozenset(_NO_CONTENT.split())


def content_words(text: str) -> dict[str, str]:
    """Return the words of a text that carry content, in the order they stand, by their stems."""
    words = _words(text)
    content = [it for it in words if it not in _STOP_WORDS] or words
    found: dict[str, str] = {}
    for word in content:
        found.setdefault(_stem(word), word)
    return found


def overlap(expected: str, answer: str) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
    """Return the share of the expected words in an answer, the found ones, and the others.

    The share is 0 where nothing is expected.
    """
    expected_words = content_words(expected)
    have = {_stem(word) for word in _words(answer)}
    found = tuple(word for stem, word in expected_words.items() if stem in have)
    absent = tuple(word for stem, word in expected_words.items() if stem not in have)
    return (len(found) / len(expected_words) if expected_words else 0.0), found, absent


def _words(text: str) -> list[str]:
    return [it.removesuffix("'s") for it in _WORD.findall(text.casefold())]


def judge(judging: Judging) -> str:
    """Return the reply of a judge, as JSON in the shape that the criteria ask for."""
    if any(it.mode == "compare" for it in judging.criteria):
        return json.dumps(_comparison(judging), ensure_ascii=False)
    if any(it.mode == "free" for it in judging.criteria) or not judging.criteria:
        return json.dumps(_free_form(judging), ensure_ascii=False)
    checks: list[dict[str, Any]] = []
    for criterion in judging.criteria:
        low, high, text = 0, TOP, criterion.text
        if criterion.ranges:
            low, high, text = _closest(criterion.ranges, judging.candidate_answer)
        share, found, absent = overlap(text, judging.candidate_answer)
        check = {"id": criterion.id, "reasoning": _reasoning(found, absent)}
        if judging.quotes:
            check["quote"] = _quote(found, judging.candidate_answer)
        result: dict[str, Any] = (
            {"score": low + round((high - low) * share) if share else 0}
            if criterion.mode == "range"
            else {"satisfied": share >= SATISFIED_AT}
        )
        checks.append(check | result)
    summary = "Words were compared; no model was called."
    return json.dumps({"checks": checks, "overall_reasoning": summary}, ensure_ascii=False)


def _quote(found: Sequence[str], answer: str) -> str:
    """Return the first sentence of an answer with a word that was found."""
    stems = {_stem(it) for it in found}
    sentences = (part.strip() for part in _SENTENCE_END.split(answer))
    return next(
        (sentence for sentence in sentences if stems & set(map(_stem, _words(sentence)))), ""
    )


def _closest(ranges: Sequence[tuple[int, int, str]], answer: str) -> tuple[int, int, str]:
    """Return the range with most of its words in an answer; the lowest where none has any."""

    def rank(candidate: tuple[int, int, str]) -> tuple[float, int]:
        share = overlap(candidate[2], answer)[0]
        return share, candidate[0] if share else -candidate[0]

    return max(ranges, key=rank)


def _free_form(judging: Judging) -> dict[str, Any]:
    expected = [criterion.text for criterion in judging.criteria] + [judging.reference_answer]
    share, found, absent = overlap("\n".join(expected), judging.candidate_answer)
    return {
        "reasoning": f"{_reasoning(found, absent)} No model was called.",
        "score": round(share, 4),
        "hits": [f"has the words {_listed(found)}"] if found else [],
        "misses": [f"lacks the words {_listed(absent)}"] if absent else [],
    }


def _comparison(judging: Judging) -> dict[str, Any]:
    """Return which of two answers has more of the expected words."""
    expected = "\n".join(criterion.text for criterion in judging.criteria)
    first, second = (
        overlap(expected, it)[0] for it in (judging.candidate_answer, judging.second_answer)
    )
    return {
        "reasoning": f"The first answer has {first:.0%} of the expected words and the second one "
        f"{second:.0%}. No model was called.",
        "better": "tie" if first == second else "first" if first > second else "second",
    }


def _reasoning(found: tuple[str, ...], absent: tuple[str, ...]) -> str:
    total = len(found) + len(absent)
    lacking = f" It lacks {_listed(absent)}." if absent else ""
    return f"The answer has {len(found)} of {total} expected words.{lacking}"


def _listed(words: tuple[str, ...]) -> str:
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return ", ".join(words[:LISTED]) + more


def _stem(word: str) -> str:
    """Take the commonest English ending off a word of more than four letters."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            stem = word.removesuffix(ending) + instead
            return stem.removesuffix("e") if len(stem) > 3 else stem
    return word.removesuffix("e") if len(word) > 4 else word
