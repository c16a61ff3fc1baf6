"""Folding ranges of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from suitecase.editor.comments import comments_in
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

_FOLDS: Cache[list[tuple[int, int, int]]] = Cache()
#: Pairs of comments that mark a region, as in other editors.
_REGION = re.compile(r"#[ \t]*(end)?region\b", re.IGNORECASE)
_BLANKS = " \t\r\n"
#: From the end of a block list's item to the dash of the next.
_TO_DASH = re.compile(r"(?:[ \t\r\n\ufeff]|(?<![^ \t\r\n])#[^\r\n]*+)*+-")


class FoldKind(StrEnum):
    """The kind of a fold; editors have commands for some of them."""

    CODE = "code"
    COMMENT = "comment"
    REGION = "region"


@dataclass(frozen=True, slots=True)
class Fold:
    """The first line, which stays visible, to the last hidden one, counted from 0.

    `depth` is the nesting depth, so that clients with a limit get the outermost folds.
    """

    first: int
    last: int
    kind: FoldKind
    depth: int


def folds(document: Document) -> list[Fold]:
    """Return the folds: cases, lists, mappings, multi-line texts, comments, regions.

    In a broken document, what still parses keeps its folds, and a case that does not parse is
    folded as a whole.
    """
    all_folds = folds_beside_cases(document)
    if document.segmented:
        for piece in document.cases:
            base = document.lines.position(piece.start)[0]
            all_folds += (
                Fold(base + first, base + last, FoldKind.CODE, depth)
                for first, last, depth in folds_of_case(piece.content)
            )
    return sorted(_longest(all_folds), key=lambda it: (it.first, -it.last))


def folds_beside_cases(document: Document) -> list[Fold]:
    """Return the folds other than those of segmented cases, including comments."""
    lines = document.lines
    result: list[Fold] = []
    if document.segmented and document.list_key is not None and document.cases:
        last = document.cases[-1]
        start = document.head.absolute(document.list_key.span).start
        end = last.start + len(last.content.text.rstrip(_BLANKS))
        result.append(Fold(lines.position(start)[0], lines.position(end)[0], FoldKind.CODE, 0))
    head = document.head
    for span, depth in _spans(head.content, in_list=False):
        start, end = head.offset(span.start), head.offset(span.end, end=True)
        result.append(Fold(lines.position(start)[0], lines.position(end)[0], FoldKind.CODE, depth))
    result += _comment_folds(document)
    return _longest(result)


def folds_of_case(content: Content) -> list[tuple[int, int, int]]:
    """Return the folds in a case as first line, last line and depth; cached by its text.

    Lines are relative to the first line of the case.
    """
    return _FOLDS.of(content, _folds_of_case, content)


def _folds_of_case(content: Content) -> list[tuple[int, int, int]]:
    own = Lines(content.text)
    inside = [
        Fold(own.position(span.start)[0], own.position(span.end)[0], FoldKind.CODE, depth)
        for span, depth in _spans(content, in_list=True)
    ]
    inside = sorted(_longest(inside), key=lambda it: (it.first, -it.last))
    return [(it.first, it.last, it.depth) for it in inside]


def _longest(folds: Iterable[Fold]) -> list[Fold]:
    """Return the folds of more than one line; of those with the same first line, the longest.

    Users could not tell them apart.
    """
    by_line: dict[int, Fold] = {}
    for fold in folds:
        if fold.last > fold.first:
            current = by_line.get(fold.first)
            if current is None or current.last < fold.last:
                by_line[fold.first] = fold
    return list(by_line.values())


def _spans(content: Content, *, in_list: bool) -> Iterator[tuple[Span, int]]:
    text = content.text
    if in_list:
        node = content.node
        end = node.end if node is not None and not content.broken else len(text.rstrip(_BLANKS))
        yield Span(len(text) - len(text.lstrip(_BLANKS)), end), 1
    if content.node is not None:
        yield from _inside(content.node, text, 1 + in_list)


def _inside(node: Node, text: str, depth: int) -> Iterator[tuple[Span, int]]:
    """Yield the folds inside a node: each entry and item of more than one line."""
    remaining: list[tuple[Node, int]] = [(node, depth)]
    while remaining:
        current, depth = remaining.pop()
        if isinstance(current, Mapping):
            for _, entry in current:
                if not entry.merged and "\n" in text[entry.key.start : entry.value.end]:
                    yield Span(entry.key.start, entry.value.end), depth
                    remaining.append((entry.value, depth + 1))
        elif isinstance(current, Sequence):
            for span, item in items_with_dashes(current, text):
                if "\n" in text[span.start : span.end]:
                    if not isinstance(item, Scalar):
                        yield span, depth
                    remaining.append((item, depth + 1))


def items_with_dashes(node: Sequence, text: str) -> Iterator[tuple[Span, Node]]:
    """Yield each item of a list with its span, which in block lists begins at the dash."""
    before = node.start
    for item in node.items:
        start = item.start
        if not node.flow:
            dash = _TO_DASH.match(text, before, max(item.start, before))
            start = dash.end() - 1 if dash else item.start
        yield Span(start, max(item.end, start)), item
        before = max(item.end, before)


def _comment_folds(document: Document) -> Iterator[Fold]:
    """Yield blocks of full-line comments, and regions."""
    lines = document.lines
    alone: list[int] = []
    marks: list[tuple[int, bool]] = []
    commented = document.case_index.numbers(_has_comments) if document.segmented else []
    for piece in (document.head, *(document.cases[it] for it in commented)):
        for comment in comments_in(piece.content):
            line, column = lines.position(piece.offset(comment.start))
            text = lines.text(line)
            if text[:column].strip(" \t\ufeff"):
                continue
            mark = _REGION.match(text, column)
            if mark:
                marks.append((line, mark[1] is None))
            else:
                alone.append(line)
    first = last = -2
    for line in [*sorted(alone), -9]:
        if line != last + 1:
            if last > first >= 0:
                yield Fold(first, last, FoldKind.COMMENT, 1)
            first = line
        last = line
    opened: list[int] = []
    for line, opens in sorted(marks):
        if opens:
            opened.append(line)
        elif opened:
            yield Fold(opened.pop(), line, FoldKind.REGION, 0)


def _has_comments(content: Content) -> bool:
    return bool(comments_in(content))
