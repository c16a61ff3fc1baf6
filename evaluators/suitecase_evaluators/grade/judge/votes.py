"""Votes of a judge: several verdicts on one answer, and the one that is made of them.

A checklist item is met if more than half of the votes say so: a tie is not met. Scores, of range items
and of answers as a whole, are the median, of an even number of votes the lower one of the two in the
middle, so that each is a score that a vote has given. An item that a vote leaves out counts 0 in it. Votes that
could not be read are left out, unless they are half of them or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.answers.score import Score, Verdict, verdict_for
from suitecase_evaluators.grade.judge.reply import Check, Checks, FreeForm
from suitecase_evaluators.grade.judge.scoring import rubric_score

N = TypeVar("N", int, float)

#: The detail of a score that has what each vote says; null for a reply that could not be read.
VOTES = "votes"


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one vote comes to."""

    score: float
    verdict: Verdict
    #: The verdicts on rubric items, by id.
    raw_scores: dict[str, Any] | None = None

    def recorded(self) -> dict[str, Any]:
        """Return the vote as details have it."""
        values: dict[str, Any] = {"score": self.score, "verdict": self.verdict.value}
        return values if self.raw_scores is None else {**values, "raw_scores": self.raw_scores}


def is_decided(votes: Sequence[Checks | None] | Sequence[FreeForm | None]) -> bool:
    """Whether more than half of the votes could be read."""
    return sum(vote is not None for vote in votes) * 2 > len(votes)


def median_verdict(votes: Sequence[FreeForm | None]) -> FreeForm:
    """Return the vote with the median score; at least one vote could be read."""
    read = [vote for vote in votes if vote is not None]
    score = _median([it.score for it in read])
    chosen = next(it for it in read if it.score == score)
    ambiguous = any(it.ambiguous for it in read)
    return chosen if chosen.ambiguous == ambiguous else replace(chosen, ambiguous=ambiguous)


def majority_verdict(votes: Sequence[Checks | None], rubrics: Sequence[Rubric]) -> Checks:
    """Return the verdict on each item that the votes come to; at least one could be read."""
    read = [vote for vote in votes if vote is not None]
    checks = {rubric.id or "": _check_of(rubric, read) for rubric in rubrics}
    return Checks(
        {name: check for name, check in checks.items() if check is not None},
        read[0].reasoning,
        any(it.ambiguous for it in read),
    )


def _check_of(rubric: Rubric, votes: Sequence[Checks]) -> Check | None:
    """Return the verdict on an item, in the words of the first vote that agrees with it."""
    name = rubric.id or ""
    given = [check for vote in votes if (check := vote.by_id.get(name)) is not None]
    if not given:
        return None
    value = _median([*(it.value for it in given), *[0] * (len(votes) - len(given))])
    if rubric.mode == "check":
        value = sum(it.value for it in given) * 2 > len(votes)
    return next(
        (it for it in given if it.value == value),
        Check(value, "too few votes have a usable verdict on this item"),
    )


def _median(values: list[N]) -> N:
    """Return the value in the middle, of two the lower one."""
    return sorted(values)[(len(values) - 1) // 2]


def ballots_of_checks(
    votes: Sequence[Checks | None], rubrics: Sequence[Rubric]
) -> list[Ballot | None]:
    """Return the result of each vote on rubric items; an empty list for a single vote."""
    if len(votes) < 2:
        return []
    scores = [None if vote is None else rubric_score(vote, rubrics, {}) for vote in votes]
    return [
        None
        if score is None or score.score is None
        else Ballot(score.score, score.verdict, dict(score.details["raw_scores"]))
        for score in scores
    ]


def ballots_of_scores(votes: Sequence[FreeForm | None]) -> list[Ballot | None]:
    """Return the result of each free-form vote; an empty list for a single vote."""
    if len(votes) < 2:
        return []
    return [None if vote is None else Ballot(vote.score, verdict_for(vote.score)) for vote in votes]


def with_confidence(score: Score, ballots: Sequence[Ballot | None]) -> Score:
    """Return a score with its confidence, the share of votes with its verdict; unchanged for one vote.

    A vote that could not be read agrees with none.
    """
    if len(ballots) < 2:
        return score
    agree = sum(ballot is not None and ballot.verdict is score.verdict for ballot in ballots)
    return replace(score, confidence=agree / len(ballots))
