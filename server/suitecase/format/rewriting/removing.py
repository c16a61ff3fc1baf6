"""Taking away what a finding is about: an entry of a mapping, or an item of a list.

What is written beside it stays as it is. Nothing is taken away with a comment in it, or with an
anchor that something else may stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from suitecase.format.comments import span_around, texts_with_hash
from suitecase.format.rewriting.lines import as_written, dash_of, line_end, line_start, removed
from suitecase.format.rule import DeferredFix, Edit, Fix
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Span, child_at, index_of, is_same
from suitecase.text.node import Sequence as SequenceNode

_HASH = re.compile(r"(?:^|(?<=[ \t\r\n]))#")


def without(*keys: Scalar, title: str | None = None, safe: bool = True) -> DeferredFix:
    """Return what makes the fix that takes the entries of keys away.

    Args:
        keys: the keys, each of a mapping of its own.
        title: of the fix; where it says nothing else, the first key is named.
        safe: whether the suite means the same without them, whatever their author meant.
    """
    named = title or f"Remove `{keys[0].text}`"

    def fix(content: Content) -> Fix | None:
        edits: list[Edit] = []
        for key in keys:
            found = entry_removed(content, key)
            if found is None:
                return None
            edits += found
        return Fix(named, tuple(edits), safe)

    return fix


def without_item(
    sequence: SequenceNode, item: Node, title: str, *, safe: bool = True
) -> DeferredFix:
    """Return what makes the fix that takes an item out of a list that has others."""

    def fix(content: Content) -> Fix | None:
        edits = item_removed(content, sequence, item)
        return Fix(title, edits, safe) if edits is not None else None

    return fix


def entry_removed(content: Content, key: Scalar) -> tuple[Edit, ...] | None:
    """Take the entry of a key away; where it is alone in its mapping, the mapping's own entry."""
    mapping = as_written(content.node, key)
    if mapping is None:
        return None
    if len(mapping.entries) == 1:
        outer = _key_of(content.node, mapping)
        return entry_removed(content, outer) if outer is not None else None
    edits = removed(content.text, content.node, key)
    return edits if edits is not None and loses_nothing(content, edits) else None


def _key_of(node: Node | None, value: Mapping) -> Scalar | None:
    """Return the key that a mapping stands under, as it is written."""
    if isinstance(node, Mapping):
        for key, inner, merged in node.entries.values():
            if is_same(inner, value):
                return None if merged else key
            if inner.start <= value.start < inner.end and not merged:
                return _key_of(inner, value)
    if isinstance(node, SequenceNode):
        return _key_of(child_at(node, value.start), value)
    return None


def loses_nothing(content: Content, edits: Iterable[Edit]) -> bool:
    """Whether edits take away no comment, and no anchor."""
    texts = texts_with_hash(content)
    for edit in edits:
        start, end = edit.span
        if any(
            anchor_name.defines and start <= anchor_name.span.start < end
            for anchor_name in content.anchor_names
        ):
            return False
        for found in _HASH.finditer(content.text, start, end):
            if span_around(texts, found.start()) is None:
                return False
    return True


def item_removed(content: Content, sequence: SequenceNode, item: Node) -> tuple[Edit, ...] | None:
    """Take an item out of a list that has others."""
    text, items = content.text, sequence.items
    number = index_of(item, sequence)
    if number is None or len(items) < 2:
        return None
    if sequence.flow:
        edit = _out_of_brackets(items, number)
    else:
        dash = dash_of(text, item)
        if dash is None or not _ends_line(text, item):
            return None
        edit = Edit(Span(line_start(text, dash), line_end(text, item.end)), "")
    return (edit,) if loses_nothing(content, (edit,)) else None


def _out_of_brackets(items: Sequence[Node], number: int) -> Edit:
    if number:
        return Edit(Span(items[number - 1].end, items[number].end), "")
    return Edit(Span(items[0].start, items[1].start), "")


def _ends_line(text: str, item: Node) -> bool:
    at = item.end
    return text.endswith("\n", 0, at) or not text[at : line_end(text, at)].strip()
