"""Assertions on the n-grams that an answer shares with reference texts: BLEU and GLEU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, reached, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, TEXTS, AssertionType, Scale
from suitecase_evaluators.promptfoo.ecmascript import split_at_spaces, trimmed
from suitecase_evaluators.promptfoo.grader import grader

#: The length of the longest n-grams that are compared, in words.
_LONGEST: Final = 4
_THRESHOLD: Final = 0.5
#: Replaces a precision of 0, whose logarithm is infinite.
_NEARLY_NOTHING: Final = 1e-7
_NEEDED: Final = "a string or a list of strings"

_Words = Sequence[str]


class BleuConfig(AssertionConfig):
    """The BLEU score of the answer, against one or more reference texts."""

    type: Literal["promptfoo:bleu"]


class GleuConfig(AssertionConfig):
    """The GLEU score of the answer, against one or more reference texts."""

    type: Literal["promptfoo:gleu"]


@grader(
    BleuConfig,
    AssertionType(
        example="{type: bleu, value: The cat sat on the mat., threshold: 0.6}",
        values=TEXTS,
        value_required=True,
        threshold=Scale(default=_THRESHOLD),
    ),
)
async def bleu(config: BleuConfig, subject: Subject, services: Services) -> Score:
    """Score the answer against all references together."""
    references = _references(config.value)
    if not references:
        return unusable(config, _NEEDED)
    score = bleu_score(subject.candidate_answer, references)
    threshold = _THRESHOLD if config.threshold is None else config.threshold
    return reached(config, score, threshold, "the BLEU score of the answer")


@grader(
    GleuConfig,
    AssertionType(
        example="{type: gleu, value: The cat sat on the mat., threshold: 0.6}",
        values=TEXTS,
        value_required=True,
        threshold=Scale(default=_THRESHOLD),
    ),
)
async def gleu(config: GleuConfig, subject: Subject, services: Services) -> Score:
    """Score the answer against each reference; the best one counts."""
    references = _references(config.value)
    if not references:
        return unusable(config, _NEEDED)
    if not subject.candidate_answer:
        return Score.failed_to_grade("the GLEU score of an empty answer is not defined")
    score = max(gleu_score(subject.candidate_answer, reference) for reference in references)
    threshold = _THRESHOLD if config.threshold is None else config.threshold
    return reached(config, score, threshold, "the GLEU score of the answer")


def _references(value: Any) -> list[str]:
    """Return the reference texts; an empty list if `value` is not a string or a list of strings."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        return []
    return listed


def _grams(words: _Words, length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def bleu_score(answer: str, references: Sequence[str]) -> float:
    """Return the BLEU score of an answer, from 0 to 1, case ignored.

    N-grams longer than the answer do not count. For each length, only the reference with the most
    matches counts.
    """
    if not trimmed(answer):
        return 0.0
    words = split_at_spaces(answer.lower())
    others = [split_at_spaces(reference.lower()) for reference in references]
    logarithms = []
    for length in range(1, min(_LONGEST, len(words)) + 1):
        grams = _grams(words, length)
        matches = max((grams & _grams(other, length)).total() for other in others)
        logarithms.append(math.log(matches / grams.total() or _NEARLY_NOTHING))
    nearest = min((abs(len(other) - len(words)), len(other)) for other in others)[1]
    penalty = 1.0 if len(words) > nearest else math.exp(1 - nearest / len(words))
    return penalty * math.exp(sum(logarithms) / len(logarithms))


def gleu_score(answer: str, reference: str) -> float:
    """Return the n-grams that two texts share as a fraction of those of the longer one, case ignored.

    Full stops at the ends of words do not count.
    """
    words, others = (
        [at_space.rstrip(".") for at_space in split_at_spaces(text.lower())]
        for text in (answer, reference)
    )
    if words == others:
        return 1.0
    matches = total = total_of_other = 0
    for length in range(1, _LONGEST + 1):
        grams, grams_of_other = _grams(words, length), _grams(others, length)
        matches += (grams & grams_of_other).total()
        total += grams.total()
        total_of_other += grams_of_other.total()
    return matches / max(total, total_of_other)


ROUGE_N: Final = AssertionType(
    name="rouge-n",
    description="The ROUGE-N score of the answer, against a reference text.",
    example="{type: rouge-n, value: The cat sat on the mat., threshold: 0.6}",
    not_run="which words it counts depends on the version of js-rouge that is installed",
    values=TEXT,
    value_required=True,
    threshold=Scale(default=0.75),
    threshold_in_tables=0.75,
)

METEOR: Final = AssertionType(
    name="meteor",
    description="The METEOR score of the answer, against one or more reference texts. Needs the "
    "package `natural`.",
    example="{type: meteor, value: The cat sat on the mat., threshold: 0.6}",
    not_run="it needs the word lists of WordNet and their stemmer, which are not supported",
    values=TEXTS,
    value_required=True,
    threshold=Scale(default=0.5),
    own_keys=("alpha", "beta", "gamma"),
)
