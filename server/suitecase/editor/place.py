"""The position of a cursor in a suite."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.schema.fields import Field, field_at
from suitecase.text.document import Piece
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.targets.config import TargetsFile


@dataclass(frozen=True, slots=True)
class Place:
    """A key or a scalar of a suite.

    Attributes:
        case: the number of its case, from 0; None in the head.
        model: the model of `root`.
        root: the case or the head, in the current format.
        path: the keys and indexes from `root` to it.
        value: the node.
        key: its key; None for an item of a list.
        on_key: whether the cursor is on the key.
        span: the key or scalar at the cursor, in the document.
    """

    case: int | None
    model: type[BaseModel]
    root: Mapping
    path: tuple[str | int, ...]
    value: Node
    key: Scalar | None
    on_key: bool
    span: Span

    @property
    def field(self) -> Field | None:
        """The field of the key; None for an item of a list, and if keys are free."""
        return field_at(self.model, self.root, self.path) if self.key is not None else None


def place_at(suite: ParsedSuite, offset: int) -> Place | None:
    """Return the key or scalar at an offset of the document; None if there is none."""
    if suite.kind == "dataset" and suite.document.case_at(offset) is None:
        return None  # its head is in another file
    number = suite.document.case_at(offset)
    model: type[BaseModel] = SuiteHead
    piece, root = suite.document.head, suite.head.node
    if number is not None:
        model, piece, root = Case, suite.document.cases[number], suite.cases[number].node
    return place_in(number, model, root, piece, offset)


def place_in_targets(targets: ParsedTargets, offset: int) -> Place | None:
    """Return the key or scalar at an offset of a targets file; None if there is none."""
    return place_in(None, TargetsFile, targets.node, targets.document.head, offset)


def place_in(
    number: int | None, model: type[BaseModel], root: Mapping | None, piece: Piece, offset: int
) -> Place | None:
    """Return the key or scalar of a part at an offset of the document; None if there is none.

    Args:
        number: the number of the case that the part is, from 0; None for the head.
        model: the model of the part.
        root: its mapping.
        piece: its text.
        offset: in the document.
    """
    if root is None:
        return None
    location = _deepest(root, within(piece, offset), ())
    if location is None:
        return None
    path, key, value, on_key = location
    span = key.span if on_key and key is not None else value.span
    return Place(number, model, root, path, value, key, on_key, piece.absolute(span))


def within(piece: Piece, offset: int) -> int:
    """Convert an offset of the document to one of the piece; the inverse of `Piece.offset`."""
    if piece.gap_at is not None and offset >= piece.gap_at + piece.gap:
        offset -= piece.gap
    return offset - piece.start


_Found = tuple[tuple[str | int, ...], Scalar | None, Node, bool]


def _deepest(node: Node, offset: int, path: tuple[str | int, ...]) -> _Found | None:
    """Return path, key and value at an offset, and whether it is on the key.

    Values come before their keys: a mapping generated from legacy syntax has the span of its
    original key.
    """
    if isinstance(node, Scalar):
        return None
    steps: list[tuple[str | int, Scalar | None, Node]]
    if isinstance(node, Mapping):
        steps = [(name, it.key, it.value) for name, it in node if not it.merged]
    else:
        steps = [(number, None, it) for number, it in enumerate(node.items)]
    for step, key, value in steps:
        inside = value.start <= offset <= value.end
        if inside and (found := _deepest(value, offset, (*path, step))):
            return found
        if key is not None and key.start <= offset <= key.end:
            return (*path, step), key, value, True
        if inside and isinstance(value, Scalar):
            return (*path, step), key, value, False
    return None
