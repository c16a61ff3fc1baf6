"""What an evaluator answers: a score, a verdict, and the evidence for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from suitecase_evaluators.answers.sandbox_level import Level

#: At or above this an answer passes (unified-evaluator specification, section 3).
PASS_AT = 0.8
#: At or above this an answer that does not pass is borderline.
BORDERLINE_AT = 0.6
#: Scores are rounded to so many digits, once, where they are made: shares such as 0.7 and 0.1 have to
#: reach the threshold of 0.8 that they add up to. What is recorded is what verdicts follow from.
DIGITS = 12
#: A score may be outside 0 to 1 by so much: sums of shares such as 0.7 and 0.3 are rounded.
ROUNDING = 1e-6


class Verdict(StrEnum):
    """The verdict on an answer. The last two mean that it was not graded."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    BORDERLINE = "borderline"
    FAIL = "fail"
    #: There was nothing to grade by: empty criteria, an empty schema.
    NOT_EVALUATED = "not_evaluated"
    #: The grading broke: a target could not be reached, a script crashed.
    ERROR = "error"

    # Equal to its text, and as fast to look up; the hash of Enum is written in Python.
    __hash__ = str.__hash__

    @property
    def graded(self) -> bool:
        """Whether this verdict has a score."""
        return self is not Verdict.NOT_EVALUATED and self is not Verdict.ERROR


def rounded(score: float) -> float:
    """Return a score as it is recorded, and compared with thresholds."""
    return round(score, DIGITS)


def verdict_for(score: float, *, gate_failed: bool = False) -> Verdict:
    """Return the verdict of a score in 0..1; a score below a minimum fails whatever the score is."""
    if gate_failed:
        return Verdict.FAIL
    score = rounded(score)
    if score >= PASS_AT:
        return Verdict.PASS
    return Verdict.BORDERLINE if score >= BORDERLINE_AT else Verdict.FAIL


def shown_score(score: float) -> str:
    """Return a score for people: with two digits, and more where two would tell another verdict."""
    for digits in range(2, DIGITS):
        text = f"{score:.{digits}f}"
        if verdict_for(float(text)) is verdict_for(score):
            return text
    return f"{score:.{DIGITS}f}"


@dataclass(frozen=True, slots=True)
class Quote:
    """What a judge quoted for a rubric item, and whether it is in the answer."""

    item: str
    quote: str
    in_answer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The result of one evaluator for one answer.

    `score` lies in 0..1, rounded to `DIGITS`, and is None exactly where the verdict is not a graded
    one.
    """

    score: float | None
    verdict: Verdict
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    #: A `required` item was unmet or a `required_min_score` not reached: the case fails too.
    gate_failed: bool = False
    #: Raw material: per-rubric scores, schema errors, the judge's replies. JSON values only.
    details: Mapping[str, Any] = field(default_factory=dict)
    #: What the judge was asked: `user_prompt`, `system_prompt`, `target`.
    request: Mapping[str, Any] | None = None
    #: No reply of the judge could be read in full. The score is 0 by the contract, or that of the
    #: rubric items it did answer.
    parse_failed: bool = False
    #: How often the judge was asked.
    attempts: int = 0
    #: The sandbox level of the program that was involved; None if there was none.
    sandbox: Level | None = None
    #: Whether the answer is a refusal, if the evaluator looks at that.
    refused: bool | None = None
    #: The share of a judge's votes that agree with the verdict; None for one vote, and without a judge.
    confidence: float | None = None
    #: What a judge quoted for rubric items; None if no quotes were asked for.
    quotes: tuple[Quote, ...] | None = None
    #: What broke, for people; set exactly where the verdict is `error`.
    error: str | None = None

    def __post_init__(self) -> None:
        # Here, so that what a package makes without `graded` is rounded too.
        if isinstance(self.score, float):
            object.__setattr__(self, "score", rounded(self.score))

    def held_against(self, gate: float | None) -> Score:
        """Return the score with its gate failed if it is below; without a score there is no gate."""
        if gate is None or self.score is None or rounded(self.score) >= gate:
            return self
        digits = range(2, DIGITS + 1)
        text = next(it for n in digits if float(it := f"{self.score:.{n}f}") < gate)
        miss = f"scored {text}; the case fails below {gate:g}"
        misses = (*self.misses, miss)
        return replace(self, verdict=Verdict.FAIL, gate_failed=True, misses=misses)

    @classmethod
    def graded(cls, score: float, *, gate_failed: bool = False, **rest: Any) -> Score:
        """Make a graded score, with the verdict that follows from it."""
        verdict = verdict_for(score, gate_failed=gate_failed)
        return cls(score=score, verdict=verdict, gate_failed=gate_failed, **rest)

    @classmethod
    def not_evaluated(cls, reason: str) -> Score:
        """Say that there was nothing to grade by, and why."""
        return cls(score=None, verdict=Verdict.NOT_EVALUATED, reasoning=reason)

    @classmethod
    def failed_to_grade(cls, error: str, **rest: Any) -> Score:
        """Say that the grading itself broke: never a statement on the answer."""
        return cls(score=None, verdict=Verdict.ERROR, error=error, **rest)


def off_scale(score: float) -> bool:
    """Whether a finite number is outside 0 to 1 by more than a rounding error.

    Such a score says nothing as long as nobody knows its scale: 2 may be two of ten.
    """
    return not -ROUNDING <= score <= 1 + ROUNDING


def nearest_score(score: float) -> float:
    """Return the score in 0..1 that is nearest to a finite number."""
    return float(min(1, max(0, score)))


def shown_number(number: float) -> str:
    """Return a number, which need not be a score, as people write it."""
    try:
        return f"{number:g}"
    except OverflowError:
        return "a number with hundreds of digits"
