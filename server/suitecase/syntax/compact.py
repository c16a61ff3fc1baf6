"""Trees that take less memory, for those that stay: an editor has thousands of cases open for hours."""

from __future__ import annotations

from suitecase.syntax.node import Node, Scalar, Sequence

#: Python keeps one object for each of the smallest numbers only. Offsets in a case are small too,
#: and a number of its own for each end of each node is a quarter of the memory of a tree.
_SMALL = tuple(range(8192))


def compact(node: Node | None) -> None:
    """Let the places of a tree share their numbers."""
    left: list[Node] = [] if node is None else [node]
    largest = len(_SMALL)
    while left:
        it = left.pop()
        if it.start < largest:
            it.start = _SMALL[it.start]
        if it.end < largest:
            it.end = _SMALL[it.end]
        if isinstance(it, Scalar):
            continue
        if isinstance(it, Sequence):
            left += it.items
        else:
            for entry in it.entries.values():
                left += entry[:2]
