"""Completion of aliases after `*`, and of merge keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.comments import own_pieces
from suitecase.editor.completion.cursor import in_comment, is_in_quotes, line_end, line_start
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.text.document import Document
from suitecase.text.node import Span

#: An alias where a value may be; `<<`, or part of it, where a key may be.
_ALIAS = re.compile(r"(?:^|[\[{,:?-][ \t]+|^[ \t]*|[\[{,])\*(?P<name>[^\s,\[\]{}]*)\Z")
_MERGE = re.compile(r"^\ufeff?[ ]*(?:-[ ]+)*(?P<merge><<?(?::[ \t]+)?)\Z")
#: What stands before an alias that is merged.
_MERGED = re.compile(r"<<:[ \t]+(?:\[[^\[\]]*+)?\Z")
_NAME = re.compile(r"[^\s,\[\]{}]*")
#: What follows an anchor of a mapping: a brace, or a key on a line below.
_MAPPING = re.compile(
    r"[ \t]*+(?:\{|(?:#[^\r\n]*+)?(?:[\r\n][ \t]*+(?:#[^\r\n]*+)?(?=[\r\n]))*+[\r\n][ ]*+"
    r"(?!-[ \t])[\"']?[^\s#\"':][^\r\n:]*+:(?:[ \t\r\n]|\Z))"
)


def aliases(document: Document, offset: int) -> list[Item] | None:
    """Return the anchors an alias at the cursor can refer to; None if the cursor is not in an
    alias.
    """
    text = document.text
    line = text[line_start(text, offset) : offset]
    alias = _ALIAS.search(line)
    rest_of_line = text[offset : line_end(text, offset)].strip(" \t")
    merge = _MERGE.search(line) if not rest_of_line or rest_of_line.startswith("#") else None
    if (alias is None and merge is None) or in_comment(text, offset) or is_in_quotes(line):
        return None
    merges = alias is None or _MERGED.search(line[: alias.start("name") - 1]) is not None
    names = [
        name for name, end in _anchors(document, offset) if not merges or _MAPPING.match(text, end)
    ]
    anchor_names = dict.fromkeys(reversed(names))  # the nearest first
    if merge is not None:
        span = Span(offset - len(merge["merge"]), offset)
        return [
            _item(anchor_name, f"<<: *{anchor_name}", "merges the keys of an anchor", span)
            for anchor_name in anchor_names
        ]
    prefix_length = len(alias["name"]) if alias is not None else 0
    rest = _NAME.match(text, offset)
    span = Span(offset - prefix_length, rest.end() if rest else offset)
    return [_item(anchor_name, anchor_name, "anchor", span) for anchor_name in anchor_names]


def _item(name: str, label: str, detail: str, span: Span) -> Item:
    return Item(label=label, kind=ItemKind.NAME, template=(label,), detail=detail, span=span)


def _anchors(document: Document, offset: int) -> Iterator[tuple[str, int]]:
    """Yield the names of the anchors before the cursor, with their ends, without those the cursor
    is inside.
    """
    text = document.text
    for piece in own_pieces(document):
        if piece.start > offset:
            return
        for anchor in piece.content.anchor_names:
            end = piece.offset(anchor.span.end)
            if anchor.defines and end < offset and not _encloses(text, end, offset):
                yield anchor.name, end


def _encloses(text: str, anchor: int, offset: int) -> bool:
    """Whether the anchored value extends to the cursor, judged by indentation."""
    start = line_start(text, anchor)
    if not text[anchor : line_end(text, anchor)].strip(" \t"):
        column = _indent(text[start:anchor])
        lines = text[line_end(text, anchor) : offset].splitlines()
        return all(_indent(line) > column for line in lines if line.strip())
    return line_start(text, offset) == start


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
