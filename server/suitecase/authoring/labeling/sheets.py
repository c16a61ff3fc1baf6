"""Sheets for raters: which answers they label, and in which order each of them does.

Both follow from the seed by hashes, so that a sheet can be made again: the draw depends on the answers alone,
and a larger sample contains each smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from suitecase.authoring.labeling.answers import RunAnswer
from suitecase.authoring.labeling.items import SheetItem

#: An item of an answer: the case, the digest of the answer, and the id of the item.
Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class SheetRow:
    """An item of an answer to label.

    Attributes:
        ratings: what raters have said about it, for somebody who adjudicates; empty for raters.
    """

    answer: RunAnswer
    item: SheetItem
    ratings: str = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """What raters label with an evaluator.

    Attributes:
        answers: the answers to label, in no particular order.
        of: the number of answers that could have been drawn.
    """

    answers: tuple[RunAnswer, ...]
    of: int


def drawn(answers: Sequence[RunAnswer], sample: int | None, seed: int) -> Draw:
    """Draw answers at random.

    Args:
        answers: all of them.
        sample: how many to draw; None for all.
        seed: the seed.
    """
    if sample is None or sample >= len(answers):
        return Draw(tuple(answers), len(answers))
    ordered = sorted(answers, key=lambda it: _rank(seed, "draw", it.case, it.digest))
    return Draw(tuple(ordered[:sample]), len(answers))


def sheet(
    answers: Collection[RunAnswer],
    items: Mapping[str, Sequence[SheetItem]],
    seed: int,
    rater: str,
    ratings: Mapping[Place, str] | None = None,
) -> tuple[SheetRow, ...]:
    """Return the rows of a sheet: answers in an order of their own for each rater, items in that of the suite.

    Args:
        answers: what was drawn.
        items: what is asked about the answers to each case.
        seed: the seed.
        rater: whose sheet it is.
        ratings: the items to adjudicate, with what raters have said about each; None for all items.
    """
    ordered = sorted(answers, key=lambda it: _rank(seed, f"order {rater}", it.case, it.digest))
    return tuple(
        SheetRow(answer, item, "" if ratings is None else ratings[place])
        for answer in ordered
        for item in items[answer.case]
        for place in ((answer.case, answer.digest, item.id),)
        if ratings is None or place in ratings
    )


def _rank(seed: int, *parts: str) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *parts)).encode("utf-8", "replace")).digest()
