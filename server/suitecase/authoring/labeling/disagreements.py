"""What is left to adjudicate, with what raters have said about it."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.labeling.sheets import Place
from suitecase.evidence.labels.label import LabelValue
from suitecase.evidence.labels.people import PeoplesLabels


def open_differences(people: PeoplesLabels) -> dict[Place, str]:
    """Return the items on which raters differ and that nothing settles, with the values given.

    Raters are not named, so that values count and not who gave them.
    """
    return {place: "\n".join(_ratings(people, place)) for place in people.to_adjudicate}


def _ratings(people: PeoplesLabels, place: Place) -> Iterator[str]:
    ratings = people.by_item[place].ratings
    notes = {label.label.rater: label.label.note for label in people.labels_of(place)}
    for value, note in sorted((_shown(it), notes.get(rater, "")) for rater, it in ratings.items()):
        yield f"{value}: {note}" if note else value


def _shown(value: LabelValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
