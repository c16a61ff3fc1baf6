"""The label files of a suite, with where it names them: what rules on labels share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.label import LabelFile
from suitecase.evidence.labels.people import ItemKey, NamedFile, PeoplesLabels, peoples_labels
from suitecase.format.rule import External, Related
from suitecase.format.workspace import Folder, Found
from suitecase.text.node import Mapping, Scalar, Sequence, Span

#: So many other places are shown with a finding at most.
MOST_PLACES = 5


@dataclass(frozen=True, slots=True)
class Labeled:
    """An entry under `human`, and what its labels come to.

    Attributes:
        key: its name.
        node: what the suite says of it.
        people: what its labels come to.
    """

    key: Scalar
    node: Mapping
    people: PeoplesLabels

    def reference(self, file: NamedFile) -> Span:
        """Return where the head names a file."""
        listed = self.node.get("labels")
        if isinstance(listed, Sequence) and file.number < len(listed.items):
            item = listed.items[file.number]
            if isinstance(item, Scalar):
                return item.span
        return self.key.span

    def at(self, key: str) -> Span:
        """Return the place of a key in the head, or of the name if it is not there."""
        found = self.node.key(key)
        return found.span if found is not None else self.key.span

    def places(self, keys: list[ItemKey]) -> tuple[Related, ...]:
        """Return places of labels of some items of answers, in their files."""
        found = []
        for key in keys[:MOST_PLACES]:
            path, label = self.people.labels_of(key)[0]
            values = ", ".join(
                f"{it.label.rater}: {shown(it.label.value)}" for it in self.people.labels_of(key)
            )
            message = f"`{key[2]}` of an answer to `{key[0]}` ({values})"
            found.append(Related(message, label.cells["value"], path))
        return tuple(found)


def labeled(suite: GovernedSuite, folder: Folder) -> Iterator[Labeled]:
    """Yield the entries under `human`; none if the file does not have the head."""
    node = suite.under("human")
    if node is None or not suite.has_head:
        return
    for name, entry in node:
        people = peoples_labels(suite.suite, name, folder)
        if people is not None and isinstance(entry.value, Mapping):
            yield Labeled(entry.key, entry.value, people)


@dataclass(frozen=True, slots=True)
class NamedLabels:
    """A label file, and the entries that name it, the first one first."""

    path: Path
    file: LabelFile
    entries: tuple[tuple[Labeled, NamedFile], ...]

    def external(self, suite: GovernedSuite) -> External:
        """Return the place of findings in the file."""
        entry, file = self.entries[0]
        return External(self.path, suite.head_span(entry.reference(file)))


def label_files(suite: GovernedSuite, folder: Folder) -> list[NamedLabels]:
    """Return the label files that can be read, each once."""
    found: dict[Path, NamedLabels] = {}
    for entry in labeled(suite, folder):
        for file in entry.people.files:
            if isinstance(file.found, Found) and isinstance(file.labels, LabelFile):
                path = file.found.path
                known = found.get(path)
                entries = (*(known.entries if known is not None else ()), (entry, file))
                found[path] = NamedLabels(path, file.labels, entries)
    return list(found.values())


def shown(value: float) -> str:
    """Return a value as people write it."""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
