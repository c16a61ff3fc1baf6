"""Grades an answer by its text: it contains, equals or matches something, or it does not."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.evaluator import EvaluatorConfig, Services, Subject, evaluator
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.regex_search import RegexError, found_in, regex_problem
from suitecase_evaluators.score import Score


class TextMatchConfig(EvaluatorConfig):
    """What the evaluators of this module have in common."""

    value: str = Field(min_length=1, description="The text to look for.")
    negate: bool = Field(
        default=False, description="Inverts the result: score 1 if this does not hold."
    )


class ContainsConfig(TextMatchConfig):
    """Scores 1 if the answer contains a text, case-sensitive, else 0."""

    type: Literal["contains"]
    value: str = Field(
        min_length=1,
        description="The text to search for, case-sensitive.",
    )


class IContainsConfig(TextMatchConfig):
    """Scores 1 if the answer contains a text, case-insensitive, else 0."""

    type: Literal["icontains"]
    value: str = Field(
        min_length=1,
        description="The text to search for, case-insensitive.",
    )


class EqualsConfig(TextMatchConfig):
    """Scores 1 if the answer is exactly this text, else 0."""

    type: Literal["equals"]
    value: str = Field(
        description="The whole answer. Leading and trailing white space is ignored on both sides, since "
        "models end their answers with line breaks.",
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
    return match_score(
        config.value in subject.candidate_answer,
        negate=config.negate,
        holds=f"the answer contains {show_json(config.value)}",
        fails=f"the answer does not contain {show_json(config.value)}",
    )


@evaluator(IContainsConfig)
async def icontains(config: IContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text, whatever its case."""
    return match_score(
        config.value.casefold() in subject.candidate_answer.casefold(),
        negate=config.negate,
        holds=f"the answer contains {show_json(config.value)}, case ignored",
        fails=f"the answer does not contain {show_json(config.value)}, case ignored",
    )


@evaluator(EqualsConfig)
async def equals(config: EqualsConfig, subject: Subject, services: Services) -> Score:
    """Compare the whole answer."""
    return match_score(
        config.value.strip() == subject.candidate_answer.strip(),
        negate=config.negate,
        holds=f"the answer equals {show_json(config.value)}",
        fails=f"the answer does not equal {show_json(config.value)}",
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
