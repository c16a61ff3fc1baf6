"""What an alias stands for, and where an anchor is used."""

from __future__ import annotations

import re
from textwrap import dedent

from suitecase.ide.comments import comments_in
from suitecase.ide.markdown import code, cut_text, fenced
from suitecase.syntax.document import Document
from suitecase.syntax.node import Mapping, Node, Scalar, Span

_NAME = re.compile(r"(?<![^ \t\r\n\[{,\ufeff])([&*])([^ \t\r\n\[\]{},]+)")
_LONGEST = 1_500


def alias_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the place of the alias or anchor at an offset and what to say; None where none is."""
    piece = document.head
    number = document.case_at(offset) if document.segmented else None
    if number is not None:
        piece = document.cases[number]
    text, content = document.text, piece.content
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    for found in _NAME.finditer(text, start, len(text) if end < 0 else end):
        if not found.start() <= offset <= found.end():
            continue
        if found[1] == "&" and found[2] not in content.anchors:
            return None
        own = content.text
        at = found.start() - (piece.start if number is not None else 0)
        if number is None and document.segmented and offset >= (piece.gap_at or 0):
            at -= piece.gap
        if _is_text(piece.node, at) or any(it.start <= at < it.end for it in comments_in(content)):
            return None
        span = Span(*found.span())
        said = _alias(own, at, found[2]) if found[1] == "*" else _anchor(own, found[2])
        return (span, said) if said else None
    return None


def _is_text(node: Node | None, at: int) -> bool:
    """Whether a place is inside a text rather than before a value."""
    left: list[Node] = [node] if node is not None else []
    while left:
        it = left.pop()
        if isinstance(it, Scalar):
            if it.start < at < it.end:
                return True
        elif isinstance(it, Mapping):
            for _, entry in it:
                left += (entry.key, entry.value)
        else:
            left += it.items
    return False


def _uses(text: str, sign: str, name: str) -> list[re.Match[str]]:
    return [it for it in _NAME.finditer(text) if it[1] == sign and it[2] == name]


def _alias(text: str, at: int, name: str) -> str | None:
    before = [it for it in _uses(text, "&", name) if it.start() < at]
    if not before:
        return None
    anchor = before[-1]
    line = text.count("\n", 0, anchor.start()) + 1
    shown = fenced(cut_text(_anchored(text, anchor), _LONGEST), "yaml")
    return f"**{code('*' + name)}** stands for what `&{name}` names, {line} lines into this part:\n\n{shown}"


def _anchored(text: str, anchor: re.Match[str]) -> str:
    """Return the lines that an anchor names: its own, and those indented deeper."""
    start = text.rfind("\n", 0, anchor.start()) + 1
    lines = text[start:].splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    kept = [lines[0]]
    for line in lines[1:]:
        deep = len(line) - len(line.lstrip(" "))
        same_list = deep == indent and line.lstrip().startswith("- ") and kept[0].endswith(anchor[0])
        if line.strip() and deep <= indent and not same_list:
            break
        kept.append(line)
    return dedent("\n".join(kept)).strip()


def _anchor(text: str, name: str) -> str:
    count = len(_uses(text, "*", name))
    times = {0: "nowhere", 1: "once", 2: "twice"}.get(count, f"{count} times")
    return f"**{code('&' + name)}** names this value; `*{name}` stands for it {times}."
