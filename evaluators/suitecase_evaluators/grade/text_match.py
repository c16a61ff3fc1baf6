"""Grades an answer by its text: it contains, equals or matches something, or it does not."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
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
    shown,
)
from suitecase_evaluators.grade.normalize import (
    STEPS_IN_WORDS,
    Normalize,
    NormalizeKey,
    comparable,
)
from suitecase_evaluators.grade.synonyms import (
    SYNONYMS_IN_WORDS,
    Synonyms,
    SynonymsKey,
    SynonymTable,
    with_synonyms,
)
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.regex_search import RegexError, found_in, regex_problem
from suitecase_evaluators.text.unseen_differences import as_seen, unseen_difference, unseen_in


class TextMatchConfig(EvaluatorConfig):
    """What the evaluators of this module have in common."""

    negate: bool = Field(
        default=False, description="Inverts the result: score 1 if this does not hold."
    )


class EqualsConfig(TextMatchConfig):
    """Scores 1 if the answer is exactly this text, else 0."""

    type: Literal["equals"]
    value: TextsKey = Field(
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


def how_compared(
    normalize: Normalize | None, synonyms: Synonyms | None, *, ignores_case: bool = False
) -> str:
    """Return, for people, what was done to texts before they were compared."""
    or_synonym = " or a synonym" if synonyms else ""
    case = ", case ignored" if ignores_case else ""
    return or_synonym + case + (", after normalization" if normalize else "")


@evaluator(
    EqualsConfig,
    description=Description(
        lacks_expected=lacks_expected, as_graded=with_synonyms, compared_texts=compared_texts
    ),
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
    how = how_compared(config.normalize, config.synonyms)
    expected = [synonyms.of(prepare(text)) for text in values]
    matches = answer in expected
    unseen = "" if matches else unseen_difference(answer, expected, str.__eq__)
    return match_score(
        matches,
        negate=config.negate,
        holds=f"the answer equals {shown(values)}{how}",
        fails=f"the answer does not equal {shown(values)}{how}{unseen}",
    )


@evaluator(RegexConfig)
async def regex(config: RegexConfig, subject: Subject, services: Services) -> Score:
    """Search by the regular expression."""
    answer = subject.candidate_answer
    try:
        found = await found_in(config.value, answer, folder=subject.folder)
    except RegexError as error:
        return Score.failed_to_grade(error.message)
    unseen = "" if found else await _unseen(config.value, answer, subject)
    return match_score(
        found,
        negate=config.negate,
        holds=f"the answer matches `{config.value}`",
        fails=f"the answer does not match `{config.value}`{unseen}",
    )


async def _unseen(pattern: str, answer: str, subject: Subject) -> str:
    """Return what nobody sees in an answer, if a pattern matches it without that."""
    seen = as_seen(answer)
    if seen == answer:
        return ""
    try:
        is_hidden = await found_in(pattern, seen, folder=subject.folder)
    except RegexError:
        return ""
    return unseen_in(answer) if is_hidden else ""


def match_score(matches: bool, *, negate: bool, holds: str, fails: str) -> Score:
    """Return 1 where a match is as wanted, else 0, and say what was found."""
    message = holds if matches else fails
    if matches is not negate:
        return Score.graded(1.0, hits=(message,), reasoning=message)
    return Score.graded(0.0, misses=(message,), reasoning=message)
