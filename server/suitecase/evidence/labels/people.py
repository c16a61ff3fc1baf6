"""What the labels under `human.NAME` come to: which count, what raters agree on, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from suitecase.evidence.labels.adjudication import SplitRatings, adjudicators, settled, split
from suitecase.evidence.labels.items import GradedItems, Item, graded_items
from suitecase.evidence.labels.label import Label, LabelFile, LabelValue
from suitecase.evidence.labels.reading import read_labels
from suitecase.format.protocols import HumanLabels
from suitecase.format.workspace import LEADS_OUT, Folder, Found, NotFound, Unreadable
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.plural import counted
from suitecase_evaluators.answers.rubric import TOP

#: An answer: the id of its case, and its digest.
AnswerKey = tuple[str, str]
#: What to do about labels that cannot be read.
READ_LABELS = "`suitecase check` shows each at its place"
#: So many reasons are named in a message.
_MOST_CLAUSES = 3
#: An item of an answer: the id of its case, its digest, and the id of the item.
ItemKey = tuple[str, str, str]


class PlacedLabel(NamedTuple):
    """A label, and the file it is in."""

    path: Path
    label: Label


@dataclass(frozen=True, slots=True)
class DoubleLabel:
    """Two labels of one rater for one item of an answer, with different values."""

    first: PlacedLabel
    second: PlacedLabel


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that `labels` names.

    Attributes:
        reference: as the suite names it.
        number: its place in the list, from 0.
        found: where it is, or why it is not there.
        labels: its labels, or why it cannot be read; None if it is not there.
    """

    reference: str
    number: int
    found: Found | NotFound
    labels: LabelFile | Unreadable | None

    @property
    def why_unread(self) -> str | None:
        """Why some of its labels could not be read, as a clause; None if all were."""
        if isinstance(self.found, NotFound):
            return f"the label file {self.reference} {_NOT_FOUND[self.found.why]}"
        if isinstance(self.labels, Unreadable):
            return f"the label file {self.reference} cannot be read: {self.labels.reason}"
        if self.labels is None or not self.labels.problems:
            return None
        first, *others = self.labels.problems
        where = "; the first is in line" if others else ": line"
        return (
            f"{counted(1 + len(others), 'row')} of the label file {self.reference} cannot be read"
            f"{where} {first.line:,}: {first.message}"
        )


_NOT_FOUND = {
    "missing": "does not exist",
    "outside": "is outside the workspace",
    "link": f"cannot be read: {LEADS_OUT}",
    "not a file": "is not a file",
}


@dataclass(frozen=True, eq=False)
class PeoplesLabels:
    """What `human.NAME` comes to.

    Labels that do not count are in one of `stale`, `unknown_case`, `unknown_item`, `of_broken_case`,
    `off_scale` and `double`. A label without `wording` is taken to be of the current wording.

    Attributes:
        name: the name of the evaluator.
        human: what the suite says about its labels.
        files: the files, in the order of the list.
        items: what can be labeled.
        labels: the labels that count; `value` is true or false for a checklist item, and a whole
            number for one with a score.
        stale: those of an earlier wording.
        unknown_case: those of a case that the suite does not have.
        unknown_item: those of an item that the evaluator does not have for the case.
        of_broken_case: those of a case with errors, of which nobody knows what can be labeled.
        off_scale: those whose value the item cannot have.
        double: pairs of labels by one rater that differ; neither counts.
    """

    name: str
    human: HumanLabels
    files: tuple[NamedFile, ...]
    items: GradedItems
    labels: tuple[PlacedLabel, ...]
    stale: tuple[PlacedLabel, ...]
    unknown_case: tuple[PlacedLabel, ...]
    unknown_item: tuple[PlacedLabel, ...]
    of_broken_case: tuple[PlacedLabel, ...]
    off_scale: tuple[PlacedLabel, ...]
    double: tuple[DoubleLabel, ...]
    #: What others derive from the labels, whatever the places of items are.
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    def at_places_of(self, items: GradedItems) -> PeoplesLabels:
        """Return the same, with what was derived from it, for the same items at other places."""
        moved = copy(self)
        object.__setattr__(moved, "items", items)
        return moved

    @property
    def unknown(self) -> tuple[PlacedLabel, ...]:
        """The labels of a case or of an item that is unknown."""
        return self.unknown_case + self.unknown_item

    @property
    def files_unread(self) -> tuple[str, ...]:
        """The files that are not there or have something that cannot be read, as clauses."""
        return _different(file.why_unread for file in self.files)

    @cached_property
    def not_found(self) -> tuple[str, ...]:
        """The files that are not there, as clauses."""
        files = (file for file in self.files if isinstance(file.found, NotFound))
        return _different(file.why_unread for file in files)

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """What is there and says nothing that could be read, as clauses: files, rows and values.

        These labels might count, unlike those that are stale or of something unknown.
        """
        files = (file.why_unread for file in self.files if isinstance(file.found, Found))
        labels = {
            "of cases with errors": len(self.of_broken_case),
            "off the scale": len(self.off_scale),
            "given twice with different values": 2 * len(self.double),
        }
        clauses = (
            f"{counted(number, 'label')} {'is' if number == 1 else 'are'} {what}"
            for what, number in labels.items()
            if number
        )
        return (*_different(files), *clauses)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why labels that the suite lists may be missing from those that count, as clauses."""
        return (*self.not_found, *self.unread)

    @cached_property
    def by_item(self) -> Mapping[ItemKey, SplitRatings]:
        """The labels that count of each item of an answer: ratings, and decisions of adjudicators."""
        found: dict[ItemKey, dict[str, LabelValue]] = {}
        people = adjudicators(self.human)
        with without_garbage_collection():
            for _, it in self.labels:
                found.setdefault((it.case, it.answer, it.item), {})[it.rater] = it.value
            return {key: split(values, people) for key, values in found.items()}

    @cached_property
    def by_answer(self) -> Mapping[AnswerKey, Mapping[str, Mapping[str, LabelValue]]]:
        """The ratings of each item of each answer by rater, without those that settle a difference."""
        found: dict[AnswerKey, dict[str, Mapping[str, LabelValue]]] = {}
        for (case, answer, item), it in self.by_item.items():
            found.setdefault((case, answer), {})[item] = it.ratings
        return found

    def units(
        self, mode: Literal["check", "range"], item: str | None = None
    ) -> dict[ItemKey, list[tuple[str, LabelValue]]]:
        """Return the ratings of the items of a mode, for figures of agreement.

        Args:
            mode: whether items are met or not, or have a score.
            item: the id of the item; None for all.
        """
        return {
            key: list(it.ratings.items())
            for key, it in self.by_item.items()
            if item in (None, key[2]) and self.mode_of(key) == mode
        }

    def mode_of(self, key: ItemKey) -> Literal["check", "range"]:
        """Return whether an item is met or not, or has a score."""
        return self.items.by_case[key[0]][key[2]].mode

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """Those who rated, without those who only settled differences, by name."""
        found = {rater for it in self.by_item.values() for rater in it.ratings}
        return tuple(sorted(found))

    @cached_property
    def first_labels(self) -> Mapping[str, PlacedLabel]:
        """The first label that counts of everyone, also of adjudicators, by name."""
        return {label.label.rater: label for label in reversed(self.labels)}

    def adjudicated(self) -> Mapping[AnswerKey, Mapping[str, LabelValue | None]]:
        """Return the value that counts for each item of each answer.

        It is None where raters differ and nothing settles it.
        """
        return self._adjudicated

    @cached_property
    def _adjudicated(self) -> dict[AnswerKey, dict[str, LabelValue | None]]:
        found: dict[AnswerKey, dict[str, LabelValue | None]] = {}
        for key, it in self.by_item.items():
            value = settled(it, self.human, self.mode_of(key))
            found.setdefault(key[:2], {})[key[2]] = value
        return found

    @cached_property
    def to_adjudicate(self) -> list[ItemKey]:
        """The items of answers on which raters differ and that nothing settles."""
        return [
            (*answer, item)
            for answer, values in self.adjudicated().items()
            for item, value in values.items()
            if value is None
        ]

    @cached_property
    def rated_by_adjudicators(self) -> list[tuple[ItemKey, str]]:
        """The items of which an adjudicator is one of those who differ, with the adjudicator."""
        people = adjudicators(self.human)
        return [
            (key, rater)
            for key, it in self.by_item.items()
            if len(set(it.ratings.values())) > 1
            for rater in it.ratings
            if rater in people
        ]

    def labels_of(self, key: ItemKey) -> list[PlacedLabel]:
        """Return the labels that count of an item of an answer, in the order of the files."""
        return self._labels_of.get(key, [])

    @cached_property
    def _labels_of(self) -> dict[ItemKey, list[PlacedLabel]]:
        found: dict[ItemKey, list[PlacedLabel]] = {}
        for placed in self.labels:
            it = placed.label
            found.setdefault((it.case, it.answer, it.item), []).append(placed)
        return found


class _Read(NamedTuple):
    human: HumanLabels
    files: tuple[NamedFile, ...]
    result: PeoplesLabels


_READ: Cache[dict[str, _Read]] = Cache()


def peoples_labels(suite: ParsedSuite, name: str, folder: Folder) -> PeoplesLabels | None:
    """Return what `human.NAME` comes to; of an unchanged suite and unchanged files, the same object.

    Args:
        suite: the suite.
        name: the name of the evaluator, under `human`.
        folder: the folder of the suite.

    Returns:
        None if the head has no such key, or has errors.
    """
    model = suite.head.model
    human = (model.human or {}).get(name) if model is not None else None
    if human is None:
        return None
    files = _files(human, folder)
    items = graded_items(suite, name)
    known = _READ.of(items, dict[str, _Read])
    earlier = known.get(name)
    if earlier is not None and earlier.human == human and _same(earlier.files, files):
        result = earlier.result
        if result.items is items:
            return result
        result = result.at_places_of(items)
    else:
        with without_garbage_collection():
            result = _sorted_out(name, human, files, items)
    known[name] = _Read(human, files, result)
    return result


def label_paths(suite: ParsedSuite, folder: Folder) -> frozenset[Path]:
    """Return the label files that a suite names, as far as they exist."""
    model = suite.head.model
    references = {
        label for human in ((model and model.human) or {}).values() for label in human.labels
    }
    found = (folder.find(reference.strip()) for reference in references)
    return frozenset(it.path for it in found if isinstance(it, Found))


def _same(earlier: tuple[NamedFile, ...], files: tuple[NamedFile, ...]) -> bool:
    """Whether files are the same; what was read of the same text is the same object."""
    return len(earlier) == len(files) and all(
        one.labels is other.labels and one.found == other.found
        for one, other in zip(earlier, files, strict=True)
    )


#: The files that were read with a workspace, which many rules ask for.
_FILES: Cache[dict[tuple[Path, tuple[str, ...]], tuple[NamedFile, ...]]] = Cache()


def _files(human: HumanLabels, folder: Folder) -> tuple[NamedFile, ...]:
    known = _FILES.of(folder.workspace, dict[tuple[Path, tuple[str, ...]], tuple[NamedFile, ...]])
    key = folder.path, tuple(human.labels)
    if key not in known:
        known[key] = tuple(_named_file(it, number, folder) for number, it in enumerate(key[1]))
    return known[key]


def _named_file(reference: str, number: int, folder: Folder) -> NamedFile:
    found = folder.find(reference.strip())
    if not isinstance(found, Found):
        return NamedFile(reference, number, found, None)
    text = folder.read(found.path)
    read = text if isinstance(text, Unreadable) else read_labels(found.path, text)
    return NamedFile(reference, number, found, read)


def _sorted_out(
    name: str, human: HumanLabels, files: tuple[NamedFile, ...], items: GradedItems
) -> PeoplesLabels:
    """Return the labels of some files by what is to be said about each."""
    counted: dict[tuple[str, str, str, str], PlacedLabel] = {}
    stale: list[PlacedLabel] = []
    unknown_case: list[PlacedLabel] = []
    unknown_item: list[PlacedLabel] = []
    of_broken_case: list[PlacedLabel] = []
    off_scale: list[PlacedLabel] = []
    double: list[DoubleLabel] = []
    unsettled: set[tuple[str, str, str, str]] = set()
    for path, label in _labels_in(files):
        placed = PlacedLabel(path, label)
        item = items.by_case.get(label.case, {}).get(label.item)
        if item is None:
            if label.case in items.unread or (label.case not in items.cases and not items.all_read):
                of_broken_case.append(placed)
            elif label.case not in items.cases:
                unknown_case.append(placed)
            else:
                unknown_item.append(placed)
            continue
        if label.wording is not None and label.wording != item.wording:
            stale.append(placed)
            continue
        value = value_on_scale(label.value, item)
        if value is None:
            off_scale.append(placed)
            continue
        if value is not label.value:
            placed = PlacedLabel(path, replace(label, value=value))
        key = (label.case, label.answer, label.item, label.rater)
        first = counted.setdefault(key, placed)
        if first is not placed and first.label.value != value:
            double.append(DoubleLabel(first, placed))
            unsettled.add(key)
    labels = tuple(it for key, it in counted.items() if key not in unsettled)
    return PeoplesLabels(
        name,
        human,
        files,
        items,
        labels,
        tuple(stale),
        tuple(unknown_case),
        tuple(unknown_item),
        tuple(of_broken_case),
        tuple(off_scale),
        tuple(double),
    )


def _labels_in(files: tuple[NamedFile, ...]) -> Iterator[tuple[Path, Label]]:
    """Yield the labels of files; a file that is named twice counts once."""
    seen: set[Path] = set()
    for file in files:
        if isinstance(file.found, Found) and isinstance(file.labels, LabelFile):
            path = file.found.path
            if path not in seen:
                seen.add(path)
                yield from ((path, label) for label in file.labels.labels)


def _different(clauses: Iterable[str | None]) -> tuple[str, ...]:
    """Return clauses once each, since a file may be named twice."""
    return tuple(dict.fromkeys(clause for clause in clauses if clause is not None))


def first_clauses(clauses: Sequence[str]) -> str:
    """Return clauses as one for messages: the first ones, and how many more there are."""
    more = len(clauses) - _MOST_CLAUSES
    return "; ".join(clauses[:_MOST_CLAUSES]) + (f"; and {more:,} more" if more > 0 else "")


def value_on_scale(value: LabelValue, item: Item) -> LabelValue | None:
    """Return a value as one of an item; None for one that the item cannot have.

    In a checklist item 1 and 0 are true and false.
    """
    if item.mode == "check":
        return value if isinstance(value, bool) else bool(value) if value in (0, 1) else None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= TOP:
        return None
    return value
