"""A label: what a person says about an answer, with its place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from suitecase.format.protocols import person_name
from suitecase.text.node import Span

#: What a rater may say: whether an item is met, or its score.
LabelValue = bool | int | float

#: The columns that a label file must have, and those that it may have.
REQUIRED = ("case", "answer", "item", "rater", "value")
OPTIONAL = ("wording", "note")
COLUMNS = (*REQUIRED, *OPTIONAL)


class LabelFormat(StrEnum):
    """The format of a label file."""

    CSV = "CSV"
    JSON_LINES = "JSON lines"
    JSON = "JSON"
    LABEL_STUDIO = "JSON of Label Studio"
    ARGILLA = "JSON of Argilla"


@dataclass(frozen=True, slots=True)
class Label:
    """A value that a person gave to an item of an answer.

    Attributes:
        case: the id of the case.
        answer: the digest of the answer.
        item: the id of the rubric item, or `verdict`.
        wording: the digest of the item as it was labelled; None if the file does not say.
        rater: who gave it, as `person_name` writes it.
        value: the value as it is in the file: 1 may mean that an item is met.
        note: what the rater remarked.
        line: the line in the file, from 1.
        cells: the place of each column that the file has, without quotes.
    """

    case: str
    answer: str
    item: str
    wording: str | None
    rater: str
    value: LabelValue
    note: str
    line: int
    cells: Mapping[str, Span]

    def __post_init__(self) -> None:
        if not self.rater.isascii():
            object.__setattr__(self, "rater", person_name(self.rater))


@dataclass(frozen=True, slots=True)
class LabelProblem:
    """A part of a label file that cannot be read."""

    span: Span
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class LabelFile:
    """The labels of a file, and what of it cannot be read.

    Attributes:
        labels: the labels, in the order of the file.
        problems: what cannot be read, in the order of the file; a row with a problem is not a label.
        unlabeled: the number of rows that nobody has given a value yet.
        format: how it is written.
    """

    labels: tuple[Label, ...]
    problems: tuple[LabelProblem, ...]
    unlabeled: int = 0
    format: LabelFormat = LabelFormat.CSV
