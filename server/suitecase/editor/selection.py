"""Expanding a selection step by step: word, text, pair, item, case, list, file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.comments import comments_in, own_pieces
from suitecase.editor.folding import items_with_dashes
from suitecase.editor.place import within
from suitecase.text.document import Document, Piece
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Mapping, Node, Scalar, Span

_WORD = re.compile(r"\w+")
_VARIABLE = re.compile(r"\$?\{\{[^{}\r\n]*\}\}")
_BLANKS = " \t\r\n"
#: In a longer line, only this much around the cursor is searched for words.
_NEAR = 1_000


def selections(document: Document, offset: int) -> list[Span]:
    """Return the spans around an offset, from the innermost to the whole text, each larger than the
    last.
    """
    offset = max(0, min(offset, len(document.text)))
    candidates = {Span(0, len(document.text)), *_around(document, offset)}
    nested: list[Span] = []
    for span in sorted(candidates, key=lambda it: (it.end - it.start, it.start)):
        inside = not nested or (span.start <= nested[-1].start and nested[-1].end <= span.end)
        if span.start <= offset <= span.end and span.end > span.start and inside:
            nested.append(span)
    return nested or [Span(0, len(document.text))]


def _around(document: Document, offset: int) -> Iterator[Span]:
    text = document.text
    yield from _words(text, offset)
    piece = document.head
    if document.segmented and (number := document.case_at(offset)) is not None:
        piece = document.cases[number]
        source = piece.content.text
        blank = len(source) - len(source.lstrip(_BLANKS))
        yield Span(piece.start + blank, piece.start + len(source.rstrip(_BLANKS)))
    if document.segmented and document.cases:
        yield from _list(document)
    yield from _in_comments(document, offset)
    if piece.node is not None:
        for span in _enclosing(piece.node, piece, within(piece, offset)):
            yield piece.absolute(span)


def _words(text: str, offset: int) -> Iterator[Span]:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset), offset - _NEAR - 1) + 1
    line_break = LINE_BREAK.search(text, offset, offset + _NEAR)
    end = line_break.start() if line_break else min(len(text), offset + _NEAR)
    for pattern in (_WORD, _VARIABLE):
        for match in pattern.finditer(text, start, end):
            if match.start() <= offset <= match.end():
                yield Span(*match.span())


def _list(document: Document) -> Iterator[Span]:
    """Yield the span of the cases, and of the cases with their key."""
    first, last = document.cases[0], document.cases[-1]
    source = first.content.text
    start = first.start + len(source) - len(source.lstrip(_BLANKS))
    end = last.start + len(last.content.text.rstrip(_BLANKS))
    yield Span(start, end)
    if document.list_key is not None:
        yield Span(document.head.absolute(document.list_key.span).start, end)


def _in_comments(document: Document, offset: int) -> Iterator[Span]:
    """Yield the comment at an offset, and the block of comments around it."""
    lines = document.lines
    line = lines.position(offset)[0]
    if "#" not in lines.text(line):
        return
    own: dict[int, Span] = {}
    for piece in own_pieces(document):
        for comment in comments_in(piece.content):
            span = piece.absolute(comment)
            own[lines.position(span.start)[0]] = span
    comment_span = own.get(line)
    if comment_span is None or not comment_span.start <= offset <= comment_span.end:
        return
    yield comment_span
    if lines.text(line).lstrip(" \t\ufeff").startswith("#"):
        first = last = line
        while first - 1 in own and lines.text(first - 1).lstrip(" \t\ufeff").startswith("#"):
            first -= 1
        while last + 1 in own and lines.text(last + 1).lstrip(" \t").startswith("#"):
            last += 1
        yield Span(own[first].start, own[last].end)


def _enclosing(root: Node, piece: Piece, offset: int) -> Iterator[Span]:
    """Yield the nodes, pairs and items that contain an offset of a piece."""
    text = piece.content.text
    node: Node | None = root
    while node is not None:
        yield node.span
        current, node = node, None
        if isinstance(current, Scalar):
            yield from _in_scalar(current, text, offset)
        elif isinstance(current, Mapping):
            for _, entry in current:
                if not entry.merged and entry.key.start <= offset <= entry.value.end:
                    yield Span(entry.key.start, entry.value.end)
                    on_key = offset <= entry.key.end
                    if not on_key and offset < entry.value.start:
                        continue  # between the key and its value
                    node = entry.key if on_key else entry.value
        else:
            for span, item in items_with_dashes(current, text):
                if span.start <= offset <= span.end:
                    yield span
                    if item.start <= offset:
                        node = item


def _in_scalar(scalar: Scalar, text: str, offset: int) -> Iterator[Span]:
    if scalar.style in ("'", '"') and scalar.end - scalar.start >= 2:
        yield Span(scalar.start + 1, scalar.end - 1)
    scalar_text = text[scalar.start : scalar.end]
    if "\n" not in scalar_text:
        return
    if scalar.style in ("|", ">"):
        header = LINE_BREAK.search(text, scalar.start, scalar.end)
        body = header.end() if header else scalar.end
        blank = len(text[body : scalar.end]) - len(text[body : scalar.end].lstrip(_BLANKS))
        yield Span(body + blank, scalar.end)
    start = max(text.rfind("\n", scalar.start, offset) + 1, scalar.start)
    line_break = LINE_BREAK.search(text, offset, scalar.end)
    line = text[start : line_break.start() if line_break else scalar.end]
    blank = len(line) - len(line.lstrip(" \t"))
    yield Span(start + blank, start + len(line.rstrip()))
