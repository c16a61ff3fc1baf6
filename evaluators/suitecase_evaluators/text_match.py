"""Grades an answer by its text: it contains, equals or matches something, or it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.evaluator import (
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.expected_text import (
    NOTHING_EXPECTED,
    NonEmptyTexts,
    Texts,
    expected_texts,
    listed,
    shown,
)
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.normalize import (
    STEPS_IN_WORDS,
    NormalizeKey,
    Step,
    comparable,
    normalized,
    steps_of,
)
from suitecase_evaluators.regex_search import RegexError, found_in, regex_problem
from suitecase_evaluators.score import Score
from suitecase_evaluators.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    read_synonyms,
)

_AFTER = ", after normalization"


class TextMatchConfig(EvaluatorConfig):
    """What the evaluators of this module have in common."""

    negate: bool = Field(
        default=False, description="Inverts the result: score 1 if this does not hold."
    )


class SearchConfig(TextMatchConfig):
    """What the evaluators have in common that look for texts within the answer."""

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
    value: NonEmptyTexts = Field(
        description="The text to search for, case-sensitive; or a list of texts, of which the answer has "
        "to contain one.",
    )


class IContainsConfig(SearchConfig):
    """Scores 1 if the answer contains a text, case-insensitive, else 0."""

    type: Literal["icontains"]
    value: NonEmptyTexts = Field(
        description="The text to search for, case-insensitive; or a list of texts, of which the answer has "
        "to contain one.",
    )


class EqualsConfig(TextMatchConfig):
    """Scores 1 if the answer is exactly this text, else 0."""

    type: Literal["equals"]
    value: Texts | None = Field(
        default=None,
        description="The whole answer, or a list of texts of which it has to be one. Default: the case's "
        "expected output, which is the text of its last expected message.",
    )
    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} White space at both ends is ignored, since models end their "
        "answers with line breaks, except with `none`. By default, nothing else is.",
        examples=["squad", ["casefold", "punctuation", "spaces"]],
    )
    synonyms: SynonymsKey = Field(
        default=None,
        description=f"{SYNONYMS_IN_WORDS} An answer that is one of them as a whole is the same as "
        "any other.",
        examples=[{"refund": ["money back", "reimbursement"]}],
    )


class RegexConfig(TextMatchConfig):
    """Scores 1 if a regular expression matches somewhere in the answer, else 0."""

    type: Literal["regex"]
    value: Annotated[str, FieldRole.REGEX] = Field(
        min_length=1,
        description="The regular expression, in the syntax of Python's `re`. It may match anywhere; `^` and"
        " `$` anchor it. `(?i)` at the start ignores case, `(?s)` lets `.` match line breaks, "
        "`(?m)` lets `^` and `$` match at each line.",
    )

    @field_validator("value")
    @classmethod
    def _is_regular_expression(cls, value: str) -> str:
        problem = regex_problem(value)
        if problem is not None:
            raise PydanticCustomError(
                "regular_expression", "not a regular expression: {problem}", {"problem": problem}
            )
        return value


def _as_graded(config: SearchConfig | EqualsConfig, reading: Reading) -> Any:
    return config.model_copy(update={"synonyms": read_synonyms(config.synonyms, reading)})


@evaluator(ContainsConfig, description=Description(as_graded=_as_graded))
async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text."""
    return _contains(config, subject, steps_of(config.normalize))


@evaluator(IContainsConfig, description=Description(as_graded=_as_graded))
async def icontains(config: IContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text, whatever its case."""
    return _contains(config, subject, ("casefold", *steps_of(config.normalize)), ", case ignored")


def _contains(
    config: ContainsConfig | IContainsConfig,
    subject: Subject,
    steps: Sequence[Step],
    how: str = "",
) -> Score:
    answer = normalized(subject.candidate_answer, steps)
    synonyms = SynonymTable(config.synonyms, lambda text: normalized(text, steps))
    values = listed(config.value)
    found = [
        it
        for it in values
        if any(form in answer for form in synonyms.forms_of(normalized(it, steps)))
    ]
    how += _how(config)
    return match_score(
        bool(found),
        negate=config.negate,
        holds=f"the answer contains {shown(found or values)}{how}",
        fails=f"the answer does not contain {shown(values)}{how}",
    )


def _how(config: SearchConfig | EqualsConfig) -> str:
    or_synonym = " or a synonym" if config.synonyms else ""
    return or_synonym + (_AFTER if config.normalize else "")


def _has_no_value(config: EqualsConfig) -> bool:
    return config.value is None


@evaluator(
    EqualsConfig,
    description=Description(compares_expected=_has_no_value, as_graded=_as_graded),
)
async def equals(config: EqualsConfig, subject: Subject, services: Services) -> Score:
    """Compare the whole answer."""
    values = expected_texts(config.value, subject)
    if not values:
        return Score.failed_to_grade(NOTHING_EXPECTED)

    def prepare(text: str) -> str:
        return comparable(text, config.normalize)

    synonyms = SynonymTable(config.synonyms, prepare)
    answer = synonyms.of(prepare(subject.candidate_answer))
    return match_score(
        any(synonyms.of(prepare(it)) == answer for it in values),
        negate=config.negate,
        holds=f"the answer equals {shown(values)}{_how(config)}",
        fails=f"the answer does not equal {shown(values)}{_how(config)}",
    )


@evaluator(RegexConfig)
async def regex(config: RegexConfig, subject: Subject, services: Services) -> Score:
    """Search by the regular expression."""
    try:
        found = await found_in(config.value, subject.candidate_answer, folder=subject.folder)
    except RegexError as error:
        return Score.failed_to_grade(error.message)
    return match_score(
        found,
        negate=config.negate,
        holds=f"the answer matches `{config.value}`",
        fails=f"the answer does not match `{config.value}`",
    )


def match_score(matches: bool, *, negate: bool, holds: str, fails: str) -> Score:
    """Return 1 where a match is as wanted, else 0, and say what was found."""
    message = holds if matches else fails
    if matches is not negate:
        return Score.graded(1.0, hits=(message,), reasoning=message)
    return Score.graded(0.0, misses=(message,), reasoning=message)
