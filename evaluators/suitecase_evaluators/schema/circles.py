"""What leads back to itself: Tarjan's algorithm, which looks at each thing once.

Without recursion, since a way of references may be longer than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def on_circles(
    starts: Iterable[T], key: Callable[[T], int], after: Callable[[T], Iterable[T]]
) -> set[int]:
    """Return the keys of all that leads back to itself, of some things and what they lead to.

    Args:
        starts: where to begin.
        key: tells one thing from another.
        after: returns what a thing leads to.
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    unfinished: list[int] = []
    is_unfinished: set[int] = set()
    found: set[int] = set()
    way: list[tuple[int, Iterator[T]]] = []

    def enter(vertex: T) -> None:
        name = key(vertex)
        order[name] = lowest[name] = len(order)
        unfinished.append(name)
        is_unfinished.add(name)
        way.append((name, iter(after(vertex))))

    for start in starts:
        if key(start) not in order:
            enter(start)
        while way:
            here, following = way[-1]
            neighbour = next(following, None)
            if neighbour is not None:
                there = key(neighbour)
                if there not in order:
                    enter(neighbour)
                elif there in is_unfinished:
                    lowest[here] = min(lowest[here], order[there])
                    if there == here:
                        found.add(here)
                continue
            way.pop()
            if way:
                before = way[-1][0]
                lowest[before] = min(lowest[before], lowest[here])
            if lowest[here] == order[here]:
                circle = {unfinished.pop()}
                while here not in circle:
                    circle.add(unfinished.pop())
                is_unfinished -= circle
                if len(circle) > 1:
                    found |= circle
    return found
