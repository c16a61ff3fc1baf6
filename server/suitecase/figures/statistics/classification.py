"""Figures of a table of expected and predicted labels."""

from __future__ import annotations

from collections.abc import Mapping

#: How many cases had the first label expected and the second predicted; None for no label at all.
Confusion = Mapping[tuple[str, str | None], float]


def macro_f1(confusion: Confusion) -> float:
    """Return the mean over labels of F1, 2 tp / (expected + predicted); not a number of no cases.

    Labels are those expected or predicted at least once, and weigh alike: the mean of F1 scores, not
    the F1 of mean precision and recall (Opitz and Burst, arXiv 1911.03347). A prediction of no label
    counts against the expected one.
    """
    labels = {label for pair, count in confusion.items() if count for label in pair} - {None}
    if not labels:
        return float("nan")
    return sum(_f1(confusion, label) for label in labels) / len(labels)


def _f1(confusion: Confusion, label: str | None) -> float:
    expected = sum(count for pair, count in confusion.items() if pair[0] == label)
    predicted = sum(count for pair, count in confusion.items() if pair[1] == label)
    return 2 * confusion.get((str(label), label), 0) / (expected + predicted)


def recall(confusion: Confusion, label: str) -> float:
    """Return the share of cases expected to have `label` that were given it; not a number of no such case."""
    expected = sum(count for pair, count in confusion.items() if pair[0] == label)
    return confusion.get((label, label), 0) / expected if expected else float("nan")
