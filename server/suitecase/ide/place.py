"""Where in a suite a cursor stands."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from suitecase.suite.fields import Field, field_at
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.target_files import ParsedTargets
from suitecase.syntax.document import Piece
from suitecase.syntax.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.targets.config import TargetsFile


@dataclass(frozen=True, slots=True)
class Place:
    """A key or a scalar of a suite.

    Attributes:
        case: the number of the case it is in, from 0; None in the head.
        model: what `root` is written for.
        root: the case or the head, as today's format spells it.
        path: the keys and indexes that lead from `root` to it.
        value: what stands there.
        key: the key it stands under; None for an item of a list.
        on_key: whether the cursor is on the key.
        span: the key or the scalar the cursor is on, in the document.
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
        """The field of the key; None for an item of a list, and where keys are free."""
        return field_at(self.model, self.root, self.path) if self.key is not None else None


def place_at(suite: ParsedSuite, offset: int) -> Place | None:
    """Return what stands at an offset of the document; None where no key or scalar does."""
    if suite.kind == "dataset" and suite.document.case_at(offset) is None:
        return None  # its head is another file
    number = suite.document.case_at(offset)
    model: type[BaseModel] = SuiteHead
    piece, root = suite.document.head, suite.head.node
    if number is not None:
        model, piece, root = Case, suite.document.cases[number], suite.cases[number].node
    return _place(number, model, root, piece, offset)


def place_in_targets(targets: ParsedTargets, offset: int) -> Place | None:
    """Return what stands at an offset of a targets file; None where no key or scalar does."""
    return _place(None, TargetsFile, targets.node, targets.document.head, offset)


def _place(
    number: int | None, model: type[BaseModel], root: Mapping | None, piece: Piece, offset: int
) -> Place | None:
    if root is None:
        return None
    found = _deepest(root, within(piece, offset), ())
    if found is None:
        return None
    path, key, value, on_key = found
    span = key.span if on_key and key is not None else value.span
    return Place(number, model, root, path, value, key, on_key, piece.absolute(span))


def within(piece: Piece, offset: int) -> int:
    """Return an offset of the document as the piece counts it; the reverse of `Piece.offset`."""
    if piece.gap_at is not None and offset >= piece.gap_at + piece.gap:
        offset -= piece.gap
    return offset - piece.start


_Found = tuple[tuple[str | int, ...], Scalar | None, Node, bool]


def _deepest(node: Node, offset: int, path: tuple[str | int, ...]) -> _Found | None:
    """Return path, key and value at an offset, and whether it is on the key.

    Values are looked at before their keys: where an older spelling was nested into a mapping of
    today's, the mapping has the place of the key it was made of.
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
