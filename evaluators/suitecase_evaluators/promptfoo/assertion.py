"""The fields that all assertions have, and the scores of their results."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.promptfoo.assertion_type import NEGATION

#: The prefix of the types of assertions, which suites of our own cannot name.
PREFIX: Final = "promptfoo:"
#: The type of an assertion with a `transform`, which no configuration can name.
TRANSFORMED: Final = "promptfoo:transformed"


class AssertionConfig(EvaluatorConfig):
    """An assertion whose templates are rendered. Its `type` is promptfoo's, after `promptfoo:`."""

    negate: bool = Field(default=False, description="Whether its type starts with `not-`.")
    value: Any = Field(default=None, description="What the answer is compared with.")
    threshold: float | None = Field(
        default=None, description="The minimum of a score, or the maximum of a measure."
    )
    metric: str | None = Field(
        default=None, description="The metric that the score counts towards."
    )

    @property
    def has_value(self) -> bool:
        """Whether there is a `value`, even if it is null."""
        return "value" in self.model_fields_set

    @property
    def written_type(self) -> str:
        """The type as promptfoo writes it."""
        return f"{NEGATION if self.negate else ''}{str(self.type).removeprefix(PREFIX)}"


def passed_or_failed(config: AssertionConfig, holds: bool, found: str, **rest: Any) -> Score:
    """Score 1 if the assertion holds, or does not hold with `not-`; else 0.

    Args:
        config: the assertion; `not-` inverts it.
        holds: whether it holds without `not-`.
        found: what was found, for people; the same for both verdicts.
        rest: further fields of the score.
    """
    passes = holds is not config.negate
    return scored(config, float(passes), passes, found, **rest)


def reached(
    config: AssertionConfig, score: float, threshold: float, what: str, **rest: Any
) -> Score:
    """Pass a score that reaches a threshold; with `not-`, one that does not, which is subtracted from 1.

    Args:
        config: the assertion.
        score: how far the assertion holds, from 0 to 1.
        threshold: the score to reach.
        what: what is scored, for people.
        rest: further fields of the score.
    """
    reaches = score >= threshold
    how = "reaches" if reaches else "is less than"
    return scored(
        config,
        1 - score if config.negate else score,
        reaches is not config.negate,
        f"{what} is {score:.4f}, which {how} {threshold:g}",
        **rest,
    )


def scored(config: AssertionConfig, score: float, passes: bool, found: str, **rest: Any) -> Score:
    """Return a score with promptfoo's verdict: an assertion of weight 0 always passes."""
    message = found if passes or config.weight else f"{found}; with a weight of 0 that passes"
    return Score(
        score=score,
        verdict=Verdict.PASS if passes or config.weight == 0 else Verdict.FAIL,
        hits=(message,) if passes else (),
        misses=() if passes else (message,),
        reasoning=message,
        **rest,
    )


def unusable(config: AssertionConfig, needs: str) -> Score:
    """Return the error of an assertion whose `value` is unusable, with what it needs instead."""
    return Score.failed_to_grade(f"`{config.written_type}` needs {needs} as its `value`")
