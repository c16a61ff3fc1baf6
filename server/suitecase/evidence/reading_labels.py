"""People's ratings from the label files of a suite, for figures of agreement."""

from __future__ import annotations

from suitecase.evidence.labels.people import (
    READ_LABELS,
    PeoplesLabels,
    first_clauses,
    peoples_labels,
)
from suitecase.figures.file_data import PeoplesRatings, RatedItem, answer_name
from suitecase.figures.statistics.agreement import Scale
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite

_WRITE = "write sheets with `suitecase labels RESULTS`, and name them under `labels`"


def peoples_ratings(parsed: ParsedSuite, folder: Folder) -> dict[str, PeoplesRatings]:
    """Return the ratings under each name of `human`."""
    head = parsed.head.model
    found: dict[str, PeoplesRatings] = {}
    for name in (head.human or {}) if head is not None else ():
        labels = peoples_labels(parsed, name, folder)
        if labels is not None:
            found[name] = _ratings(labels)
    return found


def _ratings(labels: PeoplesLabels) -> PeoplesRatings:
    scale = Scale(labels.human.scale)
    if labels.incomplete:
        # Nobody knows how far people agree as long as one of them is not heard.
        return PeoplesRatings((), scale, *_why_incomplete(labels))
    if not labels.labels:
        return PeoplesRatings((), scale, *_why_no_labels(labels))
    items = tuple(
        RatedItem(answer_name(case, digest), item, tuple(it.ratings.items()))
        for (case, digest, item), it in labels.by_item.items()
    )
    return PeoplesRatings(items, scale)


def _why_incomplete(labels: PeoplesLabels) -> tuple[str, str]:
    """Return why not all labels can be read, and what to do about it."""
    why = first_clauses(labels.incomplete)
    if labels.unread:
        return why, READ_LABELS
    return why, _WRITE if not labels.labels else f"{_WRITE}, or take the file out of `labels`"


def _why_no_labels(labels: PeoplesLabels) -> tuple[str, str]:
    """Return why there is no label that counts, and what to do about it."""
    left_out = {
        "of an earlier wording": len(labels.stale),
        "of unknown cases or items": len(labels.unknown),
    }
    reasons = [f"{number:,} {why}" for why, number in left_out.items() if number]
    if reasons:
        return f"none of the labels counts: {', '.join(reasons)}", ""
    return f"`human.{labels.name}` has no labels", _WRITE
