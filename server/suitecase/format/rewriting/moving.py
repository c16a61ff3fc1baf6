"""Moving an entry of a mapping under another key of the same mapping."""

from __future__ import annotations

from suitecase.format.rewriting.lines import QUOTE, as_written, moved_under
from suitecase.format.rewriting.removing import entry_removed, loses_nothing
from suitecase.format.rule import DeferredFix, Edit, Fix
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Scalar, Span, is_same


def into(key: Scalar, parent: str, *, safe: bool = True) -> DeferredFix:
    """Return what makes the fix that moves an entry under a key beside it, made where it lacks."""

    def fix(content: Content) -> Fix | None:
        edits = _moved(content, key, parent)
        return Fix(f"Move `{key.text}` under `{parent}`", edits, safe) if edits else None

    return fix


def _moved(content: Content, key: Scalar, parent: str) -> tuple[Edit, ...] | None:
    mapping = as_written(content.node, key)
    if mapping is None:
        return None
    name = next(name for name, it in mapping.entries.items() if is_same(it.key, key))
    there = mapping.get(parent)
    if isinstance(there, Mapping) and name in there:
        return None
    text = content.text
    if not mapping.flow:
        edits = moved_under(text, mapping, name, parent, text[key.start : key.end])
        return edits if edits and _keeps_anchors(content, mapping, name) else None
    entry = mapping.entries[name]
    whole = Span(key.start, max(key.end, entry.value.end))
    if there is None:
        quote = QUOTE if text.startswith(QUOTE, key.start) else ""
        opening = Edit(Span(whole.start, whole.start), f"{quote}{parent}{quote}: {{")
        return (opening, Edit(Span(whole.end, whole.end), "}"))
    if not (isinstance(there, Mapping) and there.flow and there.entries):
        return None
    gone = entry_removed(content, key)
    if gone is None or not loses_nothing(content, (Edit(whole, ""),)):
        return None
    last = max(max(it.key.end, it.value.end) for it in there.entries.values())
    return (*gone, Edit(Span(last, last), f", {text[whole.start : whole.end]}"))


def _keeps_anchors(content: Content, mapping: Mapping, name: str) -> bool:
    """Whether no anchor moves, perhaps behind what stands for it."""
    entry = mapping.entries[name]
    return not any(
        entry.key.start <= anchor_name.span.start < entry.value.end
        for anchor_name in content.anchor_names
    )
