"""What every assertion has, and how its finding becomes a score."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.score import Score, Verdict

#: What the types of assertions start with here, so that they are no types of suites.
PREFIX: Final = "promptfoo:"
#: What stands in front of a type to invert it, in a configuration.
NEGATION: Final = "not-"


class AssertionConfig(EvaluatorConfig):
    """An assertion whose templates are filled in. Its `type` is `promptfoo:` and that of promptfoo."""

    negate: bool = Field(default=False, description="Whether `not-` stands in front of its type.")
    value: Any = Field(default=None, description="What the answer is compared with.")
    threshold: float | None = Field(
        default=None, description="What a score has to reach, or a measure must not exceed."
    )
    metric: str | None = Field(default=None, description="What the score counts for.")

    @property
    def has_value(self) -> bool:
        """Whether there is a `value`, be it `null`."""
        return "value" in self.model_fields_set

    @property
    def written_type(self) -> str:
        """The type as promptfoo writes it."""
        return f"{NEGATION if self.negate else ''}{str(self.type).removeprefix(PREFIX)}"


def passed_or_failed(config: AssertionConfig, holds: bool, found: str, **rest: Any) -> Score:
    """Score 1 where what was found is as wanted, else 0.

    Args:
        config: the assertion; `not-` inverts it.
        holds: whether what it says holds.
        found: what was found, for people; the same for both verdicts.
        rest: what else the score has.
    """
    passes = holds is not config.negate
    return scored(config, float(passes), passes, found, **rest)


def reached(
    config: AssertionConfig, score: float, threshold: float, what: str, **rest: Any
) -> Score:
    """Pass a score that reaches a threshold; with `not-`, one that does not, whose rest to 1 counts.

    Args:
        config: the assertion.
        score: how far what it says holds, from 0 to 1.
        threshold: what the score has to reach.
        what: what is scored, for people.
        rest: what else the score has.
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
    """Return a score whose verdict promptfoo's rule has decided; one of weight 0 always passes."""
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
    """Say that an assertion cannot be graded by its `value`, and what it needs."""
    return Score.failed_to_grade(f"`{config.written_type}` needs {needs} as its `value`")
