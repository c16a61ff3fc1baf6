"""Compacting trees in memory, since an editor has thousands of cases open for hours."""

from __future__ import annotations

from suitecase.syntax.node import Node, Scalar, Sequence

#: Python only shares objects of the smallest numbers. Offsets in a case are small too, and an
#: object for each end of each node would be a quarter of the memory of a tree.
_SMALL = tuple(range(8192))


def compact(node: Node | None) -> None:
    """Make the offsets of a tree share their number objects."""
    left: list[Node] = [] if node is None else [node]
    largest = len(_SMALL)
    while left:
        current = left.pop()
        if current.start < largest:
            current.start = _SMALL[current.start]
        if current.end < largest:
            current.end = _SMALL[current.end]
        if isinstance(current, Scalar):
            continue
        if isinstance(current, Sequence):
            left += current.items
        else:
            for entry in current.entries.values():
                left += entry[:2]
