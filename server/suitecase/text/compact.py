"""Compacting trees in memory, since an editor has thousands of cases open for hours."""

from __future__ import annotations

from sys import intern
from typing import Any

from suitecase.text.node import Node, Scalar, Sequence

#: Python only shares objects of the smallest numbers. Offsets in a case are small too, and an
#: object for each end of each node would be a quarter of the memory of a tree.
_SMALL = tuple(range(8192))

#: Texts of cases that are as short as this are the same in many of them, as a rule: types, roles, names of files.
_SHORT = 32


def compact(node: Node | None) -> None:
    """Make the offsets and the short texts of a tree share their objects with those of others."""
    left: list[Node] = [] if node is None else [node]
    largest = len(_SMALL)
    while left:
        current = left.pop()
        if current.start < largest:
            current.start = _SMALL[current.start]
        if current.end < largest:
            current.end = _SMALL[current.end]
        if isinstance(current, Scalar):
            if len(current.text) <= _SHORT:
                current.text = intern(current.text)
            continue
        if isinstance(current, Sequence):
            left += current.items
        else:
            for entry in current.entries.values():
                left += entry[:2]


def pack(node: Node | None) -> None:
    """Compact a tree, and pack its mappings: they take a third of the memory while nobody looks at them."""
    left: list[Node] = [] if node is None else [node]
    largest = len(_SMALL)
    while left:
        current = left.pop()
        if isinstance(current, Scalar):
            compact(current)
            continue
        if current.start < largest:
            current.start = _SMALL[current.start]
        if current.end < largest:
            current.end = _SMALL[current.end]
        if isinstance(current, Sequence):
            left += current.items
            continue
        packed: list[Any] = []
        for name, (key, value, merged) in current.entries.items():
            if merged:
                compact(current)
                break
            start = key.start
            is_plain = type(key) is Scalar and not key.style
            if is_plain and key.text is name and key.end - start == len(name):
                packed += (name, _SMALL[start] if start < largest else start)
            else:
                left.append(key)
                packed += (name, key)
            if type(value) is Scalar and not value.style:
                text, start = value.text, value.start
                if value.end - start == len(text):
                    packed += (
                        intern(text) if len(text) <= _SHORT else text,
                        _SMALL[start] if start < largest else start,
                    )
                    continue
            left.append(value)
            packed += (value, None)
        else:
            current.packed = tuple(packed)
            del current.entries
