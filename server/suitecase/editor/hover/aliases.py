"""Hovers on aliases and anchors."""

from __future__ import annotations

from textwrap import dedent

from suitecase.editor.comments import own_pieces_at
from suitecase.editor.markdown import code, cut_text, fenced
from suitecase.text.composed import AnchorName
from suitecase.text.document import Document, Piece
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Span

_LONGEST = 1_500


def alias_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the span and the text of the alias or anchor at an offset; None if there is none."""
    for piece in own_pieces_at(document, offset):
        names = piece.content.anchor_names
        for name in names:
            # The sign before the name is part of what users point at.
            span = piece.absolute(Span(name.span.start - 1, name.span.end))
            if span.start <= offset <= span.end and name.number is not None:
                return span, _description(document, piece, name)
    return None


def _description(document: Document, piece: Piece, name: AnchorName) -> str:
    occurrences = [
        anchor_name
        for anchor_name in piece.content.anchor_names
        if anchor_name.number == name.number
    ]
    if name.defines:
        count = len(occurrences) - 1
        times = {0: "nowhere", 1: "once", 2: "twice"}.get(count, f"{count} times")
        return (
            f"**{code(f'&{name.name}')}** names this value; `*{name.name}` stands for it {times}."
        )
    anchor = next(occurrence for occurrence in occurrences if occurrence.defines).span
    line = document.lines.number(piece.offset(anchor.start))
    excerpt = fenced(cut_text(_anchored(piece.content.text, anchor), _LONGEST), "yaml")
    return f"**{code(f'*{name.name}')}** stands for `&{name.name}` in line {line}:\n\n{excerpt}"


def _anchored(text: str, anchor: Span) -> str:
    """Return the lines an anchor names: its own, and the more indented ones after it."""
    start = max(text.rfind("\n", 0, anchor.start), text.rfind("\r", 0, anchor.start)) + 1
    # Only as many lines as are shown.
    first, *rest = LINE_BREAK.split(text[start : anchor.end + 2 * _LONGEST])
    indent = len(first) - len(first.lstrip(" "))
    is_last = not text[anchor.end :].split("\n", 1)[0].strip()
    block = [first]
    for line in rest:
        deep = len(line) - len(line.lstrip(" "))
        in_list = is_last and deep == indent and line.lstrip(" ").startswith("-")
        if line.strip() and deep <= indent and not in_list:
            break
        block.append(line)
    return dedent("\n".join(block)).strip()
