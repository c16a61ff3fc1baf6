"""Grades an answer by its text: it contains, equals or matches something, or it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, Tag, field_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.evaluator import (
    Description,
    EvaluatorConfig,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.message import kind_of
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

#: What cannot be graded without a `value` where the case expects nothing.
NOTHING_EXPECTED: Final = (
    "there is nothing to compare the answer with; add `value`, or `expected_output` to the case"
)
_AFTER = ", after normalization"

#: One text, or several of which one is enough.
Texts = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[str], Field(min_length=1), Tag("<list>")],
    Discriminator(kind_of),
]
NonEmpty = Annotated[str, Field(min_length=1)]
#: The same, where an empty text would be found in every answer.
NonEmptyTexts = Annotated[
    Annotated[NonEmpty, Tag("<text>")]
    | Annotated[list[NonEmpty], Field(min_length=1), Tag("<list>")],
    Discriminator(kind_of),
]


class TextMatchConfig(EvaluatorConfig):
    """What the evaluators of this module have in common."""

    negate: bool = Field(
        default=False, description="Inverts the result: score 1 if this does not hold."
    )


class ContainsConfig(TextMatchConfig):
    """Scores 1 if the answer contains a text, case-sensitive, else 0."""

    type: Literal["contains"]
    value: NonEmptyTexts = Field(
        description="The text to search for, case-sensitive; or a list of texts, of which the answer has "
        "to contain one.",
        examples=["Paris"],
    )
    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} Default: `none`.",
        examples=[["accents", "spaces"]],
    )


class IContainsConfig(TextMatchConfig):
    """Scores 1 if the answer contains a text, case-insensitive, else 0."""

    type: Literal["icontains"]
    value: NonEmptyTexts = Field(
        description="The text to search for, case-insensitive; or a list of texts, of which the answer has "
        "to contain one.",
        examples=["paris"],
    )
    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} Case is always ignored. Default: `none`.",
        examples=[["accents", "spaces"]],
    )


class EqualsConfig(TextMatchConfig):
    """Scores 1 if the answer is exactly this text, else 0."""

    type: Literal["equals"]
    value: Texts | None = Field(
        default=None,
        description="The whole answer, or a list of texts of which it has to be one. Default: the case's "
        "expected output, which is the text of its last expected message.",
        examples=["Paris"],
    )
    normalize: NormalizeKey = Field(
        default=None,
        description=f"{STEPS_IN_WORDS} White space at both ends is ignored, since models end their "
        "answers with line breaks, except with `none`. By default, nothing else is.",
        examples=["squad", ["casefold", "punctuation", "spaces"]],
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


@evaluator(ContainsConfig)
async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text."""
    return _contains(config, subject, steps_of(config.normalize))


@evaluator(IContainsConfig)
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
    values = listed(config.value)
    found = [it for it in values if normalized(it, steps) in answer]
    how += _AFTER if config.normalize else ""
    return match_score(
        bool(found),
        negate=config.negate,
        holds=f"the answer contains {shown(found or values)}{how}",
        fails=f"the answer does not contain {shown(values)}{how}",
    )


def _has_no_value(config: EqualsConfig) -> bool:
    return config.value is None


@evaluator(EqualsConfig, description=Description(compares_expected=_has_no_value))
async def equals(config: EqualsConfig, subject: Subject, services: Services) -> Score:
    """Compare the whole answer."""
    values = expected_texts(config.value, subject)
    if not values:
        return Score.failed_to_grade(NOTHING_EXPECTED)
    answer = comparable(subject.candidate_answer, config.normalize)
    how = _AFTER if config.normalize else ""
    return match_score(
        any(comparable(it, config.normalize) == answer for it in values),
        negate=config.negate,
        holds=f"the answer equals {shown(values)}{how}",
        fails=f"the answer does not equal {shown(values)}{how}",
    )


def listed(value: str | Sequence[str]) -> Sequence[str]:
    """Return the texts of a value that may be one text."""
    return (value,) if isinstance(value, str) else value


def expected_texts(value: str | Sequence[str] | None, subject: Subject) -> Sequence[str]:
    """Return what an answer is compared with: a value, or else what the case expects, if anything."""
    if value is not None:
        return listed(value)
    return (subject.expected_messages[-1].text,) if subject.expected_messages else ()


def shown(values: Sequence[str]) -> str:
    """Return texts for people: `"a", "b" or "c"`."""
    *others, last = map(show_json, values)
    return f"{', '.join(others)} or {last}" if others else last


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
