"""What an alias stands for, and how often an anchor is used."""

from __future__ import annotations

from textwrap import dedent

from suitecase.ide.comments import own_pieces_at
from suitecase.ide.markdown import code, cut_text, fenced
from suitecase.syntax.composed import AnchorName
from suitecase.syntax.document import Document, Piece
from suitecase.syntax.lines import LINE_BREAK
from suitecase.syntax.node import Span

_LONGEST = 1_500


def alias_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the place of the alias or anchor at an offset and what to say; None where none is."""
    for piece in own_pieces_at(document, offset):
        names = piece.content.anchor_names
        for it in names:
            # The sign before the name is part of it to whoever points there.
            span = piece.absolute(Span(it.span.start - 1, it.span.end))
            if span.start <= offset <= span.end and it.number is not None:
                return span, _said(document, piece, it)
    return None


def _said(document: Document, piece: Piece, name: AnchorName) -> str:
    same = [it for it in piece.content.anchor_names if it.number == name.number]
    if name.defines:
        count = len(same) - 1
        times = {0: "nowhere", 1: "once", 2: "twice"}.get(count, f"{count} times")
        return (
            f"**{code(f'&{name.name}')}** names this value; `*{name.name}` stands for it {times}."
        )
    anchor = next(it for it in same if it.defines).span
    line = document.lines.number(piece.offset(anchor.start))
    shown = fenced(cut_text(_anchored(piece.content.text, anchor), _LONGEST), "yaml")
    return f"**{code(f'*{name.name}')}** stands for `&{name.name}` in line {line}:\n\n{shown}"


def _anchored(text: str, anchor: Span) -> str:
    """Return the lines that an anchor names: its own, and those indented deeper."""
    start = max(text.rfind("\n", 0, anchor.start), text.rfind("\r", 0, anchor.start)) + 1
    # Only as many lines as can be shown.
    first, *rest = LINE_BREAK.split(text[start : anchor.end + 2 * _LONGEST])
    indent = len(first) - len(first.lstrip(" "))
    is_last = not text[anchor.end :].split("\n", 1)[0].strip()
    kept = [first]
    for line in rest:
        deep = len(line) - len(line.lstrip(" "))
        in_list = is_last and deep == indent and line.lstrip(" ").startswith("-")
        if line.strip() and deep <= indent and not in_list:
            break
        kept.append(line)
    return dedent("\n".join(kept)).strip()
