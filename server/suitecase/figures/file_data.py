"""What figures are computed from besides the answers of a run: people's ratings and calibrations.

Plain data, read from the files of a suite where it is asked about (`asked_of`). Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from suitecase.figures.statistics.agreement import Scale, Value
from suitecase.figures.statistics.correction import JudgeErrors

#: The probe that asks a judge the same once more.
REPEAT = "repeat"


def answer_name(case: str, digest: str) -> str:
    """Return what identifies an answer among those of a suite."""
    return f"{case}\n{digest}"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What people say about one item of one answer.

    Attributes:
        answer: identifies the answer; its items are drawn together.
        item: the id of the rubric item, or `verdict`.
        ratings: (rater, value), each rater once; those who settle differences are none of them.
    """

    answer: str
    item: str
    ratings: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class PeoplesRatings:
    """What the labels of `human.NAME` come to.

    Attributes:
        scale: how scores are compared; truth values are nominal always.
        problem: why there is nothing to compute from, as a clause; empty if there is.
        needed: what to do about that.
    """

    items: tuple[RatedItem, ...] = ()
    scale: Scale = Scale.ORDINAL
    problem: str = ""
    needed: str = ""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer that people have labelled and a judge has graded.

    Attributes:
        people: the value that people agreed on, by item.
        judge: the judge's value, by item; None if its reply could not be read.
        people_pass: whether the answer passes by people's values; None if they do not say.
        judge_pass: whether it passes by the judge's.
        quotes: how many quotes the judge gave, and how many of these are in the answer.
        probed: the probes that were tried.
        flips: the probes that turned the verdict.
    """

    answer: str
    people: Mapping[str, Value]
    judge: Mapping[str, Value] | None
    people_pass: bool | None
    judge_pass: bool | None
    valid_quotes: int = 0
    quotes: int = 0
    probed: tuple[str, ...] = ()
    flips: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """What the calibration of `judges.NAME` says.

    Attributes:
        problem: why nothing can be computed from it, as a clause, such as that it is outdated; empty
            if it can.
        needed: what to do about that.
    """

    answers: tuple[JudgedAnswer, ...] = ()
    problem: str = ""
    needed: str = ""

    @property
    def errors(self) -> JudgeErrors:
        """How the judge has judged what people have labelled; unread replies are left out."""
        return self.errors_if(None)

    def errors_if(self, unread: bool | None) -> JudgeErrors:
        """Return the same, each unread reply counted as right, as wrong, or (None) not at all."""
        good = good_passed = bad = bad_failed = 0
        for answer in self.answers:
            if answer.people_pass is None or (answer.judge_pass is None and unread is None):
                continue
            is_right = (
                unread if answer.judge_pass is None else answer.judge_pass == answer.people_pass
            )
            if answer.people_pass:
                good, good_passed = good + 1, good_passed + bool(is_right)
            else:
                bad, bad_failed = bad + 1, bad_failed + bool(is_right)
        return JudgeErrors(good, good_passed, bad, bad_failed)

    @property
    def unread(self) -> int:
        """How many labelled answers the judge gave no readable reply on."""
        return sum(
            answer.people_pass is not None and answer.judge_pass is None for answer in self.answers
        )
