"""A text as its head and its cases: the unit of parsing, checking and caching is the case."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from suitecase.syntax.cache import Cache
from suitecase.syntax.case_index import CaseIndex
from suitecase.syntax.composed import AnchorName, Problem
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Mapping, Node, Scalar, Span


@dataclass(slots=True, eq=False)
class Content:
    """A stretch of text as it parses, independent of where it stands.

    Versions of a document share the contents that did not change; what later layers derive from
    one is in `derived`, by the cache of that layer. `lacks_values` and `has_old_readings` are those
    of `Composed`, and True where nobody knows.
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


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A content in its place: the head of a document, or a case.

    The content's offsets count from `start`; those from `gap_at` on lie `gap` further, where the
    items of the list were taken out of the head.
    """

    content: Content
    start: int = 0
    gap_at: int | None = None
    gap: int = 0

    @property
    def node(self) -> Node | None:
        return self.content.node

    def absolute(self, span: Span) -> Span:
        """Return where in the document a span of this piece lies."""
        start = self.offset(span.start)
        return Span(start, max(start, self.offset(span.end, end=True)))

    def offset(self, place: int, *, end: bool = False) -> int:
        """Return where in the document an offset lies; an `end` belongs to what is before it."""
        if self.gap_at is None or self.gap_at == len(self.content.text):
            return self.start + place
        return self.start + place + (self.gap if place >= self.gap_at + end else 0)


class Pieces(Sequence[Piece]):
    """Contents one behind the other, as pieces, each made when it is asked for.

    Args:
        contents: the contents.
        starts: where each starts.
    """

    __slots__ = ("_starts", "contents")

    def __init__(self, contents: tuple[Content, ...], starts: Sequence[int]) -> None:
        self.contents = contents
        self._starts = starts

    def __len__(self) -> int:
        return len(self.contents)

    @overload
    def __getitem__(self, number: int) -> Piece: ...
    @overload
    def __getitem__(self, number: slice) -> Pieces: ...
    def __getitem__(self, number: int | slice) -> Piece | Pieces:
        if isinstance(number, slice):
            return Pieces(self.contents[number], self._starts[number])
        return Piece(self.contents[number], self._starts[number])

    def __iter__(self) -> Iterator[Piece]:
        return map(Piece, self.contents, self._starts)

    def touching(self, span: Span) -> range:
        """Return the numbers of the pieces that a stretch lies in, or ends at."""
        first = max(bisect_left(self._starts, span.start) - 1, 0)
        return range(first, bisect_right(self._starts, span.end))

    def first_lines(self, lines: Lines) -> list[int] | None:
        """Return the line that each piece starts, in the text they are of; None if not all do."""
        starting = dict(zip(lines.starts, lines.first_lines, strict=True))
        found = [starting.get(it) for it in self._starts]
        known = [it for it in found if it is not None]
        return known if len(known) == len(found) else None

    def at(self, offset: int) -> int | None:
        """Return the number of the piece that an offset lies in."""
        number = bisect_right(self._starts, offset) - 1
        if number < 0 or offset >= self._starts[number] + len(self.contents[number].text):
            return None
        return number


@dataclass(slots=True, eq=False)
class Document:
    """A text with its tree, in parts.

    `list_key` is the scalar under which the cases stand, in the head; None where there is none.
    `segmented` says whether the cases were parsed one by one. `indent` is how far their items are
    indented, where that is proven to be the same as parsing the whole.
    """

    lines: Lines
    head: Piece
    cases: Pieces
    list_key: Scalar | None
    list_node: Node | None
    segmented: bool
    indent: int | None = None
    #: The last version that was parsed case by case, where this one is not.
    apart: Document | None = None
    #: What is to be said of the contents of the cases one by one.
    case_index: CaseIndex[Content] = field(init=False)

    def __post_init__(self) -> None:
        self.case_index = CaseIndex(self.cases.contents)

    @property
    def text(self) -> str:
        return str(self.lines)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (self.head, *self.cases)

    @property
    def root(self) -> Mapping | None:
        """The mapping at the top, without the cases where they were parsed one by one."""
        return self.head.node if isinstance(self.head.node, Mapping) else None

    def problems(self) -> Iterator[tuple[Piece, Problem]]:
        """Yield what is wrong with the text, with the part that the places count in."""
        for number in (None, *self.case_index.numbers(_has_problems)):
            piece = self.head if number is None else self.cases[number]
            for problem in piece.content.problems:
                yield piece, problem

    @property
    def broken(self) -> bool:
        """Whether a part of the text does not parse."""
        return self.head.content.broken or self.case_index.any(is_broken)

    def case_at(self, offset: int) -> int | None:
        """Return the number of the case an offset lies in, counted from 0."""
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
