"""Grades an answer by the words it shares with the expected one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from pydantic import Field

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import PASS_AT, Score
from suitecase_evaluators.grade.evaluator import (
    ComparedText,
    Description,
    EvaluatorConfig,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.expected_text import (
    NOTHING_EXPECTED,
    TextsKey,
    compared_texts,
    expected_texts,
    lacks_expected,
)
from suitecase_evaluators.grade.normalize import STEPS_IN_WORDS, NormalizeKey, normalized, steps_of
from suitecase_evaluators.grade.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    with_synonyms,
)
from suitecase_evaluators.text.json_values import show_json
from suitecase_evaluators.text.unseen_differences import unseen_difference

Tokens = tuple[str, ...]


class TokenF1Config(EvaluatorConfig):
    """Scores the words that the answer shares with the expected answer, as SQuAD does.

    The score is F1, the harmonic mean of precision (the share of the answer's words that are
    expected) and recall (the share of the expected words that the answer has). The order of words
    does not matter; a word that occurs twice counts twice. Of several expected answers, the best
    score counts.
    """

    type: Literal["token_f1"]
    value: TextsKey = Field(
        default=None,
        description="The expected answer, or a list of them. Default: the case's expected output, which "
        "is the text of its last expected message.",
        examples=["You get the full price back within 5 working days."],
    )
    normalize: NormalizeKey = Field(
        default="squad",
        description=f"{STEPS_IN_WORDS} Words are then separated by white space. Default: `squad`.",
        examples=["squad", ["casefold", "punctuation"]],
    )
    synonyms: SynonymsKey = Field(
        default=None,
        description=f"{SYNONYMS_IN_WORDS} Each longest run of words that is one of them is replaced.",
        examples=[{"refund": ["money back", "reimbursement"]}],
    )


class Overlap(NamedTuple):
    """What two lists of tokens have in common; each is between 0 and 1."""

    f1: float
    precision: float
    recall: float


def _compared_texts(config: TokenF1Config, expected: tuple[Message, ...]) -> Iterator[ComparedText]:
    return (replace(text, by_words=True) for text in compared_texts(config, expected))


@evaluator(
    TokenF1Config,
    description=Description(
        lacks_expected=lacks_expected, as_graded=with_synonyms, compared_texts=_compared_texts
    ),
)
async def token_f1(config: TokenF1Config, subject: Subject, services: Services) -> Score:
    """Compare the words."""
    values = expected_texts(config.value, subject)
    if not values:
        return Score.failed_to_grade(NOTHING_EXPECTED)
    steps = steps_of(config.normalize)

    def tokens(text: str) -> Tokens:
        return tuple(normalized(text, steps).split())

    synonyms = SynonymTable(config.synonyms, tokens)

    def compared(answer: str, text: str) -> Overlap:
        one, other = (list(_replaced(tokens(side), synonyms)) for side in (answer, text))
        return overlap(one, other)

    overlaps = [compared(subject.candidate_answer, text) for text in values]
    # The first of the best.
    best = max(range(len(values)), key=lambda number: overlaps[number].f1)
    found = overlaps[best]
    message = (
        f"F1 {found.f1:.2f} (precision {found.precision:.2f}, recall {found.recall:.2f}) with "
        f"{show_json(values[best])}"
    )
    message += unseen_difference(
        subject.candidate_answer, values, lambda seen, text: compared(seen, text).f1 > found.f1
    )
    passes = found.f1 >= PASS_AT
    return Score.graded(
        found.f1,
        hits=(message,) if passes else (),
        misses=() if passes else (message,),
        reasoning=message,
        details={
            "precision": found.precision,
            "recall": found.recall,
            "compared_with": values[best],
        },
    )


def overlap(answer: Sequence[str], expected: Sequence[str]) -> Overlap:
    """Return F1, precision and recall of bags of tokens (Rajpurkar et al. 2016, section 6.1).

    Two empty lists are alike; an empty one has nothing in common with any other.
    """
    if not answer or not expected:
        same = float(not answer and not expected)
        return Overlap(same, same, same)
    shared = (Counter(answer) & Counter(expected)).total()
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / len(answer), shared / len(expected)
    return Overlap(2 * shared / (len(answer) + len(expected)), precision, recall)


def _replaced(tokens: Tokens, synonyms: SynonymTable[Tokens]) -> Iterator[str]:
    """Yield tokens with the longest runs that are synonyms as their canonical forms."""
    longest = max(map(len, synonyms.canonical), default=0)
    start = 0
    while start < len(tokens):
        lengths = range(min(longest, len(tokens) - start), 0, -1)
        runs = (tokens[start : start + length] for length in lengths)
        run = next((it for it in runs if it in synonyms.canonical), None)
        if run is None:
            yield tokens[start]
            start += 1
        else:
            yield from synonyms.of(run)
            start += len(run)
