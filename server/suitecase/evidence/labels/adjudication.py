"""What counts where raters of an item differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from suitecase.evidence.labels.label import LabelValue
from suitecase.format.protocols import HumanLabels

#: Values by the names of those who gave them.
Ratings = Mapping[str, LabelValue]


class SplitRatings(NamedTuple):
    """The labels of an item of an answer, by what they are.

    Attributes:
        ratings: by those who labeled it before differences were known.
        decisions: by adjudicators.
    """

    ratings: Ratings
    decisions: Ratings


def split(values: Ratings, people: Collection[str]) -> SplitRatings:
    """Return which labels of an item are ratings, and which settle a difference.

    The label of an adjudicator is a rating where fewer than two others labeled the item: there was no
    difference between others that it could settle.

    Args:
        values: the labels.
        people: the adjudicators.
    """
    if not people or not any(value in people for value in values):
        return SplitRatings(values, {})
    others = {rater: value for rater, value in values.items() if rater not in people}
    if len(others) < 2:
        return SplitRatings(values, {})
    return SplitRatings(others, {it: value for it, value in values.items() if it in people})


def adjudicators(human: HumanLabels) -> Collection[str]:
    """Return those who settle differences; none where no adjudicator does."""
    return human.adjudicators or () if human.adjudication == "adjudicator" else ()


def settled(
    split_ratings: SplitRatings, human: HumanLabels, mode: Literal["check", "range"]
) -> LabelValue | None:
    """Return the value that counts; None where raters differ and nothing settles it.

    Args:
        split_ratings: the labels of an item of an answer.
        human: how differences are settled.
        mode: whether the item is met or not, or has a score.
    """
    ratings = list(split_ratings.ratings.values())
    if not ratings:
        return None
    if len(set(ratings)) == 1:
        return ratings[0]
    match human.adjudication:
        case "adjudicator":
            decided = set(split_ratings.decisions.values())
            return decided.pop() if len(decided) == 1 else None
        case "median" if mode == "range":
            return _median(ratings)
        case _:
            value, count = Counter(ratings).most_common(1)[0]
            return value if 2 * count > len(ratings) else None


def _median(values: list[LabelValue]) -> LabelValue:
    """Return the median; between two values the mean of them, rounded down to a score."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return int((ordered[half - 1] + ordered[half]) // 2)
