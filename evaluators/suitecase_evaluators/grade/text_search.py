"""Grades an answer by texts that are looked for in it, at its start or at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, Services, Subject, evaluator
from suitecase_evaluators.grade.expected_text import NonEmptyTextsKey, compared_texts, listed, shown
from suitecase_evaluators.grade.normalize import (
    STEPS_IN_WORDS,
    AppliedStep,
    NormalizeKey,
    normalized,
    steps_of,
)
from suitecase_evaluators.grade.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    with_synonyms,
)
from suitecase_evaluators.grade.text_match import (
    TextMatchConfig,
    how_compared,
    match_score,
)
from suitecase_evaluators.text.unseen_differences import unseen_difference

_DESCRIPTION: Final[Description[Any]] = Description(
    as_graded=with_synonyms, compared_texts=compared_texts
)


class SearchConfig(TextMatchConfig):
    """What the evaluators of this module have in common."""

    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} Default: `none`.",
        examples=[["accents", "spaces"]],
    )
    synonyms: SynonymsKey = Field(
        default=None,
        description=f"{SYNONYMS_IN_WORDS} The answer may have any of them in place of `value`.",
        examples=[{"refund": ["money back", "reimbursement"]}],
    )


class ContainsConfig(SearchConfig):
    """Scores 1 if the answer contains a text, case-sensitive, else 0."""

    type: Literal["contains"]
    value: NonEmptyTextsKey = Field(
        description="The text to search for, case-sensitive; or a list of texts, of which the answer has "
        "to contain one.",
    )


class IContainsConfig(SearchConfig):
    """Scores 1 if the answer contains a text, case-insensitive, else 0."""

    type: Literal["icontains"]
    value: NonEmptyTextsKey = Field(
        description="The text to search for, case-insensitive; or a list of texts, of which the answer has "
        "to contain one.",
    )


class ContainsAnyConfig(SearchConfig):
    """Scores 1 if the answer contains one of several texts, case-sensitive, else 0."""

    type: Literal["contains_any"]
    value: NonEmptyTextsKey = Field(
        description="The texts of which the answer has to contain one, case-sensitive."
    )


class ContainsAllConfig(SearchConfig):
    """Scores 1 if the answer contains all of several texts, case-sensitive, else 0."""

    type: Literal["contains_all"]
    value: NonEmptyTextsKey = Field(
        description="The texts that the answer has to contain, case-sensitive."
    )


class IContainsAnyConfig(SearchConfig):
    """Scores 1 if the answer contains one of several texts, case-insensitive, else 0."""

    type: Literal["icontains_any"]
    value: NonEmptyTextsKey = Field(
        description="The texts of which the answer has to contain one, case-insensitive."
    )


class IContainsAllConfig(SearchConfig):
    """Scores 1 if the answer contains all of several texts, case-insensitive, else 0."""

    type: Literal["icontains_all"]
    value: NonEmptyTextsKey = Field(
        description="The texts that the answer has to contain, case-insensitive."
    )


class StartsWithConfig(SearchConfig):
    """Scores 1 if the answer starts with a text, case-sensitive, else 0.

    White space before the answer is ignored, except with `normalize: none`.
    """

    type: Literal["starts_with"]
    value: NonEmptyTextsKey = Field(
        description="The text that the answer has to start with; or a list of texts, of which it has to start with one."
    )


class EndsWithConfig(SearchConfig):
    """Scores 1 if the answer ends with a text, case-sensitive, else 0.

    White space after the answer is ignored, except with `normalize: none`.
    """

    type: Literal["ends_with"]
    value: NonEmptyTextsKey = Field(
        description="The text that the answer has to end with; or a list of texts, of which it has to end with one."
    )


@dataclass(frozen=True, slots=True)
class _Relation:
    """How an answer is compared with a text, and how a match and a miss are worded.

    `ignores_case` compares without case; `trims` ignores white space at both ends of the answer.
    """

    holds: Callable[[str, str], bool]
    match: str
    miss: str
    ignores_case: bool = False
    trims: bool = False


_CONTAINS: Final = _Relation(str.__contains__, "contains", "does not contain")
_ICONTAINS: Final = _Relation(str.__contains__, "contains", "does not contain", ignores_case=True)

_STARTS: Final = _Relation(str.startswith, "starts with", "does not start with", trims=True)
_ENDS: Final = _Relation(str.endswith, "ends with", "does not end with", trims=True)


def _searched(
    config: SearchConfig,
    value: str | list[str],
    subject: Subject,
    relation: _Relation,
    needed: Callable[[Iterable[bool]], bool] = any,
) -> Score:
    """Grade by texts of which one has to be found, or with `all` every one."""
    case: tuple[AppliedStep, ...] = ("casefold",) if relation.ignores_case else ()
    steps = (*case, *steps_of(config.normalize))
    trims = relation.trims and config.normalize != "none"

    def prepare(text: str) -> str:
        text = normalized(text, steps)
        return text.strip() if trims else text

    answer = prepare(subject.candidate_answer)
    values = listed(value)
    if config.synonyms:
        synonyms = SynonymTable(config.synonyms, prepare)
        found = [
            any(relation.holds(answer, form) for form in synonyms.forms_of(prepare(it)))
            for it in values
        ]
    else:
        found = [relation.holds(answer, prepare(it)) for it in values]
    matches = needed(found)
    how = how_compared(config.normalize, config.synonyms, ignores_case=relation.ignores_case)
    # What is named decides: all that were found for a match, those that are missing for a miss.
    named = [it for it, is_found in zip(values, found, strict=True) if is_found is matches]
    word = "and" if matches and needed is all else "or"
    relation_in_words = relation.match if matches else relation.miss
    unseen = "" if matches else unseen_difference(answer, map(prepare, named), relation.holds)
    message = f"the answer {relation_in_words} {shown(named, word)}{how}{unseen}"
    return match_score(matches, negate=config.negate, holds=message, fails=message)


@evaluator(ContainsConfig, description=_DESCRIPTION)
async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text."""
    return _searched(config, config.value, subject, _CONTAINS)


@evaluator(IContainsConfig, description=_DESCRIPTION)
async def icontains(config: IContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text, whatever its case."""
    return _searched(config, config.value, subject, _ICONTAINS)


@evaluator(ContainsAnyConfig, description=_DESCRIPTION)
async def contains_any(config: ContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts."""
    return _searched(config, config.value, subject, _CONTAINS)


@evaluator(ContainsAllConfig, description=_DESCRIPTION)
async def contains_all(config: ContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts."""
    return _searched(config, config.value, subject, _CONTAINS, all)


@evaluator(IContainsAnyConfig, description=_DESCRIPTION)
async def icontains_any(config: IContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts, whatever its case."""
    return _searched(config, config.value, subject, _ICONTAINS)


@evaluator(IContainsAllConfig, description=_DESCRIPTION)
async def icontains_all(config: IContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts, whatever their case."""
    return _searched(config, config.value, subject, _ICONTAINS, all)


@evaluator(StartsWithConfig, description=_DESCRIPTION)
async def starts_with(config: StartsWithConfig, subject: Subject, services: Services) -> Score:
    """Look at the start of the answer."""
    return _searched(config, config.value, subject, _STARTS)


@evaluator(EndsWithConfig, description=_DESCRIPTION)
async def ends_with(config: EndsWithConfig, subject: Subject, services: Services) -> Score:
    """Look at the end of the answer."""
    return _searched(config, config.value, subject, _ENDS)
