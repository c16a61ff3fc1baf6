"""A text as its head and its cases: the unit of parsing, checking and caching is the case."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from suitecase.text.cache import Cache
from suitecase.text.case_index import CaseIndex
from suitecase.text.composed import AnchorName, Problem
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, Span


@dataclass(slots=True, eq=False)
class Content:
    """A parsed stretch of text, independent of its place.

    Versions of a document share unchanged contents; values that other layers derive from one are in
    `derived`, by the cache of that layer. `lacks_values` and `has_old_readings` are those of
    `Composed`, and True if unknown.
    """

    text: str
    node: Node | None
    problems: tuple[Problem, ...]
    broken: bool
    open_ended: bool
    anchors: frozenset[str]
    unknown_aliases: frozenset[str]
    anchor_names: tuple[AnchorName, ...] = ()
    lacks_values: bool = True
    has_old_readings: bool = True
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    def apart(self) -> Content:
        """Return a copy with its own derived values: for another reading of the text."""
        return Content(
            *(self.text, self.node, self.problems, self.broken, self.open_ended),
            *(self.anchors, self.unknown_aliases, self.anchor_names),
            lacks_values=self.lacks_values,
            has_old_readings=self.has_old_readings,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A content in its place: the head of a document, or a case.

    The content's offsets are relative to `start`; those from `gap_at` on are shifted by `gap`, where
    the items of the list are left out of the head.
    """

    content: Content
    start: int = 0
    gap_at: int | None = None
    gap: int = 0

    @property
    def node(self) -> Node | None:
        return self.content.node

    def absolute(self, span: Span) -> Span:
        """Return the span in the document of a span in this piece."""
        start = self.offset(span.start)
        return Span(start, max(start, self.offset(span.end, end=True)))

    def offset(self, place: int, *, end: bool = False) -> int:
        """Return the offset in the document of an offset in this piece; an `end` precedes the gap."""
        if self.gap_at is None or self.gap_at == len(self.content.text):
            return self.start + place
        return self.start + place + (self.gap if place >= self.gap_at + end else 0)


class Pieces(Sequence[Piece]):
    """Consecutive contents as pieces, each created on demand.

    Args:
        contents: the contents.
        starts: where each starts.
    """

    __slots__ = ("contents", "starts")

    def __init__(self, contents: Sequence[Content], starts: Sequence[int]) -> None:
        self.contents = contents
        self.starts = starts

    def __len__(self) -> int:
        return len(self.contents)

    @overload
    def __getitem__(self, number: int) -> Piece: ...
    @overload
    def __getitem__(self, number: slice) -> Pieces: ...
    def __getitem__(self, number: int | slice) -> Piece | Pieces:
        if isinstance(number, slice):
            return Pieces(self.contents[number], self.starts[number])
        return Piece(self.contents[number], self.starts[number])

    def __iter__(self) -> Iterator[Piece]:
        return map(Piece, self.contents, self.starts)

    def new_index(self) -> CaseIndex[Content]:
        """Return a new index of the contents."""
        return CaseIndex(self.contents)

    def touching(self, span: Span) -> range:
        """Return the numbers of the pieces that a stretch overlaps or touches."""
        first = max(bisect_left(self.starts, span.start) - 1, 0)
        return range(first, bisect_right(self.starts, span.end))

    def first_lines(self, lines: Lines) -> list[int] | None:
        """Return the line that each piece starts at; None if not all start a line."""
        starting = dict(zip(lines.starts, lines.first_lines, strict=True))
        found = [starting.get(start) for start in self.starts]
        known = [it for it in found if it is not None]
        return known if len(known) == len(found) else None

    def at(self, offset: int) -> int | None:
        """Return the number of the piece at an offset."""
        number = bisect_right(self.starts, offset) - 1
        if number < 0 or offset >= self.starts[number] + len(self.contents[number].text):
            return None
        return number


@dataclass(slots=True, eq=False)
class Document:
    """A text with its tree, in parts.

    `list_key` is the key of the list of cases in the head, if any. `segmented` is whether the cases
    were parsed one by one. `indent` is the indentation of their items, if parsing them one by one
    is proven to give the same result. `root_list` is whether the cases are the items of a list at
    the root of the text, which has no head then.
    """

    lines: Lines
    head: Piece
    cases: Pieces
    list_key: Scalar | None
    list_node: Node | None
    segmented: bool
    indent: int | None = None
    root_list: bool = False
    #: The last version that was parsed case by case, if this one was not.
    apart: Document | None = None
    #: The index of the contents of the cases.
    case_index: CaseIndex[Content] = field(init=False)

    def __post_init__(self) -> None:
        self.case_index = self.cases.new_index()

    @property
    def text(self) -> str:
        return str(self.lines)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (self.head, *self.cases)

    @property
    def root(self) -> Mapping | None:
        """The top-level mapping, without the cases if they were parsed one by one."""
        return self.head.node if isinstance(self.head.node, Mapping) else None

    def problems(self) -> Iterator[tuple[Piece, Problem]]:
        """Yield the problems of the text, with the part that their places are relative to."""
        for number in (None, *self.case_index.numbers(_has_problems)):
            piece = self.head if number is None else self.cases[number]
            for problem in piece.content.problems:
                yield piece, problem

    @property
    def starts_with_head(self) -> bool:
        """Whether text of the head, if only a comment, stands before the first case."""
        return not self.cases or self.cases[0].start > 0

    @property
    def broken(self) -> bool:
        """Whether a part of the text does not parse."""
        return self.head.content.broken or self.case_index.any(is_broken)

    def case_at(self, offset: int) -> int | None:
        """Return the number of the case at an offset, from 0."""
        if self.segmented:
            return self.cases.at(offset)
        for number, content in enumerate(self.cases.contents):
            node = content.node
            if node is not None and node.start <= offset <= node.end:
                return number
        return None


def is_broken(content: Content) -> bool:
    """Whether a content does not parse."""
    return content.broken


def _has_problems(content: Content) -> bool:
    return bool(content.problems)
