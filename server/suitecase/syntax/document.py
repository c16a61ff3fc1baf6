"""A text as its head and its cases: the unit of parsing, checking and caching is the case."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from suitecase.syntax.compose import (
    AnchorName,
    Composed,
    Problem,
    compose,
    without_garbage_collection,
)
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span
from suitecase.syntax.segment import Split, split


@dataclass(slots=True, eq=False)
class Content:
    """A stretch of text as it parses, independent of where it stands.

    Versions of a document share the contents that did not change; what later layers derive from
    one is kept in `memo`, each under its own key. `lacks_values` and `has_old_readings` are those
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
    memo: dict[str, Any] = field(default_factory=dict)


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


@dataclass(slots=True, eq=False)
class Document:
    """A text with its tree, in parts.

    `list_key` is the scalar under which the cases stand, in the head; None where there is none.
    `segmented` says whether the cases were parsed one by one.
    """

    text: str
    head: Piece
    cases: tuple[Piece, ...]
    list_key: Scalar | None
    list_node: Node | None
    segmented: bool
    _lines: Lines | None = None

    @property
    def lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (self.head, *self.cases)

    @property
    def root(self) -> Mapping | None:
        """The mapping at the top, without the cases where they were parsed one by one."""
        return self.head.node if isinstance(self.head.node, Mapping) else None

    def case_at(self, offset: int) -> int | None:
        """Return the number of the case an offset lies in, counted from 0."""
        if not self.cases:
            return None
        for number, piece in enumerate(self.cases):
            node = piece.node
            if self.segmented:
                if piece.start <= offset < piece.start + len(piece.content.text):
                    return number
            elif node is not None and node.start <= offset <= node.end:
                return number
        return None


def parse(
    text: str,
    list_keys: Collection[str],
    *,
    reuse: Document | None = None,
    segmented: bool = True,
) -> Document:
    """Read a text whose cases stand in a list under one of the keys. Never raises on any text.

    Args:
        text: the text, with any line breaks, with or without a byte order mark.
        list_keys: the names the list of cases may have.
        reuse: an earlier version, whose unchanged parts are taken over.
        segmented: False parses the whole text at once, with the same result, only slower.
    """
    with without_garbage_collection():
        if not segmented or (parts := split(text, list_keys)) is None:
            return _parse_whole(text, list_keys)
        kept = {it.content.text: it.content for it in reuse.pieces} if reuse else {}
        document, equal = _parse_parts(text, parts, list_keys, kept)
        if document is not None and equal:
            return document
        whole = _parse_whole(text, list_keys)
        if document is None or not whole.head.content.broken:
            return whole
        return document if any(it.content.broken for it in document.pieces) else whole


def _parse_parts(
    text: str, parts: Split, list_keys: Collection[str], kept: dict[str, Content]
) -> tuple[Document | None, bool]:
    """Parse head and items; the second value says whether that surely equals the whole."""
    first = parts.items[0]
    head = _content(text[:first] + text[parts.end :], kept)
    root = head.node
    if not isinstance(root, Mapping):
        return None, False
    names = [name for name, _ in root if name in list_keys]
    if len(names) != 1:
        return None, False
    key, value, merged = root.entries[names[0]]
    key_start = parts.key + text.startswith("\ufeff", parts.key)
    if merged or key.start != key_start or value.start != value.end or value.end > first:
        return None, False
    equal = parts.proven and not _needs_the_rest(head)
    cases: list[Piece] = []
    known_anchors = head.anchors
    for start, end in zip(parts.items, (*parts.items[1:], parts.end), strict=True):
        content = _content(text[start:end], kept, item=True)
        if content.unknown_aliases & known_anchors:
            return None, False
        known_anchors |= content.anchors
        equal = equal and not _needs_the_rest(content)
        cases.append(Piece(content, start))
    if head.unknown_aliases & known_anchors:
        return None, False
    piece = Piece(head, 0, first, parts.end - first)
    return Document(text, piece, tuple(cases), key, None, segmented=True), equal


def _needs_the_rest(content: Content) -> bool:
    """Whether text behind this part might change how it parses."""
    return content.open_ended or (content.node is None and not content.broken)


def _parse_whole(text: str, list_keys: Collection[str]) -> Document:
    content = _content(text, {})
    head = Piece(content)
    root = content.node
    cases: tuple[Piece, ...] = ()
    list_key: Scalar | None = None
    list_node: Node | None = None
    if isinstance(root, Mapping):
        entry = next((it for name, it in root if name in list_keys), None)
        if entry:
            list_key, list_node, _ = entry
    if isinstance(list_node, Sequence):
        cases = tuple(
            Piece(Content(text, item, (), content.broken, False, frozenset(), frozenset()))
            for item in list_node.items
        )
    return Document(text, head, cases, list_key, list_node, segmented=False)


def _content(text: str, kept: dict[str, Content], *, item: bool = False) -> Content:
    known = kept.get(text)
    if known is not None:
        return known
    content = _content_of(text, compose(text), item=item)
    kept[text] = content
    return content


def _content_of(text: str, composed: Composed, *, item: bool) -> Content:
    node = composed.root
    if item:
        items = node.items if isinstance(node, Sequence) else []
        node = items[0] if len(items) == 1 else None
    return Content(
        text,
        node,
        tuple(composed.problems),
        composed.broken,
        composed.open_ended,
        composed.anchors,
        composed.unknown_aliases,
        tuple(composed.anchor_names),
        lacks_values=composed.lacks_values,
        has_old_readings=composed.has_old_readings,
    )
