"""The comments of a document."""

from __future__ import annotations

import re

from suitecase.format.comments import span_around, texts_with_hash
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document, Piece
from suitecase.text.node import Span

_COMMENT = re.compile(r"(?:^|(?<=[ \t\r\n\ufeff]))#[^\r\n]*")
_COMMENTS: Cache[tuple[Span, ...]] = Cache()


def comments_in(content: Content) -> tuple[Span, ...]:
    """Return the comments of a piece, each from its `#` to the end of the line; cached."""
    return _COMMENTS.of(content, _comments, content)


def _comments(content: Content) -> tuple[Span, ...]:
    if "#" not in content.text:
        return ()
    texts = texts_with_hash(content)
    return tuple(
        Span(*match.span())
        for match in _COMMENT.finditer(content.text)
        if span_around(texts, match.start()) is None
    )


def own_pieces_at(document: Document, offset: int) -> tuple[Piece, ...]:
    """Return the pieces of a document that may contain an offset."""
    if not document.segmented:
        return (document.head,)
    numbers = document.cases.touching(Span(offset, offset))
    return (document.head, *(document.cases[number] for number in numbers))


def own_pieces(document: Document) -> tuple[Piece, ...]:
    """Return the pieces that make up a document's text, without overlap.

    If a document was parsed as a whole, its cases are part of the head.
    """
    return document.pieces if document.segmented else (document.head,)
