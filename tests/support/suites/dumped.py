"""Trees of documents as plain data, for comparisons."""

from __future__ import annotations

from typing import Any

from suitecase.text.document import Piece
from suitecase.text.node import Mapping, Node, Scalar, Span


def dump(node: Node, piece: Piece) -> Any:
    """Return a tree with places in the document."""
    span = piece.absolute(node.span)
    if isinstance(node, Scalar):
        return span, node.text, node.style, node.tag
    if isinstance(node, Mapping):
        entries = [
            (name, dump(it.key, piece), dump(it.value, piece), it.merged) for name, it in node
        ]
        return span, node.flow, entries
    return span, node.flow, [dump(it, piece) for it in node.items]


def in_range(span: Span, text: str) -> None:
    """Assert that a place is one of the text."""
    assert 0 <= span.start <= span.end <= len(text), (span, len(text))
