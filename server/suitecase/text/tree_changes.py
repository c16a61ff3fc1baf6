"""Trees with a part changed; what is not touched is shared, and keeps its place."""

from __future__ import annotations

from collections.abc import Callable

from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Tagged


def inside(mapping: Mapping, name: str, change: Callable[[Node], Node]) -> Mapping:
    """Change the value under a key, if it is there."""
    entry = mapping.entries.get(name)
    if entry is None:
        return mapping
    changed = change(entry.value)
    return mapping if changed is entry.value else with_value(mapping, name, changed)


def each(node: Node, change: Callable[[Mapping], Mapping]) -> Node:
    """Change each item of a list that is a mapping."""
    if not isinstance(node, Sequence):
        return node
    items: list[Node] | None = None
    for index, item in enumerate(node.items):
        changed = change(item) if isinstance(item, Mapping) else item
        if changed is not item:
            items = items or list(node.items)
            items[index] = changed
    return Sequence(node.start, node.end, items, flow=node.flow) if items else node


def with_value(mapping: Mapping, name: str, value: Node) -> Mapping:
    """Put another value under a key that is there."""
    entries = dict(mapping.entries)
    entries[name] = Entry(entries[name].key, value, entries[name].merged)
    return with_entries(mapping, entries)


def with_entries(mapping: Mapping, entries: dict[str, Entry]) -> Mapping:
    """Return a mapping of the same place with other entries."""
    return Mapping(mapping.start, mapping.end, entries, flow=mapping.flow)


def without(mapping: Mapping, *names: str) -> Mapping:
    """Return a mapping without some of its entries."""
    return with_entries(mapping, {name: it for name, it in mapping if name not in names})


def renamed(mapping: Mapping, old: str, new: str) -> Mapping:
    """Return a mapping with an entry under another name, in its place."""
    return with_entries(mapping, {new if name == old else name: it for name, it in mapping})


def text_of(node: Node | None) -> str | None:
    """Return what a scalar says; None for anything else."""
    return node.text if isinstance(node, Scalar) else None


def said(at: Node, text: str) -> Scalar:
    """Return a text that nobody wrote, at the place of what it follows from."""
    return Tagged(at.start, at.end, text, "", "tag:yaml.org,2002:str")
