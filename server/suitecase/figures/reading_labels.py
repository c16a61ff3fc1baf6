"""People's ratings from the label files of a suite, for figures of agreement."""

from __future__ import annotations

from suitecase.figures.file_data import PeoplesRatings, RatedItem, answer_name
from suitecase.statistics.agreement import Scale
from suitecase.suite.labels.people import PeoplesLabels, peoples_labels
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.workspace import Folder, Found, Unreadable


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
    if not labels.labels:
        return PeoplesRatings((), scale, *_why_no_labels(labels))
    items = tuple(
        RatedItem(answer_name(case, digest), item, tuple(it.ratings.items()))
        for (case, digest, item), it in labels.by_item.items()
    )
    return PeoplesRatings(items, scale)


def _why_no_labels(labels: PeoplesLabels) -> tuple[str, str]:
    """Return why there is no label that counts, and what to do about it."""
    write = "write sheets with `suitecase labels RESULTS`, and name them under `labels`"
    for file in labels.files:
        if not isinstance(file.found, Found):
            return f"the label file {file.reference} does not exist", write
        if isinstance(file.labels, Unreadable):
            return f"the label file {file.reference} cannot be read: {file.labels.reason}", ""
    left_out = {
        "of an earlier wording": len(labels.stale),
        "of unknown cases or items": len(labels.unknown),
        "off the scale": len(labels.off_scale),
        "given twice with different values": len(labels.double),
    }
    reasons = [f"{number:,} {why}" for why, number in left_out.items() if number]
    if reasons:
        return f"none of the labels counts: {', '.join(reasons)}", ""
    return f"`human.{labels.name}` has no labels", write
