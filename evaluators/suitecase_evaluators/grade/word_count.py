"""Grades an answer by how many words it has."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject, evaluator
from suitecase_evaluators.grade.text_match import TextMatchConfig, match_score
from suitecase_evaluators.text.unspaced_scripts import uncounted_words


class WordCountConfig(TextMatchConfig):
    """Scores 1 if the number of words in the answer is within limits, else 0.

    Words are separated by white space. In Chinese, Japanese, Thai and other scripts without spaces,
    a sentence counts as one word.
    """

    type: Literal["word_count"]
    min: int | None = Field(
        default=None, ge=0, description="The minimum number of words.", examples=[20]
    )
    max: int | None = Field(
        default=None, ge=0, description="The maximum number of words.", examples=[100]
    )

    @model_validator(mode="after")
    def _has_limits(self) -> WordCountConfig:
        if self.min is None and self.max is None:
            raise PydanticCustomError(
                "missing_one_of",
                "`word_count` needs `{one}`, `{other}` or both",
                {"one": "min", "other": "max"},
            )
        if self.min is not None and self.max is not None and self.min > self.max:
            raise PydanticCustomError(
                "word_count_limits",
                "`min` is {least}, which is more than `max`, {most}",
                {"least": self.min, "most": self.max, "place": ("min",)},
            )
        return self


@evaluator(WordCountConfig)
async def word_count(config: WordCountConfig, subject: Subject, services: Services) -> Score:
    """Count the words."""
    count = len(subject.candidate_answer.split())
    words = "1 word" if count == 1 else f"{count} words"
    words += uncounted_words(subject.candidate_answer)
    if config.min is not None and count < config.min:
        within, message = False, f"the answer has {words}, fewer than {config.min}"
    elif config.max is not None and count > config.max:
        within, message = False, f"the answer has {words}, more than {config.max}"
    else:
        within, message = True, f"the answer has {words}, within the limits of {_range(config)}"
    return match_score(within, negate=config.negate, holds=message, fails=message)


def _range(config: WordCountConfig) -> str:
    if config.min is None:
        return f"0 to {config.max}"
    return f"{config.min} or more" if config.max is None else f"{config.min} to {config.max}"
