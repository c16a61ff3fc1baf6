"""Taking away what YAML has twice or does not know, where the text then means just the same."""

from __future__ import annotations

import re

from suitecase.format.rewriting.lines import apply
from suitecase.format.rewriting.removing import entry_removed
from suitecase.format.rule import Edit, Fix
from suitecase.text.compose import compose
from suitecase.text.composed import Problem
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain

_TAG = re.compile(r"!\S*[ \t]+")


def repetition_removed(content: Content, problem: Problem) -> Fix | None:
    """Take the second of two equal entries away; None where they differ, and one is to be chosen."""
    key = _key_at(content.node, problem.span)
    edits = entry_removed(content, key) if key is not None else None
    if edits is None or not _same(content, edits):
        return None
    return Fix(f"Remove the second `{key.text if key else ''}`", edits)


def tag_removed(content: Content, problem: Problem) -> Fix | None:
    """Take a tag away that is ignored."""
    text, start = content.text, problem.span.start
    found = _TAG.match(text, start)
    span = Span(*found.span()) if found else _tag_before(text, start)
    if span is None:
        return None
    edits = (Edit(span, ""),)
    return Fix("Remove the tag", edits) if _same(content, edits) else None


def _tag_before(text: str, end: int) -> Span | None:
    """Return the tag that stands before an offset, with the blanks between."""
    before = text[text.rfind("\n", 0, end) + 1 : end]
    words = before.rstrip(" \t")
    word = words.split()[-1] if words else ""
    if len(words) == len(before) or "!" not in word:
        return None
    return Span(end - len(before) + len(words) - len(word) + word.index("!"), end)


def _same(content: Content, edits: tuple[Edit, ...]) -> bool:
    """Whether a part says the same with the edits made; the number of its keys is not compared."""
    before, after = compose(content.text), compose(apply(content.text, edits))
    if before.root is None or after.root is None or after.broken:
        return False
    fixed = len(after.problems) < len(before.problems)
    return fixed and plain(after.root) == plain(before.root)


def _key_at(node: Node | None, span: Span) -> Scalar | None:
    while node is not None:
        inner: list[Node] = []
        if isinstance(node, Mapping):
            for key, value, merged in node.entries.values():
                if key.span == span and not merged:
                    return key
                inner.append(value)
        elif isinstance(node, Sequence):
            inner = list(node.items)
        node = next((it for it in inner if it.start <= span.start < it.end), None)
    return None
